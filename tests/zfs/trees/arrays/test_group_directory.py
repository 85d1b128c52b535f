"""Groups, and nodes that cannot be shown, as directories."""

from __future__ import annotations

import errno
import io
import json
from pathlib import Path

import numpy as np
import pytest

import zarrcore as zc
from tests.zfs.trees.entries import Remote, arrays, content, fresh, names, walk
from zarrcore.errors import (
    MetadataError,
    NodeNotFoundError,
    ReadOnlyError,
    StoreTimeoutError,
    UnsupportedError,
)
from zarrfs.trees.arrays.group_directory import ErrorDirectory
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.entry import Directory
from zarrfs.trees.errors import RefusedError, WouldBlockError
from zarrfs.trees.writing.spool import SpoolMemory


def test_a_group_is_a_directory_of_nodes_and_documents(small: Path) -> None:
    root = arrays(small)
    assert sorted(names(root)) == ["attributes.json", "broken", "cube", "metadata.json", "text"]
    assert json.loads(content(walk(root, "attributes.json"))) == {"title": "é"}
    # A node wins over a virtual file of the same name.
    assert isinstance(walk(root, "metadata.json"), Directory)
    assert walk(root, "nothing") is None


def test_a_broken_array_says_why(small: Path) -> None:
    broken = walk(arrays(small), "broken")
    assert names(broken) == ["document.json", "error.txt"]
    assert content(walk(broken, "document.json")) == (small / "broken" / "zarr.json").read_bytes()
    reason = content(walk(broken, "error.txt")).decode()
    assert "no-such-codec" in reason
    assert reason.count("\n") == 1


@pytest.fixture
def writable(tmp_path: Path) -> Directory:
    """The root of a hierarchy that can be changed, with the array ``a`` and the group ``g``."""
    hierarchy = zc.create(tmp_path / "h.zarr")
    hierarchy.create_array("/a", shape=(2,), dtype="u1")[...] = [1, 2]
    hierarchy.create_group("/g")
    tree = ArraysTree(
        lambda: zc.open_hierarchy(tmp_path / "h.zarr", "r+"), fresh(), memory=SpoolMemory(1 << 20)
    )
    return tree.root(True)


def npy(values: object) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


def test_a_file_of_numpy_becomes_an_array_that_still_opens_by_its_old_name(writable: Directory) -> None:
    content_of_file = npy(np.arange(3, dtype="<i2"))
    file = writable.create("ä.npy", True)
    file.write(0, content_of_file, True)
    found = writable.lookup("ä.npy", True)
    assert found is file.shown
    assert writable.lookup("ä", True) is None
    file.store(closing=True)
    file.close()
    assert "ä" in names(writable)
    assert "ä.npy" not in names(writable)
    assert content(walk(writable, "ä.npy")) == content(walk(writable, "ä", "data.npy")) == content_of_file


@pytest.mark.parametrize("name", ["a.txt", ".npy", "npy", "zarr.json"])
def test_other_files_cannot_become_arrays(name: str, writable: Directory) -> None:
    with pytest.raises(
        RefusedError, match=r"cannot become an array: here, X\.npy becomes the array X"
    ) as caught:
        writable.create(name, True)
    assert caught.value.errno == errno.EPERM


def test_nodes_are_made_but_neither_removed_nor_renamed(writable: Directory) -> None:
    made = writable.make_directory("new", True)
    assert names(made) == ["metadata.json", "attributes.json"]
    assert "new" in names(writable)
    for change in (
        lambda: writable.remove("a", True),
        lambda: writable.remove_directory("g", True),
        lambda: writable.rename("a", writable, "b", True, True),
        lambda: writable.copy(walk(writable, "metadata.json"), "b", True),
    ):
        with pytest.raises(RefusedError, match="cannot be removed or renamed here") as caught:
            change()
        assert caught.value.errno == errno.EPERM
    with pytest.raises(RefusedError, match="write its percent signs as %25") as caught:
        writable.make_directory(".", True)
    assert caught.value.errno == errno.EINVAL


def test_an_attribute_of_a_group_is_set_in_its_document(writable: Directory, tmp_path: Path) -> None:
    writable.set_metadata("attributes.title", '"é"'.encode())
    assert dict(zc.open_hierarchy(tmp_path / "h.zarr").root.attributes) == {"title": "é"}
    writable.set_metadata("attributes.title", None)
    assert dict(zc.open_hierarchy(tmp_path / "h.zarr").root.attributes) == {}


def test_a_read_only_group_refuses_every_change(small: Path) -> None:
    root = arrays(small)
    assert (root.mode, root.is_writable) == (0o555, False)
    for change in (
        lambda: root.create("new.npy", True),
        lambda: root.make_directory("new", True),
        lambda: root.remove("cube", True),
        lambda: root.rename("cube", root, "b", True, True),
        lambda: root.set_metadata("attributes.a", b"1"),
    ):
        with pytest.raises(ReadOnlyError, match="this mount is read-only"):
            change()


def test_changes_wait_in_a_worker(writable: Directory) -> None:
    for change in (lambda: writable.create("b.npy", False), lambda: writable.make_directory("b", False)):
        with pytest.raises(WouldBlockError):
            change()


def test_the_document_of_a_broken_node_of_a_remote_store_waits_in_a_worker() -> None:
    store = Remote({"zarr.json": b'{"zarr_format": 3, "node_type": "group"}', "b/zarr.json": b"{"})
    broken = walk(ArraysTree(lambda: zc.open_hierarchy(store), fresh()).root(True), "b")
    with pytest.raises(WouldBlockError):
        broken.lookup("document.json", False)
    assert content(broken.lookup("document.json", True)) == b"{"
    with pytest.raises(MetadataError, match=r"b/zarr\.json"):
        broken.lookup("data.npy", True)


def test_a_reason_is_shown_in_place_of_a_tree() -> None:
    for error in (
        UnsupportedError("größe", "é"),
        NodeNotFoundError("/é", "größe"),
        StoreTimeoutError("größe"),
    ):
        directory = ErrorDirectory(error)
        assert names(directory) == ["error.txt"]
        assert content(walk(directory, "error.txt")) == f"{error}\n".encode()


def test_only_where_nothing_is_stored_are_names_absent() -> None:
    absent = ErrorDirectory(NodeNotFoundError("/", "memory://a"))
    assert absent.lookup("other", False) is None
    for error, raised in (
        (UnsupportedError("codec", "x"), MetadataError),
        (MetadataError("damaged"), MetadataError),
        (StoreTimeoutError("late"), StoreTimeoutError),
    ):
        with pytest.raises(raised):
            ErrorDirectory(error).lookup("other", False)


def test_a_bare_pyramid_of_n5_is_an_image(tmp_path: Path) -> None:
    hierarchy = zc.create(tmp_path / "a.n5", format="n5")
    for name, side in (("scan/s0", 64), ("scan/s1", 32), ("other/a", 64)):
        hierarchy.create_array(name, shape=(side, side), dtype="uint8", chunks=(32, 32))
    root = arrays(tmp_path / "a.n5")
    image = walk(root, "scan", "image.ome.tiff")
    assert image is not None
    assert content(image)[:2] == b"II"
    assert walk(root, "other", "image.ome.tiff") is None
