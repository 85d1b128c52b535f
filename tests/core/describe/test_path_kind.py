"""Files and folders are named by what they would be opened as."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
import tifffile

import zarrcore as zc
from zarrcore.describe import FOLDER, kind_of_path


@pytest.mark.parametrize(
    ("format_name", "title"), [("v3", "Zarr v3"), ("v2", "Zarr v2"), ("n5", "N5"), ("v1", "Zarr v1")]
)
def test_a_folder_is_named_by_its_format(format_name: str, title: str, tmp_path: Path) -> None:
    place = tmp_path / "a"
    if format_name == "v1":
        place.mkdir()
        (place / "meta").write_text(
            '{"zarr_format": 1, "shape": [2], "chunks": [2], "dtype": "|u1", "fill_value": 0, "order": "C", '
            '"compression": "zlib", "compression_opts": 1}'
        )
    else:
        zc.create(place, format=format_name)
    assert kind_of_path(str(place)) == title


def test_files_are_named_by_their_content(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.dat", "w") as file:
        file["x"] = [1]
    tifffile.imwrite(tmp_path / "b", np.zeros((4, 4), np.uint8))
    zc.create(tmp_path / "c.zip")
    (tmp_path / "d.json").write_text('{"version": 1, "refs": {".zgroup": "{\\"zarr_format\\": 2}"}}')
    named = {one.name: kind_of_path(str(one)) for one in tmp_path.iterdir()}
    assert named == {
        "a.dat": "HDF5 file",
        "b": "TIFF file",
        "c.zip": "zip file",
        "d.json": "reference document",
    }


def test_what_is_neither_is_a_folder_or_nothing(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("plain")
    (tmp_path / "a.tar").write_bytes(bytes(257) + b"ustar" + bytes(300))
    (tmp_path / "broken.zarr").mkdir()
    (tmp_path / "broken.zarr" / "zarr.json").write_text("{")
    assert kind_of_path(str(tmp_path)) == FOLDER
    for name in ("notes.txt", "a.tar", "missing"):
        assert kind_of_path(str(tmp_path / name)) == ""
    assert kind_of_path(str(tmp_path / "broken.zarr")) in ("", "Zarr v3")
