"""``zarrscope info``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import zarrcore as zc
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
    assert told["source"].endswith("data.zarr")
    assert (told["path"], told["dtype"], told["chunks"]) == ("/images/stack", "int32", [1, 15, 20])
    assert zarrscope("info", source, "odd").status == 1


def test_info_counts_the_stored_chunks(zarrscope: Run, hierarchy: Path) -> None:
    (hierarchy / "images/stack/c/0/0/0").unlink()
    stored = sum(file.stat().st_size for file in (hierarchy / "images/stack/c").rglob("*") if file.is_file())
    shown = zarrscope("info", hierarchy, "images/stack", "--storage").text
    assert "15 of 16  (1 missing, which read as the fill value)" in shown
    told = json.loads(zarrscope("info", hierarchy, "images/stack", "--storage", "--json").text)["storage"]
    assert (told["chunk_count"], told["present_count"], told["missing_count"], told["stored_nbytes"]) == (
        16,
        15,
        1,
        stored,
    )
    assert told["ratio"] == pytest.approx(NUMBERS.nbytes * 15 / 16 / stored)
    (hierarchy / "images/stack/c/9/0").mkdir(parents=True)
    (hierarchy / "images/stack/c/9/0/0").write_bytes(b"x")
    assert "1 chunk, 1 byte: left from" in zarrscope("info", hierarchy, "images/stack", "--storage").text
    assert "storage" not in json.loads(zarrscope("info", hierarchy, "--storage", "--json").text), "of a group"


def test_many_attributes_are_cut_and_json_has_all(zarrscope: Run, tmp_path: Path) -> None:
    zc.create(tmp_path / "a.zarr")["/"].attributes.update({f"name{number}": number for number in range(5000)})
    lines = zarrscope("info", tmp_path / "a.zarr").text.splitlines()
    assert "name998" in lines[-2]
    assert lines[-1].strip() == "… and 4,002 more lines, which --json shows"
    assert (
        len(json.loads(zarrscope("info", tmp_path / "a.zarr", "--json").text)["metadata"]["attributes"])
        == 5000
    )


def test_an_integer_of_many_digits_is_told_in_one_sentence(zarrscope: Run, tmp_path: Path) -> None:
    zc.create(tmp_path / "a.zarr")["/"].attributes["n"] = 12345
    document = tmp_path / "a.zarr" / "zarr.json"
    document.write_text(document.read_text().replace("12345", "9" * 100_000))
    done = zarrscope("tree", tmp_path / "a.zarr")
    assert done.status == 1
    assert "an integer has more digits than any program reads" in done.text + done.stderr


def test_a_long_label_is_apart_from_its_value(zarrscope: Run, tmp_path: Path) -> None:
    data = zc.create(tmp_path / "a.zarr")
    data.attributes.update({"NX_class": "NXdata", "signal": "a", "auxiliary_signals": ["b"]})
    for name in ("a", "b"):
        data.create_array(name, shape=(3,), dtype="f4")
    assert "\nauxiliary signals b\n" in zarrscope("info", tmp_path / "a.zarr").text
