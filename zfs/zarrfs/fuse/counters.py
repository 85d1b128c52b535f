"""Counters of a mount's activity, for ``.zarrscope/stats.json``."""

from __future__ import annotations

import errno
import os
import time
from collections import Counter
from typing import Any

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Counters:
    """Counters, changed only by the event loop's thread.

    Attributes:
        requests: the kernel's requests by kind.
        in_progress: requests that are being answered now.
        errors: error replies by the name of the errno.
        hops: calls handed to worker threads because they had to wait.
        bytes_read: bytes of files returned to programs.
        ahead_hits: reads answered from blocks that were read ahead.
    """

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.in_progress = 0
        self.errors: Counter[str] = Counter()
        self.hops = 0
        self.bytes_read = 0
        self.ahead_hits = 0
        self._started_s = time.monotonic()

    def failed(self, number: int) -> None:
        """Count a reply with this errno."""
        self.errors[errno.errorcode.get(number, str(number))] += 1

    def snapshot(self) -> dict[str, Any]:
        """All counts, and the current state of the process."""
        return {
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - self._started_s, 3),
            "resident_bytes": resident_bytes(),
            "requests": dict(self.requests),
            "errors": dict(self.errors),
            "worker_calls": self.hops,
            "bytes_read": self.bytes_read,
            "read_ahead_hits": self.ahead_hits,
        }


def resident_bytes() -> int:
    """The resident memory of this process."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * _PAGE_BYTES
