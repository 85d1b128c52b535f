"""The order of positions, in the window and in movies."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.export.movies.playing import Direction, Playing, frames


def played(playing: Playing, start: int, last: int, number: int) -> list[int]:
    found, position, heading = [start], start, playing.heading
    for _ in range(number):
        following = playing.after(position, last, heading)
        if following is None:
            break
        position, heading = following
        found.append(position)
    return found


def test_each_direction_goes_round() -> None:
    assert played(Playing(), 1, 2, 4) == [1, 2, 0, 1, 2]
    assert played(Playing(direction=Direction.BACKWARD), 1, 2, 4) == [1, 0, 2, 1, 0]
    assert played(Playing(direction=Direction.BOTH), 0, 2, 5) == [0, 1, 2, 1, 0, 1]


def test_without_a_loop_it_ends() -> None:
    assert played(Playing(loops=False), 0, 2, 9) == [0, 1, 2]
    assert played(Playing(loops=False, direction=Direction.BACKWARD), 2, 2, 9) == [2, 1, 0]
    assert played(Playing(loops=False, direction=Direction.BOTH), 0, 2, 9) == [0, 1, 2, 1, 0]


@given(st.integers(0, 20), st.integers(0, 20), st.integers(1, 30), st.sampled_from(Direction), st.booleans())
def test_the_next_positions_are_those_that_are_played(
    start: int, last: int, number: int, direction: Direction, loops: bool
) -> None:
    start, playing = min(start, last), Playing(loops=loops, direction=direction)
    expected = list(dict.fromkeys(played(playing, start, last, 200)))[1:]
    found = playing.following(start, last, playing.heading, number)
    assert found == expected[: len(found)]
    assert len(found) <= number
    assert all(0 <= one <= last for one in found)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 7))
def test_frames_are_those_of_a_range(one: int, other: int, step: int) -> None:
    low, high = sorted((one, other))
    forward = frames(one, other, step, Direction.FORWARD)
    assert forward == list(range(low, high + 1, step))
    assert frames(one, other, step, Direction.BACKWARD) == forward[::-1]
    both = frames(one, other, step, Direction.BOTH)
    assert len(both) == max(1, 2 * len(forward) - 2)
    assert all(a != b for a, b in zip(both, both[1:] + both[:1], strict=True)) or len(both) == 1
