"""Exceptions become an errno and a line in the log; requests that are completed."""

from __future__ import annotations

import errno
from typing import Any

import pyfuse3
import pytest
import trio
import trio.testing

from tests.zfs.fuse.serving import NO_CONTEXT
from zarrcore.errors import ChecksumError, NodeNotFoundError, ReadOnlyError, UnreachableError
from zarrfs.fuse import guard
from zarrfs.fuse.counters import Counters
from zarrfs.fuse.guard import Completing, completes_itself, guarded
from zarrfs.trees.errors import RefusedError
from zarrfs.trees.freshness import Freshness, Remembered


def test_a_bug_does_not_end_the_daemon(caplog: pytest.LogCaptureFixture) -> None:
    """S16: "EIO, and a traceback in the log"; S17: "No error ends the daemon"."""

    @guarded
    class Buggy(pyfuse3.Operations):
        counters = Counters()
        warned = Remembered(Freshness(60.0), 10)

        async def getattr(self, inode: int, ctx: object) -> Any:
            return 1 // inode

        async def forget(self, inode_list: object) -> None:
            raise ZeroDivisionError

    operations = Buggy()
    with pytest.raises(pyfuse3.FUSEError) as caught:
        trio.run(operations.getattr, 0, None)
    assert caught.value.errno == errno.EIO
    assert "ZeroDivisionError" in caplog.text
    assert "Traceback" in caplog.text
    # pyfuse3 accepts no error from this request.
    trio.run(operations.forget, [])
    assert operations.counters.errors["EIO"] == 2


def test_the_log_names_some_of_the_keys_of_a_store_that_is_out_of_order(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now_s = [0.0]
    warned: Remembered[str, int] = Remembered(Freshness(60.0, lambda: now_s[0]), 1000)

    def fail(reason: str) -> None:
        for number in range(100):
            key = f"c/{number}"
            guard._number("read", UnreachableError(f"{key} in s3://b: {reason}", key=key), warned)

    fail("the server fails")
    assert len(caplog.messages) == 10
    fail("it resets connections")
    assert len(caplog.messages) == 20
    now_s[0] = 61.0
    fail("the server fails")
    assert len(caplog.messages) == 30


def test_the_log_repeats_a_message_only_at_intervals(caplog: pytest.LogCaptureFixture) -> None:
    now_s = [0.0]
    warned: Remembered[str, int] = Remembered(Freshness(60.0, lambda: now_s[0]), 10)
    for reason in ("a is damaged", "a is damaged", "b is damaged"):
        assert guard._number("read", ChecksumError(reason), warned) == errno.EIO
    assert len(caplog.records) == 2
    now_s[0] = 61.0
    guard._number("read", ChecksumError("a is damaged"), warned)
    assert len(caplog.records) == 3


class Answering(pyfuse3.Operations):
    """Operations whose requests fail, or wait, as a test says."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self.counters = Counters()
        self.completing = Completing()
        self.warned = Remembered(Freshness(60.0), 10)
        self.error = error
        self.done = False


@guarded
class Guarded(Answering):
    """Handlers of one kind each: of a request that is cancelled, and of one that is completed."""

    async def getattr(self, inode: int, ctx: object) -> Any:
        return await self._answer()

    async def release(self, fh: int) -> Any:
        return await self._answer()

    @completes_itself
    async def open(self, inode: int, flags: int, ctx: object) -> Any:
        if not inode:
            return await self._answer()
        with self.completing.request():
            return await self._answer()

    async def _answer(self) -> object:
        if self.error is not None:
            raise self.error
        await trio.sleep(0.01)
        self.done = True
        return "answer"


def number(operations: Guarded) -> int:
    with pytest.raises(pyfuse3.FUSEError) as caught:
        trio.run(operations.getattr, 1, None)
    return int(caught.value.errno)


@pytest.mark.parametrize(
    ("error", "expected", "is_logged"),
    [
        (NodeNotFoundError("/a", "memory://"), errno.ENOENT, False),
        (ReadOnlyError("this mount is read-only"), errno.EROFS, False),
        (ChecksumError("a is damaged"), errno.EIO, True),
        (RefusedError(errno.EPERM, "told"), errno.EPERM, True),
        (RefusedError(errno.EEXIST, "told"), errno.EEXIST, True),
        (RefusedError(errno.EPERM, "kept", is_logged=False), errno.EPERM, False),
        (pyfuse3.FUSEError(errno.EXDEV), errno.EXDEV, False),
    ],
)
def test_an_error_is_counted_and_logged_unless_it_is_ordinary(
    error: Exception, expected: int, is_logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    operations = Guarded(error)
    assert number(operations) == expected
    assert operations.counters.errors == {errno.errorcode[expected]: 1}
    assert operations.counters.requests == {"getattr": 1}
    assert [record.message for record in caplog.records] == ([f"getattr: {error}"] if is_logged else [])


def test_a_request_is_answered_when_it_is_cancelled() -> None:
    operations, answers = Guarded(), []

    async def cancelled() -> None:
        with trio.CancelScope() as scope:
            scope.cancel()
            try:
                await operations.getattr(1, None)
            except pyfuse3.FUSEError as error:
                answers.append(error.errno)

    trio.run(cancelled)
    assert (answers, operations.done) == ([errno.EIO], False)


def test_a_request_that_must_not_be_half_done_is_completed() -> None:
    operations = Guarded()

    async def cancelled() -> None:
        with trio.CancelScope() as scope:
            scope.cancel()
            assert await operations.release(1) == "answer"
        assert operations.done

    trio.run(cancelled)


@pytest.mark.parametrize("inode", [0, 1])
def test_a_handler_may_choose_which_part_of_it_is_completed(inode: int) -> None:
    operations, answers = Guarded(), []

    async def cancelled() -> None:
        with trio.CancelScope() as scope:
            scope.cancel()
            try:
                answers.append(await operations.open(inode, 0, NO_CONTEXT))
            except pyfuse3.FUSEError as error:
                answers.append(error.errno)

    trio.run(cancelled)
    assert (answers, operations.done) == ((["answer"], True) if inode else ([errno.EIO], False))


def test_the_end_of_the_daemon_cancels_every_request() -> None:
    operations = Guarded()

    async def ended() -> None:
        with trio.CancelScope() as daemon:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(operations.completing.until_cancelled)
                nursery.start_soon(released)
                await trio.testing.wait_all_tasks_blocked()
                daemon.cancel()

    async def released() -> None:
        with pytest.raises(pyfuse3.FUSEError):
            await operations.release(1)

    trio.run(ended, clock=trio.testing.MockClock())
    assert not operations.done
