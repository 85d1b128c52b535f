"""OME-Zarr zip files: written as RFC 9 of OME-NGFF demands, and checked."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import zarrcore
from zarrcore.cli.main import main
from zarrcore.operations.check import check
from zarrcore.stores.zip.ome_zarr import DOCUMENT

ATTRIBUTES = {"ome": {"version": "0.5", "multiscales": []}}


def make(path: Path, attributes: dict = ATTRIBUTES) -> None:
    with zarrcore.create(path) as hierarchy:
        for name in ("/b/1/deep", "/a/0"):
            hierarchy.create_array(name, shape=(4, 4), chunks=(2, 2), dtype="uint8")[...] = 7
        hierarchy["/"].attributes = attributes


def names(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def findings(path: Path) -> list[str]:
    with zarrcore.open_hierarchy(path) as hierarchy:
        return [found.sentence for found in check(hierarchy) if found.what == "ome-zarr-zip"]


def test_a_new_file_has_its_documents_first_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "image.ozx"
    make(path)
    found = names(path)
    documents = [name for name in found if name.endswith(DOCUMENT)]
    assert found[: len(documents)] == documents
    assert documents == sorted(documents, key=lambda name: (name.count("/"), name))
    with zipfile.ZipFile(path) as archive:
        positions = [info.header_offset for info in archive.infolist()]
        assert positions == sorted(positions)
        assert json.loads(archive.comment) == {
            "ome": {"version": "0.5", "zipFile": {"centralDirectory": {"jsonFirst": True}}}
        }
        assert archive.testzip() is None
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
    # The locator of the ZIP64 end record stands before the end record.
    content = path.read_bytes()
    end = content.rindex(b"PK\x05\x06")
    assert content[end - 20 : end - 16] == b"PK\x06\x07"
    assert findings(path) == []


def test_other_programs_read_it(tmp_path: Path) -> None:
    path = tmp_path / "image.ozx"
    make(path)
    import zarr

    with zarr.storage.ZipStore(path, mode="r") as store:
        assert np.all(zarr.open_group(store, mode="r")["b/1/deep"][...] == 7)
    listing = subprocess.run(
        [sys.executable, "-m", "zipfile", "-t", str(path)], capture_output=True, text=True, check=True
    )
    assert "Done testing" in listing.stdout


def test_a_changed_file_no_longer_says_that_its_documents_come_first(tmp_path: Path) -> None:
    path = tmp_path / "image.ozx"
    make(path)
    with zarrcore.open_hierarchy(path, "r+") as hierarchy:
        hierarchy.create_array("/new", shape=(1,), dtype="uint8")
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.comment) == {"ome": {"version": "0.5"}}
    assert findings(path) == [
        "OME-NGFF RFC 9: the documents are not first in the directory, from the root down",
        "OME-NGFF RFC 9: it does not have the end records of ZIP64",
    ]
    with zarrcore.open_hierarchy(path) as hierarchy:
        assert hierarchy["/new"].shape == (1,)
        assert hierarchy["/a/0"][...].tolist() == [[7] * 4] * 4


@pytest.mark.parametrize("name", ["plain.zip", "plain.ozx"])
def test_other_zip_files_are_not_arranged(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    make(path, {} if name.endswith("ozx") else ATTRIBUTES)
    with zipfile.ZipFile(path) as archive:
        assert archive.comment == b""
    expected = ["has no attribute ome.version", "not first", "ZIP64", "does not name the version"]
    found = findings(path)
    assert len(found) == (len(expected) if name.endswith("ozx") else 0)
    assert all(part in sentence for part, sentence in zip(expected, found, strict=False))


def test_files_of_others_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "theirs.ozx"
    root = json.dumps({"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.6"}}})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/zarr.json", '{"zarr_format": 3, "node_type": "group"}', zipfile.ZIP_DEFLATED)
        archive.writestr("zarr.json", root)
        archive.comment = (
            b'{"ome": {"version": "0.5", "zipFile": {"centralDirectory": {"jsonFirst": true}}}}\0'
        )
    assert [sentence.removeprefix("OME-NGFF RFC 9: ") for sentence in findings(path)] == [
        "the documents are not first in the directory, from the root down, although the comment says so (jsonFirst)",
        "a/zarr.json is compressed by zip, so that parts of it cannot be read alone",
        "it does not have the end records of ZIP64",
        "the comment of the zip file says OME-Zarr 0.5, the root's zarr.json says 0.6",
    ]


def test_a_root_in_a_folder_of_the_zip_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "below.ozx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("image/zarr.json", '{"zarr_format": 3, "node_type": "group"}')
    assert findings(path) == [
        "OME-NGFF RFC 9: the root has no zarr.json, which must be in the root of the zip file"
    ]


def test_a_copy_to_ozx_is_arranged(tmp_path: Path) -> None:
    make(tmp_path / "source.zarr")
    assert main(["copy", str(tmp_path / "source.zarr"), str(tmp_path / "out.ozx")]) == 0
    assert findings(tmp_path / "out.ozx") == []
    assert names(tmp_path / "out.ozx")[0] == DOCUMENT
