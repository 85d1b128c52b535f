"""How much memory a process takes at its peak; for tests and for the programs they start (with ``ROOT`` as their folder)."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def peak_nbytes() -> int:
    """The most that was resident at once since the start of this program or the last `forget_peak`.

    ``ru_maxrss`` would not do: a process inherits it from the one that started it, here pytest.
    """
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) << 10


def forget_peak() -> int:
    """Let the peak begin anew, and tell what is resident now."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_nbytes()
