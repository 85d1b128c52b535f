"""Waiting for what another thread or process does soon."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

PATIENCE_S = 60
"""Seconds that a test waits for what happens soon: a busy machine takes its time, and no test measures it."""
_EACH_S = 0.01


def wait_until(condition: Callable[[], object], what: str = "a condition") -> None:
    """Wait until a condition holds."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline_s, f"timed out waiting for: {what}"
        time.sleep(_EACH_S)


def recorded_pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let pauses take no time; returns a list to which their seconds are added.

    Threads that earlier tests left behind, such as one that repeats a request, pause as before and are not recorded.
    """
    recorded: list[float] = []
    left_behind = {*threading.enumerate()} - {threading.current_thread()}
    sleep = time.sleep

    def pause(duration_s: float) -> None:
        if threading.current_thread() in left_behind:
            sleep(duration_s)
        else:
            recorded.append(duration_s)

    monkeypatch.setattr(time, "sleep", pause)
    return recorded
