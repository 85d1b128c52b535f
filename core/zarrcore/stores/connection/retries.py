"""When a request is sent again: one policy for all remote stores.

A request is repeated as often as ``--retries`` says, after pauses of 0.1 s, 0.2 s, 0.4 s … up to 5 s, or as long as the server
asks for if that is longer; and only while the deadline of ``--timeout`` allows the pause. A request is repeated after failures
that may be temporary: a server error (500, 502, 503, 504), 429, 408, a broken or refused connection. It is not repeated after
answers such as 403 or 404, or if it must not be sent twice. `zarrcore.stores.connection.failures` says which failures are
temporary. obstore repeats its requests itself, with the same numbers.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from zarrcore.stores.options import StoreOptions

if TYPE_CHECKING:  # late, for a quick start: obstore is large
    from obstore.store import RetryConfig

FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 5.0


class Retries:
    """The repeats that one request has left.

    >>> retries = Retries(StoreOptions(retries=1))
    >>> retries.wait(), retries.wait()
    (True, False)

    Args:
        options: the number of repeats, and the deadline.
        give_up: the deadline by `time.monotonic`, if already known.
    """

    __slots__ = ("_left", "_pause_s", "give_up")

    def __init__(self, options: StoreOptions, give_up: float | None = None) -> None:
        self.give_up = time.monotonic() + options.timeout_s if give_up is None else give_up
        self._left = options.retries
        self._pause_s = FIRST_PAUSE_S

    def wait(self, wanted_s: float = 0.0) -> bool:
        """Pause, at least as long as the server asks for. False, immediately, if the request must not be repeated."""
        pause_s = max(self._pause_s, wanted_s)
        if self._left <= 0 or time.monotonic() + pause_s >= self.give_up:
            return False
        self._left -= 1
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        time.sleep(pause_s)
        return True


def retry_config(options: StoreOptions) -> RetryConfig:
    """obstore's ``retry_config`` for the same policy: a hung server costs the deadline once, not once per retry."""
    return {
        "max_retries": options.retries,
        "retry_timeout": timedelta(seconds=options.timeout_s),
        "backoff": {
            "init_backoff": timedelta(seconds=FIRST_PAUSE_S),
            "max_backoff": timedelta(seconds=min(LONGEST_PAUSE_S, options.timeout_s)),
            "base": 2,
        },
    }
