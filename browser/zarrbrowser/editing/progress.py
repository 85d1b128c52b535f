"""How far a change is, and whether the user wants to stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable


class StoppedError(Exception):
    """The user stopped a change before its end."""

    def __init__(self) -> None:
        super().__init__("this was stopped")


class Progress:
    """Counts what a change has written or erased. Thread-safe.

    Args:
        report: called with the part that is done, 0 to 1, if the whole is known.
        is_stopped: whether the user wants to stop.

    Attributes:
        total: keys to write or erase; 0 if that is unknown.
        done: keys that were written or erased so far.
    """

    def __init__(
        self,
        report: Callable[[float], object] = lambda _fraction: None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._report, self.is_stopped = report, is_stopped
        self._lock = threading.Lock()
        self.total = self.done = 0

    def start(self, total: int = 0) -> None:
        """Start counting at zero."""
        with self._lock:
            self.total, self.done = total, 0

    def add(self, number: int = 1) -> None:
        """Count keys that were written or erased."""
        with self._lock:
            self.done += number
            fraction = min(1.0, self.done / self.total) if self.total else None
        if fraction is not None:
            self._report(fraction)

    def check(self) -> None:
        """Raise if the user wants to stop.

        Raises:
            StoppedError: the user does.
        """
        if self.is_stopped():
            raise StoppedError
