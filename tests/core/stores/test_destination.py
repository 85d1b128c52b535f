"""Names of files and databases are not made into folders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import zarrcore
from zarrcore.errors import SelectionError
from zarrcore.stores.destination import check_destination


@pytest.mark.parametrize("name", ["a.h5", "A.NC", "a.tif", "a.nii.gz", "a.nrrd", "a.sqlite", "a.lmdb"])
def test_the_library_makes_no_folder_that_has_the_name_of_a_file(tmp_path: Path, name: str) -> None:
    source = zarrcore.create(tmp_path / "s.zarr")
    source.create_array("x", data=np.arange(3))
    place = tmp_path / name
    for make in (
        lambda: zarrcore.create(place),
        lambda: zarrcore.open(place, mode="w"),
        lambda: zarrcore.open(place, mode="a"),
        lambda: zarrcore.copy(source, place),
    ):
        with pytest.raises(SelectionError, match=r"has the name of|is the name of a database"):
            make()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.zarr"]
    assert zarrcore.copy(source, f"{place}/").arrays == 1
    assert zarrcore.open(place, mode="r+")["x"][...].tolist() == [0, 1, 2]
    assert (place / "zarr.json").exists()


@pytest.mark.parametrize(
    "text", ["a.zarr", "a.n5", "a", "a.zip", "a.json", "s3://bucket/a.h5", "a.h5/", "a.zip|zip:x.h5"]
)
def test_all_other_names_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)
    check_destination(text)


def test_a_title_and_advice_of_the_caller_are_said(tmp_path: Path) -> None:
    with pytest.raises(SelectionError, match=r"name of a NumPy file: use cat, and .*a\.npy/ names a folder"):
        check_destination(f"{tmp_path}/a.npy", title="NumPy file", advice="use cat, and ")
