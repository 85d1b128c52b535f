"""Exceptions become an errno and a line in the log; requests that are completed."""

from __future__ import annotations

import errno

import pyfuse3
import pytest
import trio

from zarrcore.errors import ChecksumError
from zarrfs.fuse import guard
from zarrfs.fuse.counters import Counters
from zarrfs.fuse.guard import guarded
from zarrfs.trees.freshness import Freshness, Remembered


def test_a_bug_does_not_end_the_daemon(caplog: pytest.LogCaptureFixture) -> None:
    """S16: "EIO, and a traceback in the log"; S17: "No error ends the daemon"."""

    @guarded
    class Buggy(pyfuse3.Operations):
        counters = Counters()
        warned = Remembered(Freshness(60.0), 10)

        async def getattr(self, inode: int, ctx: object) -> object:
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


def test_the_log_repeats_a_message_only_at_intervals(caplog: pytest.LogCaptureFixture) -> None:
    now_s = [0.0]
    warned: Remembered[str, None] = Remembered(Freshness(60.0, lambda: now_s[0]), 10)
    for reason in ("a is damaged", "a is damaged", "b is damaged"):
        assert guard._number("read", ChecksumError(reason), warned) == errno.EIO
    assert len(caplog.records) == 2
    now_s[0] = 61.0
    guard._number("read", ChecksumError("a is damaged"), warned)
    assert len(caplog.records) == 3
