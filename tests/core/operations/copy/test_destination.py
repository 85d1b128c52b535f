"""Destinations that are refused, and those that are overwritten."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.core.operations.copy.copying import DATA, EXPECTED, copy, read_by_zarr
from zarrcore.errors import NodeExistsError
from zarrcore.operations.copy import plan_copy
from zarrcore.operations.copy.destination import prepare
from zarrcore.stores import open_store


@pytest.mark.parametrize("inside", ["", "inside", ".."])
def test_the_source_cannot_be_the_destination(source: Path, inside: str) -> None:
    before = sorted(source.rglob("*"))
    with pytest.raises(zc.SelectionError, match="source itself"):
        copy(source, (source / inside).resolve(), overwrite=True)
    assert [path for path in sorted(source.rglob("*")) if path.name != "inside"] == before


def test_existing_data_is_only_overwritten_on_request(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "t"
    zarr.create_group(target).create_array("old", data=DATA)
    with pytest.raises(NodeExistsError, match="a hierarchy of Zarr v3"):
        copy(source, target)
    assert (target / "old").exists()
    copy(source, target, overwrite=True)
    assert not (target / "old").exists()
    assert np.array_equal(read_by_zarr(target / "a"), EXPECTED)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/letter.txt").write_text("precious")
    for overwrite in (False, True):
        with pytest.raises(NodeExistsError, match=r"letter\.txt"):
            copy(source, tmp_path / "full", overwrite=overwrite)
    assert (tmp_path / "full/letter.txt").exists()


def test_the_folder_of_a_zip_file_cannot_be_its_destination(source: Path, tmp_path: Path) -> None:
    zc.create(tmp_path / "full")
    with open_store(tmp_path / "full/a.zip", create=True) as target:
        copy(source, target)
    with pytest.raises(zc.SelectionError, match="is inside the other"):
        copy(tmp_path / "full/a.zip", tmp_path / "full", overwrite=True)
    with (
        pytest.raises(zc.SelectionError, match="is inside the other"),
        open_store(source / "new.zip", create=True) as target,
    ):
        copy(source, target)
    assert zc.open_hierarchy(tmp_path / "full/a.zip")["a"].shape == DATA.shape


def test_a_prefix_inside_the_source_cannot_be_the_destination(source: Path, tmp_path: Path) -> None:
    hierarchy = zc.open_hierarchy(source)
    plan = plan_copy(hierarchy)
    for one, other in [("data/x", "data/x"), ("data/x", "data"), ("data", "data/x")]:
        target = open_store(f"s3://bucket/{other}")
        for options in ({}, {"cache_dir": tmp_path / "cache"}):
            with pytest.raises(zc.SelectionError, match="is inside the other"):
                prepare(
                    plan,
                    open_store(f"s3://bucket/{one}", anonymous=True, **options),
                    target,
                    overwrite=True,
                )
