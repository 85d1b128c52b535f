"""Small file systems in memory, for tests of full disks."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def disk(place: Path, size: str = "") -> Iterator[Path]:
    """A file system mounted at a directory, which is created if needed; the test is skipped without the right to mount.

    Args:
        place: the directory.
        size: in the syntax of tmpfs, such as "64k" or "1m"; by default half of the memory.
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
