"""Byte ranges: what a header asks for, for any header."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrfs.http.answers.ranges import requested

NUMBERS = st.integers(0, 30)


@st.composite
def parts(draw: st.DrawFn) -> tuple[str, slice]:
    """One part of a header, and the slice that it means."""
    first, last = draw(NUMBERS), draw(st.none() | NUMBERS)
    if draw(st.booleans()):
        return f"-{first}", slice(-first, None) if first else slice(0, 0)
    if last is None:
        return f"{first}-", slice(first, None)
    first, last = sorted((first, last))
    return f"{first}-{last}", slice(first, last + 1)


@given(asked=st.lists(parts(), min_size=1, max_size=8), size=NUMBERS)
def test_the_parts_are_the_bytes_of_all_slices(asked: list[tuple[str, slice]], size: int) -> None:
    wanted = requested("bytes=" + ", ".join(text for text, _ in asked), size)
    assert wanted is not None
    expected = {offset for _, part in asked for offset in range(size)[part]}
    assert {offset for interval in wanted for offset in range(*interval)} == expected
    assert sum(stop - start for start, stop in wanted) == len(expected)
    assert all(0 <= start < stop <= size for start, stop in wanted)
    assert [*wanted] == sorted(wanted)


@given(st.text(alphabet="bytes=0123456789-, ;x\x00٣") | st.text())
def test_any_header_is_understood_or_ignored(header: str) -> None:
    wanted = requested(header, 100)
    assert wanted is None or all(0 <= start < stop <= 100 for start, stop in wanted)


@pytest.mark.parametrize(
    "header",
    [None, "", "bytes=", "bytes", "lines=0-1", "bytes=a-b", "bytes=5-3", "bytes=--5", "bytes=0-1;5", "bytes=٣-",
     "bytes=" + "9" * 20 + "-3", "bytes=" + ",".join(f"{n}-{n}" for n in range(0, 80, 2))],
)  # fmt: skip
def test_a_header_that_is_not_valid_or_asks_for_too_many_parts_is_ignored(header: str | None) -> None:
    assert requested(header, 100) is None


@pytest.mark.parametrize("huge", ["9" * 19, str(2**64), "9" * 20, "9" * 5000, "9" * 100_000])
def test_numbers_of_any_length_are_compared_with_the_size(huge: str) -> None:
    assert requested(f"bytes={huge}-", 100) == []
    assert requested(f"bytes={huge}-{huge}", 100) == []
    assert requested(f"bytes=-{huge}", 100) == [(0, 100)]
    assert requested(f"bytes=7-{huge}", 100) == [(7, 100)]
    assert requested(f"bytes={'0' * len(huge)}3-{'0' * len(huge)}5", 100) == [(3, 6)]


def test_parts_beyond_the_end_ask_for_nothing() -> None:
    assert requested("bytes=100-", 100) == []
    assert requested("bytes=-0", 100) == []
    assert requested("bytes=-5", 0) == []
    assert requested("bytes=200-,3-4", 100) == [(3, 5)]
