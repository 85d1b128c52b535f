"""Destinations with the name of a database or a file, as a person types them."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.command import Run


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    zarr.create_group(tmp_path / "h.zarr").create_array("x", data=np.arange(6), chunks=(3,))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "h.zarr"


@pytest.mark.parametrize(
    ("name", "scheme", "title"),
    [
        ("w.sqlite", "sqlite", "an SQLite file"),
        ("W.DB", "sqlite", "an SQLite file"),
        ("w.lmdb", "lmdb", "an LMDB database"),
    ],
)
def test_a_database_is_named_by_its_url(
    zarrscope: Run, source: Path, tmp_path: Path, name: str, scheme: str, title: str
) -> None:
    place = tmp_path / name
    failed = zarrscope("copy", source, place)
    database = f"{place} is the name of a database: write {scheme}://{place} for {title}"
    assert failed.stderr == f"zarrscope: {database}, or {place}/ for a folder of that name\n"
    assert failed.status == 2
    assert not place.exists()
    assert zarrscope("copy", source, f"{scheme}://{place}").status == 0
    assert "x  6  int64" in zarrscope("tree", f"{scheme}://{place}").text
    failed = zarrscope("copy", source, place)  # it exists now: nothing is written into its files
    assert failed.status == 2
    assert failed.stderr.endswith(f"write {scheme}://{place} for {title}\n")


def test_a_folder_with_such_a_name_is_written_to(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    place = tmp_path / "w.sqlite"
    assert zarrscope("copy", source, f"{place}/").status == 0
    assert zarr.open_group(place, mode="r")["x"][...].sum() == 15
    assert zarrscope("copy", source, place, "--overwrite").status == 0


def test_a_new_hierarchy_asks_for_the_url_too(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    words = ("x", "--shape", "4", "--dtype", "int16")
    failed = zarrscope("create", tmp_path / "w.db", *words)
    assert failed.status == 2
    assert f"write sqlite://{tmp_path}/w.db for an SQLite file" in failed.stderr
    assert sorted(os.listdir(tmp_path)) == [source.name]
    assert zarrscope("create", f"sqlite://{tmp_path}/w.db", *words).status == 0
    with closing(sqlite3.connect(tmp_path / "w.db")) as database:
        assert database.execute("select count(*) from zarr").fetchone() != (0,)


def test_urls_and_files_of_other_kinds_keep_their_own_errors(
    zarrscope: Run, source: Path, tmp_path: Path
) -> None:
    assert zarrscope("copy", source, f"file://{tmp_path}/u.db").status == 0
    (tmp_path / "note.db").write_text("not a database")
    failed = zarrscope("copy", source, tmp_path / "note.db")
    assert "neither a folder nor a file of a known kind" in failed.stderr


def test_a_database_that_is_opened_as_a_file_names_its_url(
    zarrscope: Run, source: Path, tmp_path: Path
) -> None:
    place = tmp_path / "w.db"
    assert zarrscope("copy", source, f"sqlite://{place}").status == 0
    failed = zarrscope("tree", place)
    assert failed.stderr == f"zarrscope: {place} is an SQLite file: write sqlite://{place}\n"
    place = tmp_path / "w.lmdb"
    assert zarrscope("copy", source, f"lmdb://{place}").status == 0
    for words in (("tree", place), ("info", f"{place}/"), ("set", place, "x", "unit=mm")):
        failed = zarrscope(*words)
        assert (failed.status, failed.stderr) == (
            1,
            f"zarrscope: {place} is an LMDB database: write lmdb://{place}\n",
        )
    (place / "data.mdb").rename(tmp_path / "w.mdb")  # which LMDB can open, too
    place = tmp_path / "w.mdb"
    failed = zarrscope("tree", place)
    assert failed.stderr == f"zarrscope: {place} is an LMDB database: write lmdb://{place}\n"
    assert "x  6  int64" in zarrscope("tree", f"lmdb://{place}").text


def test_a_file_with_the_name_of_a_database_hides_no_hierarchy(
    zarrscope: Run, source: Path, tmp_path: Path
) -> None:
    (source / "data.mdb").write_bytes(bytes(16) + b"\xde\xc0\xef\xbe")
    assert "x  6  int64" in zarrscope("tree", source).text
    (tmp_path / "other").mkdir()
    (tmp_path / "other/data.mdb").write_text("not a database")
    assert "holds no hierarchy" in zarrscope("tree", tmp_path / "other").stderr


def test_a_repository_is_never_offered_a_database(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    place = tmp_path / "w.db"
    failed = zarrscope("copy", source, place, "--to", "icechunk")
    assert (
        failed.stderr
        == f"zarrscope: {place} is the name of a database: write {place}/ for a folder of that name\n"
    )
    assert failed.status == 2
    place.symlink_to("nowhere")
    failed = zarrscope("copy", source, place, "--to", "icechunk")
    assert failed.stderr.endswith("is the name of a database: write to another place\n")


@pytest.mark.parametrize(
    ("name", "title", "is_written"),
    [
        ("w.h5", "an HDF5 file", True),
        ("w.nc", "a NetCDF file", True),
        ("w.tif", "a TIFF file", True),
        ("w.ome.tiff", "a TIFF file", True),
        ("w.nrrd", "a NRRD file", True),
        ("w.npy", "a NumPy file", True),
        ("w.nii", "a NIfTI file", False),
        ("W.NII.GZ", "a NIfTI file", False),
        ("w.h5ad", "an HDF5 file", True),
    ],
)
def test_a_folder_with_the_name_of_a_file_is_refused(
    zarrscope: Run, source: Path, tmp_path: Path, name: str, title: str, is_written: bool
) -> None:
    place = tmp_path / name
    would = f"zarrscope: {place} would be a folder, but has the name of {title}: "
    way = f"zarrscope cat … -o {place} writes such a file, and " if is_written else ""
    failed = zarrscope("copy", source, place)
    assert (failed.status, failed.stderr) == (2, f"{would}{way}{place}/ names a folder\n")
    for words in (
        ("create", place, "x", "--shape", "4", "--dtype", "int16"),
        ("copy", source, place, "--to", "icechunk"),
    ):
        failed = zarrscope(*words)
        assert (failed.status, failed.stderr) == (2, f"{would}{place}/ names a folder\n")
    assert sorted(os.listdir(tmp_path)) == [source.name]


@pytest.mark.parametrize(
    "name", ["w.h5", "w.nc", "w.tif", "w.tiff", "w.ome.tiff", "w.nrrd", "w.npy", "w.hdf5"]
)
def test_what_the_refusal_names_writes_such_a_file(
    zarrscope: Run, source: Path, tmp_path: Path, name: str
) -> None:
    zarrscope("create", source, "plane", "--shape", "4,5", "--dtype", "int16")
    outcome = zarrscope("cat", source, "plane", "-o", tmp_path / name)
    assert (outcome.status, (tmp_path / name).is_file()) == (0, True), outcome.stderr


def test_a_folder_with_the_name_of_a_file_is_made_where_it_is_named_so(
    zarrscope: Run, source: Path, tmp_path: Path
) -> None:
    assert zarrscope("copy", source, f"{tmp_path}/w.h5/").status == 0
    assert zarrscope("copy", source, tmp_path / "w.h5", "--overwrite").status == 0
    assert "x  6  int64" in zarrscope("tree", tmp_path / "w.h5").text
    assert zarrscope("create", tmp_path / "w.h5", "y", "--group").status == 0
    assert zarrscope("copy", source, tmp_path / "w.zip").status == 0
