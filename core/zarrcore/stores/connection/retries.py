"""When a request is sent again: one policy for all remote stores.

What ``--timeout`` and ``--retries`` mean, in one place:

- A server may be silent for ``--timeout`` seconds: before a connection, before the first byte of an answer, and within a body.
  A body must bring at least `MINIMUM_RATE` bytes per second, measured over ``--timeout`` seconds at a time; otherwise it may
  take any time. Breaking these rules ends the request, at the latest after three times ``--timeout``.
- A request is repeated if it fails for a reason that may pass: a server error (500, 502, 503, 504), 429, 408, or a broken
  connection. The last repeat begins at most twice ``--timeout`` after the first request, and there are at most ``--retries``
  repeats. If the address has no server, and had none before, the time is only a tenth of ``--timeout``: it may be mistyped.
- The pause before a repeat is random, between 0 and 0.5 s, 1 s, 2 s … 8 s (exponential backoff with full jitter, so that many
  readers do not come back at the same moment). If the server asks for a pause (``Retry-After``), that pause is added. A pause
  that would end too late does not begin.
- A request is not repeated after silence, after answers such as 403 or 404, or if it must not be sent twice.

`zarrcore.stores.connection.failures` says which failures may pass. obstore does not repeat requests itself, except the parts
of a large upload: only this policy waits as long as the server asks.
"""

from __future__ import annotations

import logging
import random
import time
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from zarrcore.stores.options import StoreOptions
from zarrcore.threads import is_exiting

if TYPE_CHECKING:  # late, for a quick start: obstore is large
    from obstore.store import RetryConfig

_log = logging.getLogger(__name__)

_RANDOM: Final = random.SystemRandom()
"""Not Python's shared generator, whose numbers belong to the program. It also differs between processes after a fork."""

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 8.0
_PATIENCE: Final = 2.0
"""Repeats begin within this many timeouts."""
_BRIEF_PATIENCE: Final = 0.1
"""The same, if the address never had a server."""
_SILENT_S: Final = 3.0
"""After this time, the log says that requests are repeated."""
_INTERVAL_S: Final = 10.0
YEAR_S: Final = 365 * 86400.0
MINIMUM_RATE: Final = 1024
"""Bytes per second that a body must bring."""


class Retries:
    """The repeats that one request has left.

    >>> retries = Retries(StoreOptions(retries=0))
    >>> retries.wait()
    False

    Args:
        options: the number of repeats, and the timeout.
        url: of the store, for the log, which says why a request takes seconds.

    Attributes:
        made: the number of repeats so far.
    """

    __slots__ = ("_began", "_left", "_pause_s", "_timeout_s", "_url", "_was_there", "made")

    def __init__(self, options: StoreOptions, url: str = "") -> None:
        self._began = time.monotonic()
        self._url = url
        self._timeout_s = options.timeout_s
        self._left = options.retries
        self._pause_s = FIRST_PAUSE_S
        self._was_there = False
        self.made = 0

    def wait(self, wanted_s: float = 0.0, *, briefly: bool = False) -> bool:
        """Pause before a repeat. False, immediately, if the request must not be repeated, or the program has ended.

        Args:
            wanted_s: the pause that the server asks for.
            briefly: the address does not answer at all, and did not before.
        """
        pause_s = wanted_s + _RANDOM.uniform(0, self._pause_s)
        self._was_there = self._was_there or not briefly
        patience_s = self._timeout_s * (_PATIENCE if self._was_there else _BRIEF_PATIENCE)
        waited_s = time.monotonic() - self._began
        if self._left <= 0 or waited_s + pause_s > patience_s or is_exiting():
            return False
        if waited_s + pause_s > _SILENT_S:
            _Notices.log(self._url, patience_s - waited_s)
        self._left -= 1
        self.made += 1
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        time.sleep(pause_s)
        return True


def retry_after_s(header: str) -> float:
    """The pause that a ``Retry-After`` header asks for, in seconds or until a date; 0 if it is missing or invalid.

    It is a year at most: the header may ask for more than any float.
    """
    if header.isascii() and header.isdigit():
        return min(float(header), YEAR_S)
    try:
        return min(max(0.0, parsedate_to_datetime(header).timestamp() - time.time()), YEAR_S)
    except (ValueError, OverflowError):
        return 0.0


class _Notices:
    """What the log says while requests wait, at intervals: many of them fail at the same moment."""

    last_s = -_INTERVAL_S

    @classmethod
    def log(cls, url: str, left_s: float) -> None:
        now_s = time.monotonic()
        if now_s - cls.last_s >= _INTERVAL_S:
            cls.last_s = now_s
            _log.warning("%s fails; requests are repeated for up to %.0f s more (--timeout)", url, left_s)


def no_repeats() -> RetryConfig:
    """obstore's ``retry_config`` for requests that `Retries` repeats."""
    return {"max_retries": 0, "retry_timeout": timedelta(0)}


def repeats_of_parts(options: StoreOptions) -> RetryConfig:
    """obstore's ``retry_config`` for an upload in parts, where obstore alone can repeat one part."""
    longest = timedelta(seconds=min(LONGEST_PAUSE_S, options.timeout_s))
    return {
        "max_retries": options.retries,
        "retry_timeout": timedelta(seconds=_PATIENCE * options.timeout_s),
        "backoff": {
            "init_backoff": min(timedelta(seconds=FIRST_PAUSE_S), longest),
            "max_backoff": longest,
            "base": 2,
        },
    }
