"""Disk space for temporary files and for the cache."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import Final

from zarrcore.diagnosis.finding import Finding, State
from zarrcore.sizes import format_bytes

_LEAST: Final = 1 << 30
"""The free space, in bytes, that zarrscope leaves when it stores decoded chunks."""


def findings(cache_dir: str | None) -> Iterator[Finding]:
    """The space for temporary files, and for a cache if its directory is given."""
    yield _space("temporary files", tempfile.gettempdir(), "set TMPDIR to a directory with more space")
    if cache_dir is not None:
        place = os.path.abspath(os.path.expanduser(cache_dir))
        while not os.path.exists(place):  # it will be created
            place = os.path.dirname(place)
        yield _space("cache", place, "name another directory with --cache-dir")


def _space(area: str, place: str, remedy: str) -> Finding:
    if not os.access(place, os.W_OK | os.X_OK):
        return Finding(area, State.FAULT, f"{place} is not writable", remedy)
    free = shutil.disk_usage(place).free
    text = f"{format_bytes(free)} are free in {place}"
    return Finding(area, State.OK, text) if free > _LEAST else Finding(area, State.FAULT, text, remedy)
