"""``zarrscope info``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import Run
from tests.core.cli.arrays import NUMBERS


def test_info(zarrscope: Run, source: Path) -> None:
    shown = zarrscope("info", source, "images/stack")
    assert shown.status == 0
    for words in (
        "4 × 30 × 40",
        "z, y, x",
        "int32",
        "4,800 elements, 18.8 KiB",
        "zstd",
        "Zarr v3",
        "µm",
        "16  (4 × 2 × 2)",
    ):
        assert words in shown.text, words
    assert zarrscope("info", f"{source}#/images/stack").text == shown.text
    told = json.loads(zarrscope("info", source, "images/stack", "--json").text)
    assert told["metadata"]["shape"] == [4, 30, 40]
    assert told["uri"].endswith("data.zarr#/images/stack")
    assert zarrscope("info", source, "odd").status == 1


def test_info_counts_the_stored_chunks(zarrscope: Run, hierarchy: Path) -> None:
    (hierarchy / "images/stack/c/0/0/0").unlink()
    stored = sum(file.stat().st_size for file in (hierarchy / "images/stack/c").rglob("*") if file.is_file())
    shown = zarrscope("info", hierarchy, "images/stack", "--storage").text
    assert "15 of 16  (1 missing, which read as the fill value)" in shown
    told = json.loads(zarrscope("info", hierarchy, "images/stack", "--storage", "--json").text)["storage"]
    assert (told["chunks"], told["present"], told["missing"], told["stored_bytes"]) == (16, 15, 1, stored)
    assert told["ratio"] == pytest.approx(NUMBERS.nbytes * 15 / 16 / stored)
    (hierarchy / "images/stack/c/9/0").mkdir(parents=True)
    (hierarchy / "images/stack/c/9/0/0").write_bytes(b"x")
    assert "1 chunk, 1 byte: left from" in zarrscope("info", hierarchy, "images/stack", "--storage").text
    assert "storage" not in json.loads(zarrscope("info", hierarchy, "--storage", "--json").text), "of a group"
