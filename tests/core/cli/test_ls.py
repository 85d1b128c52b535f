"""``zarrscope ls``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command import Run


def test_ls(zarrscope: Run, source: Path) -> None:
    assert sorted(zarrscope("ls", source).text.split()) == ["images/", "odd/", "zarr.json"]
    keys = zarrscope("ls", source, "images/stack", "-r").text.split()
    assert len(keys) == 17
    assert "images/stack/c/3/1/1" in keys
    long = zarrscope("ls", source, "images/stack/zarr.json", "-l").text.split()
    assert long[0] == str((source / "images/stack/zarr.json").stat().st_size)
    entries = [json.loads(line) for line in zarrscope("ls", source, "--json").text.splitlines()]
    assert {"key": "images/", "stored_nbytes": None, "mtime_s": None} in entries
