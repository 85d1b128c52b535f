"""Files with one array as the keys of a hierarchy."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import numpy as np
import pytest

import zarrcore
from zarrcore.errors import StoreError
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores import LocalStore, MemoryStore
from zarrcore.stores.virtual.file_image import Axis, FileImage, Place
from zarrcore.stores.virtual.file_reader import BrokenFileError
from zarrcore.stores.virtual.image_file import ImageFile, Read


class Pages(ImageFile):
    """A file of pages of 2000 × 1000 bytes; its first byte is their number, and the elements are in other files."""

    presents = "pages"

    def parse(self, read: Read) -> FileImage:
        if not read(1):
            raise BrokenFileError("it is empty")
        number = read(1)[0]
        axes = tuple(Axis(name, "space") for name in "zyx")
        places = tuple(Place(self.elements(f"p{page}"), f"p{page}", 0) for page in range(number))
        return FileImage(np.dtype("u1"), (3 * number, 2000, 1000), axes, places, {})


def pages(number: int = 2) -> tuple[Pages, np.ndarray]:
    values = np.random.default_rng(0).integers(0, 9, (3 * number, 2000, 1000), "u1")
    content = {f"p{page}": values[3 * page : 3 * page + 3].tobytes() for page in range(number)}
    content["p1"] = gzip.compress(content["p1"], 1)
    return Pages(MemoryStore("", {"a": bytes([number]), **content}), "a", "memory://a"), values


def test_elements_in_several_files_some_of_them_compressed() -> None:
    store, values = pages()
    with open_place(store) as hierarchy:
        array = hierarchy.node("/0")
        assert np.array_equal(array[...], values)
        assert np.array_equal(array[4, 5], values[4, 5])
    names = [f"0/c/{page}/0/0" for page in range(6)]
    assert [entry.key for entry in store.list_prefix("")] == ["zarr.json", "0/zarr.json", *names]
    assert [entry.key for entry in store.list_dir("")] == ["zarr.json", "0/"]
    assert [entry.key for entry in store.list_dir("0/")] == ["0/zarr.json", "0/c/"]
    assert [entry.key for entry in store.list_dir("0/c/")] == [f"0/c/{page}/" for page in range(6)]
    assert [entry.key for entry in store.list_dir("0/c/3/0/")] == ["0/c/3/0/0"]
    assert [*store.list_dir("other/")] == []


def test_missing_files_are_not_listed_and_are_errors_when_they_are_read() -> None:
    store, values = pages()
    assert isinstance(store.source, MemoryStore)
    store.source.erase("p0")
    assert [entry.key for entry in store.list_prefix("0/c/")] == [f"0/c/{page}/0/0" for page in (3, 4, 5)]
    with open_place(store) as hierarchy:
        assert np.array_equal(hierarchy.node("/0")[3:], values[3:])
        with pytest.raises(StoreError, match=r"of p0 in .*, which does not exist"):
            hierarchy.node("/0")[2]


@pytest.mark.parametrize(
    "key",
    [
        "x",
        "1/zarr.json",
        "0/c",
        "0/c/0/0",
        "0/c/0/0/0/0",
        "0/c/6/0/0",
        "0/c/00/0/0",
        "0/c/a/0/0",
        "0/d/0/0/0",
    ],
)
def test_other_keys_are_absent(key: str) -> None:
    store, _ = pages()
    assert (store.get(key), store.stat(key)) == (None, None)


def test_a_local_file_that_is_replaced_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.stores.virtual.parsed_file._CHECKED_EACH_S", -1.0)
    (tmp_path / "a").write_bytes(b"\1")
    store = Pages(LocalStore(tmp_path), "a", "a")
    assert b"[3, 2000, 1000]" in (store.get("0/zarr.json") or b"")
    (tmp_path / "a").write_bytes(b"\2 ")
    assert b"[6, 2000, 1000]" in (store.get("0/zarr.json") or b"")
    assert pickle.loads(pickle.dumps(store)).get("0/zarr.json") == store.get("0/zarr.json")
    store.refresh()
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(StoreError, match="a cannot be read as pages: the file is empty"):
        store.get("zarr.json")
    (tmp_path / "a").unlink()
    with pytest.raises(StoreError, match=r"does not exist$"):
        store.get("zarr.json")


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        zarrcore.open_hierarchy(tmp_path / "a.nii")
