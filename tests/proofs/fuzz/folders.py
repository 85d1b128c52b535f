"""Folders for targets that need files: in memory, if the machine has such a place, since fuzzing writes many thousand files."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""A place in memory; None without one."""


@cache
def work_folder(name: str) -> Path:
    """The folder of a target in this process. It goes with the process, or, after a crash, with the folder of the trial."""
    # A trial sets TMPDIR to a folder of its own.
    place = None if "TMPDIR" in os.environ else MEMORY
    folder = Path(tempfile.mkdtemp(prefix=f"zarrscope-fuzz-{name}-", dir=place))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
