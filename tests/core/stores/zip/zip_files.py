"""What several tests of zip files need."""

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
    """Have a store write its directory no sooner than in so many seconds, or when it is closed."""
    assert isinstance(store, ZipStore)
    assert store._changes is not None
    store._changes._due_s = time.monotonic() + seconds


def replace(place: Path, values: dict[str, bytes]) -> None:
    """As a program does that writes a file anew."""
    other = place.with_name("other")
    other.write_bytes(make_zip(values=values))
    other.replace(place)
