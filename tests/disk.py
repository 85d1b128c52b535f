"""Small file systems in memory, for tests of full disks."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def disk(place: Path, size: str = "") -> Iterator[Path]:
    """A file system mounted at a directory, which is made where it is missing; the test is skipped where root alone may do that.

    Args:
        place: the directory.
        size: as tmpfs takes it, such as "64k" or "1m"; half of the memory without.
    """
    place.mkdir(exist_ok=True)
    options = ["-o", f"size={size}"] if size else []
    made = subprocess.run(["mount", "-t", "tmpfs", *options, "tmpfs", place], capture_output=True)
    if made.returncode:
        pytest.skip("only root may mount a file system")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)
