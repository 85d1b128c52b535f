"""The peak memory of a process, for tests and for the programs that they start (with ``ROOT`` as their folder)."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def peak_nbytes() -> int:
    """The peak resident size since the start of this program or the last `forget_peak`.

    ``ru_maxrss`` does not work: a process inherits it from its parent, here pytest.
    """
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) << 10


def forget_peak() -> int:
    """Reset the peak; returns the resident size now."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_nbytes()
