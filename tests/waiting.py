"""Waiting for what another thread or process does soon."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 60
"""Seconds that a test waits for what happens soon: a busy machine takes its time, and no test measures it."""
_EACH_S = 0.01


def wait_until(condition: Callable[[], object], what: str = "a condition") -> None:
    """Wait until a condition holds."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline_s, f"timed out waiting for: {what}"
        time.sleep(_EACH_S)
