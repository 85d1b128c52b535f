"""Arrays that were deleted since metadata were consolidated: an array that is not there has no fill values."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore
from tests.core.hierarchy.stores import Remote
from zarrcore.array import ChunkCache
from zarrcore.cli.main import main
from zarrcore.errors import AccessDeniedError, BrokenReferenceError, StoreError
from zarrcore.interop.plain_zarr import PlainZarrStore
from zarrcore.interop.zarr import ZarrcoreStore
from zarrcore.stores import MemoryStore, StoreStat

VALUES = np.arange(1, 65).reshape(8, 8)


class Watched(Remote):
    """Counts what is asked for, with or without the value; one document may be refused."""

    refused = ""

    def stat(self, key: str) -> StoreStat | None:
        self.got.append(key)
        if key == self.refused:
            raise AccessDeniedError(f"{key} is refused", key=key, url=self.url)
        return super().stat(key)


def deleted_since(folder: Path, zarr_format: Any, *names: str) -> Watched:
    """A remote store of arrays that zarr-python wrote and consolidated; then some were deleted."""
    root = zarr.open_group(folder, mode="w", zarr_format=zarr_format)
    root.create_array("full", data=VALUES, chunks=(4, 4))
    root.create_array("sparse", shape=(8, 8), chunks=(2, 2), dtype="i4")[:2, :2] = 7
    root.create_array("gone", data=VALUES, chunks=(4, 4))
    if zarr_format == 3:
        root.create_array("shards", data=VALUES, chunks=(2, 2), shards=(4, 4))
    with warnings.catch_warnings(
        action="ignore", category=zarr.errors.ZarrUserWarning
    ):  # those of version 3 are no standard
        zarr.consolidate_metadata(folder, zarr_format=zarr_format)
    values = {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }
    return Watched({key: value for key, value in values.items() if not key.startswith(names)})


def documents(store: Watched) -> list[str]:
    """The documents of arrays that were asked for; those of the root are asked for by threads that may be late."""
    return [key for key in store.got if key.endswith(("/zarr.json", "/.zarray"))]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_reading_one_is_an_error(tmp_path: Path, zarr_format: int) -> None:
    store = deleted_since(tmp_path / "a.zarr", zarr_format, "gone", "shards")
    hierarchy = zarrcore.open_hierarchy(store)
    for name in ("gone", *(("shards",) if zarr_format == 3 else ())):
        array = hierarchy[name]
        for one in (array, array.with_chunk_cache(ChunkCache(1 << 20))):
            for select in (np.s_[...], np.s_[3, 5]):
                with pytest.raises(BrokenReferenceError, match=f"include it, but {name}/.*does not exist"):
                    one[select]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_the_document_is_asked_for_only_once_and_only_if_a_chunk_is_missing(
    tmp_path: Path, zarr_format: int
) -> None:
    store = deleted_since(tmp_path / "a.zarr", zarr_format, "gone")
    hierarchy = zarrcore.open_hierarchy(store)
    full, sparse = hierarchy["full"], hierarchy["sparse"]
    store.got.clear()
    np.testing.assert_array_equal(full[...], VALUES)
    assert documents(store) == []
    for _ in range(2):
        assert (sparse[...].sum(), sparse[7, 7]) == (4 * 7, 0)
    assert documents(store) == [f"sparse/{'.zarray' if zarr_format == 2 else 'zarr.json'}"]


def test_only_the_store_says_that_it_is_gone(tmp_path: Path) -> None:
    store = deleted_since(tmp_path / "a.zarr", 3, "gone")
    store.refused = "gone/zarr.json"
    with pytest.raises(StoreError, match="is refused"):
        zarrcore.open_hierarchy(store)["gone"][...]


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("options", [{}, {"format": "v2"}, {"chunks": (8, 8)}])
def test_a_copy_is_no_array_of_fill_values(tmp_path: Path, zarr_format: int, options: Any) -> None:
    store = deleted_since(tmp_path / "a.zarr", zarr_format, "gone", "shards")
    with pytest.raises(BrokenReferenceError, match="consolidate again"):
        zarrcore.copy(store, MemoryStore(), **options)
    store = deleted_since(tmp_path / "a.zarr", zarr_format)
    copy = MemoryStore()
    zarrcore.copy(store, copy)
    assert zarrcore.open_hierarchy(copy)["sparse"][...].sum() == 4 * 7


def test_readers_of_plain_zarr_get_no_fill_values(tmp_path: Path) -> None:
    hierarchy = zarrcore.open_hierarchy(deleted_since(tmp_path / "a.zarr", 3, "gone"))
    plain = zarr.open_group(ZarrcoreStore(PlainZarrStore(hierarchy)), mode="r")
    with pytest.raises(BrokenReferenceError):
        plain["gone"][...]
    np.testing.assert_array_equal(plain["full"][...], VALUES)


def test_info_warns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    store = deleted_since(tmp_path / "a.zarr", 3, "gone")
    monkeypatch.setattr("zarrcore.cli.source.source_store", lambda namespace: store)
    for name, is_warned in (("gone", True), ("full", False)):
        assert main(["info", "memory://a", name]) == 0
        assert ("warning: no node /gone" in capsys.readouterr().err) == is_warned


@pytest.mark.parametrize("name", ["gone", "shards"])
def test_a_folder_whose_consolidated_metadata_are_used_is_no_exception(tmp_path: Path, name: str) -> None:
    deleted_since(tmp_path / "a.zarr", 3)
    shutil.rmtree(tmp_path / "a.zarr" / name)
    array = zarrcore.open_hierarchy(tmp_path / "a.zarr", believe_consolidated=True)[name]
    for select in (np.s_[...], np.s_[3, 5], np.s_[:, [0, 2, 3]]):
        with pytest.raises(BrokenReferenceError, match="consolidate again"):
            array[select]
    with pytest.raises(BrokenReferenceError):
        array.vindex[[1, 2], [3, 4]]
