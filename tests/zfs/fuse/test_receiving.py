"""Waiting for requests: who owns the turn, and when other tasks run."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pyfuse3
import pytest
import trio
import trio.testing

from zarrfs.fuse.receiving import LowLevel, Turn, received_at_once

_LONG_S = 3600.0


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The descriptors that the event loop waited for."""
    found: list[int] = []

    async def wait_readable(descriptor: int) -> None:
        found.append(descriptor)

    monkeypatch.setattr(trio.lowlevel, "wait_readable", wait_readable)
    return found


def test_a_request_that_is_there_is_received_without_the_event_loop(
    pipe: tuple[int, int], waits: list[int]
) -> None:
    os.write(pipe[1], b"request")
    waiting = LowLevel(lambda: False, lambda: 0.0)
    trio.run(waiting.wait_readable, pipe[0])
    assert waits == []


def test_other_tasks_run_first_while_a_call_is_unfinished(pipe: tuple[int, int], waits: list[int]) -> None:
    os.write(pipe[1], b"request")
    waiting = LowLevel(lambda: True, lambda: 0.0)
    trio.run(waiting.wait_readable, pipe[0])
    assert waits == [pipe[0]]


def test_other_tasks_run_at_intervals_while_requests_follow_each_other(
    pipe: tuple[int, int], waits: list[int]
) -> None:
    os.write(pipe[1], b"request")
    now_s = [0.0]
    waiting = LowLevel(lambda: False, lambda: now_s[0])
    now_s[0] = _LONG_S
    trio.run(waiting.wait_readable, pipe[0])
    assert waits == [pipe[0]]
    trio.run(waiting.wait_readable, pipe[0])
    assert waits == [pipe[0]]


def test_the_event_loop_waits_while_no_request_is_there(pipe: tuple[int, int], waits: list[int]) -> None:
    trio.run(LowLevel(lambda: False).wait_readable, pipe[0])
    assert waits == [pipe[0]]


def test_other_tasks_run_while_no_request_is_there(pipe: tuple[int, int]) -> None:
    waiting = LowLevel(lambda: False)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(waiting.wait_readable, pipe[0])
            await trio.testing.wait_all_tasks_blocked()
            os.write(pipe[1], b"request")

    trio.run(main)


def test_waiting_ends_when_the_descriptor_is_about_to_be_closed(pipe: tuple[int, int]) -> None:
    waiting = LowLevel(lambda: False)

    async def main() -> None:
        async with trio.open_nursery() as nursery:

            async def wait() -> None:
                with pytest.raises(trio.ClosedResourceError):
                    await waiting.wait_readable(pipe[0])

            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            waiting.notify_closing(pipe[0])

    trio.run(main)


def test_the_last_owner_of_a_turn_keeps_it_until_it_waits_for_something_else() -> None:
    turn, owners = Turn(), list[str]()

    async def wait_for_it() -> None:
        async with turn:
            owners.append("other")

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            async with turn:
                nursery.start_soon(wait_for_it)
                await trio.testing.wait_all_tasks_blocked()
            for _ in range(3):
                async with turn:
                    owners.append("first")
            await trio.testing.wait_all_tasks_blocked()
            async with turn:
                owners.append("first")

    trio.run(main)
    assert owners == ["first", "first", "first", "other", "first"]


def test_a_turn_has_one_owner() -> None:
    turn, owners, most = Turn(), 0, 0

    async def own() -> None:
        nonlocal owners, most
        for _ in range(5):
            async with turn:
                owners += 1
                most = max(most, owners)
                await trio.lowlevel.checkpoint()
                owners -= 1

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(4):
                nursery.start_soon(own)

    trio.run(main)
    assert most == 1


def test_a_cancelled_task_no_longer_waits_for_its_turn() -> None:
    turn = Turn()

    async def main() -> None:
        async with turn:
            with trio.move_on_after(0) as scope:
                async with turn:
                    pass
            assert scope.cancelled_caught
        async with turn:
            pass

    trio.run(main)


def test_pyfuse3_waits_in_this_way_only_while_a_mount_is_served() -> None:
    with received_at_once(lambda: False):
        module = vars(pyfuse3)["trio"]
        assert module.Lock is Turn
        assert module.open_nursery is trio.open_nursery
        assert module.lowlevel.current_task is trio.lowlevel.current_task
    assert vars(pyfuse3)["trio"] is trio
