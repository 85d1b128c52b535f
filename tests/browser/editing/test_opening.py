"""What can be opened for changes, and why the rest cannot."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import tifffile

from tests.browser.editing.places import example, write_example
from tests.servers.faults import fault_server
from zarrbrowser.editing.opening import check_permission, open_for_changes
from zarrbrowser.session.sources import SourceRequest
from zarrcore.errors import HierarchyNotFoundError, ReadOnlyError, StoreNotFoundError
from zarrcore.stores import LocalStore


def test_opening_writes_nothing(tmp_path: Path) -> None:
    write_example(tmp_path / "a.zarr")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    source = open_for_changes(SourceRequest(str(tmp_path / "a.zarr")))
    assert source.may_change
    assert source.traffic()[0] > 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_a_collection_is_refused(tmp_path: Path) -> None:
    write_example(tmp_path / "a.zarr")
    write_example(tmp_path / "b.zarr", "v2")
    with pytest.raises(ReadOnlyError, match="collection"):
        open_for_changes(SourceRequest(str(tmp_path)))


def test_a_place_without_a_hierarchy_is_not_made_one(tmp_path: Path) -> None:
    with pytest.raises(HierarchyNotFoundError):
        open_for_changes(SourceRequest(str(tmp_path)))
    with pytest.raises(StoreNotFoundError):
        open_for_changes(SourceRequest(str(tmp_path / "missing")))
    assert not any(tmp_path.iterdir())


def test_a_file_that_only_looks_like_a_hierarchy_is_refused(tmp_path: Path) -> None:
    tifffile.imwrite(tmp_path / "a.tif", np.zeros((20, 30), np.uint8))
    with pytest.raises(ReadOnlyError, match="cannot be written"):
        open_for_changes(SourceRequest(str(tmp_path / "a.tif")))


def test_a_web_server_is_refused(tmp_path: Path) -> None:
    write_example(tmp_path / "a.zarr")
    with fault_server() as server:
        server.values = {
            f"a.zarr/{file.relative_to(tmp_path / 'a.zarr').as_posix()}": file.read_bytes()
            for file in (tmp_path / "a.zarr").rglob("*")
            if file.is_file()
        }
        with pytest.raises(ReadOnlyError):
            open_for_changes(SourceRequest(f"{server.url}/a.zarr"))


def test_a_folder_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = example(tmp_path)
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    with pytest.raises(ReadOnlyError, match="no permission to change this folder"):
        open_for_changes(source.request)
    with pytest.raises(ReadOnlyError):
        check_permission(LocalStore(tmp_path))
