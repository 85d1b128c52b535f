"""Helpers of several tests of zip files."""

from __future__ import annotations

import time
import zipfile
from pathlib import Path

from tests.core.stores.zip.test_store import make_zip
from zarrcore.stores import ReadableStore, ZipStore


def members(place: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(place) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def rest(store: ReadableStore, seconds: float) -> None:
    """Make a store write its directory no sooner than in this many seconds, or when it is closed."""
    assert isinstance(store, ZipStore)
    assert store._changes is not None
    store._changes._due_s = time.monotonic() + seconds


def replace(place: Path, values: dict[str, bytes]) -> None:
    """Replace a file, as a program does that rewrites it."""
    other = place.with_name("other")
    other.write_bytes(make_zip(values=values))
    other.replace(place)
