"""Changing a hierarchy through its files: which arrays are open for writing, new nodes, attributes."""

from __future__ import annotations

import errno

import numpy as np
import pytest

import zarrcore as zc
from zarrcore.errors import ChangedError, NodeExistsError
from zarrcore.hierarchy import ArrayNode, Hierarchy
from zarrcore.stores import MemoryStore
from zarrfs.trees.errors import RefusedError
from zarrfs.trees.writing.array_editor import ArrayEditor
from zarrfs.trees.writing.spool import SpoolMemory


@pytest.fixture
def hierarchy() -> Hierarchy:
    made = zc.create(MemoryStore())
    made.root.attributes = {"by": "a test"}
    made.create_array("/a", shape=(4,), dtype="u1", chunks=(2,))[...] = [1, 2, 3, 4]
    return made


@pytest.fixture
def editor(hierarchy: Hierarchy) -> ArrayEditor:
    return ArrayEditor(lambda: hierarchy, SpoolMemory(1 << 20))


def array(hierarchy: Hierarchy, path: str = "/a") -> ArrayNode:
    node = hierarchy[path]
    assert isinstance(node, ArrayNode)
    return node


def test_all_writers_of_an_array_share_its_edits_until_the_last_one_closes(
    hierarchy: Hierarchy, editor: ArrayEditor
) -> None:
    node = array(hierarchy)
    assert editor.edits(node) is None
    edits = editor.open(node)
    assert editor.open(node) is edits is editor.edits(node)
    editor.close("/a", edits)
    assert editor.edits(node) is edits
    editor.close("/a", edits)
    assert editor.edits(node) is None


def test_each_write_is_a_change_and_so_is_dropping_data_that_was_not_stored(
    hierarchy: Hierarchy, editor: ArrayEditor
) -> None:
    node = array(hierarchy)
    edits = editor.open(node)
    assert editor.changes("/a") == 0
    edits.write(0, b"\7", True)
    assert (editor.changes("/a"), editor.changes("/b")) == (1, 0)
    edits.store()
    editor.close("/a", edits)
    assert (editor.changes("/a"), node[...].tolist()) == (1, [7, 2, 3, 4])
    edits = editor.open(node)
    edits.write(1, b"\7", True)
    editor.close("/a", edits)
    assert (editor.changes("/a"), node[...].tolist()) == (3, [7, 2, 3, 4])


def test_an_array_replaced_while_it_is_written_is_neither_opened_nor_stored(
    hierarchy: Hierarchy, editor: ArrayEditor
) -> None:
    edits = editor.open(array(hierarchy))
    edits.write(0, b"\7", True)
    other = zc.open_hierarchy(hierarchy.store, "r+")
    other.erase("/a")
    replaced = other.create_array("/a", shape=(5,), dtype="u1", chunks=(2,))
    assert editor.edits(replaced) is None
    with pytest.raises(ChangedError, match="is no longer the array that was opened"):
        editor.open(replaced)
    with pytest.raises(ChangedError):
        edits.store()
    other.erase("/a")
    with pytest.raises(ChangedError):
        edits.store()
    editor.close("/a", edits)


def test_new_nodes_need_a_free_name_that_the_format_allows(hierarchy: Hierarchy, editor: ArrayEditor) -> None:
    assert editor.make_group("/täglich/äußer").path == "/täglich/äußer"
    with pytest.raises(NodeExistsError):
        editor.make_group("/a")
    for path, number in (
        ("/a", errno.EEXIST),
        ("/zarr.json", errno.EINVAL),
        ("/__reserved", errno.EINVAL),
        ("/n\0l", errno.EINVAL),
    ):
        with pytest.raises(RefusedError) as caught:
            editor.make_array(path)
        assert caught.value.errno == number, path
    with pytest.raises(RefusedError, match="no node in Zarr v3 can have the name zarr"):
        editor.make_group("/zarr.json")
    assert sorted(node.path for node in hierarchy.root.children()) == ["/a", "/täglich"]


def test_a_new_array_has_one_writer_at_a_time(editor: ArrayEditor) -> None:
    new = editor.make_array("/new")
    assert editor.news == {"/new": new}
    with pytest.raises(RefusedError, match="/new is being written") as caught:
        editor.make_array("/new")
    assert caught.value.errno == errno.EBUSY
    new.close()
    assert editor.news == {}
    editor.make_array("/new").close()


def test_attributes_are_json_and_the_others_are_kept(hierarchy: Hierarchy, editor: ArrayEditor) -> None:
    for path in ("/", "/a"):
        node = hierarchy[path]
        editor.set_attribute(node, "attributes.é", '{"a": [1, "é"]}'.encode())
        editor.set_attribute(node, "attributes.none", b"null")
        editor.set_attribute(node, "attributes.é", b"2")
        assert dict(hierarchy[path].attributes).items() >= {"é": 2, "none": None}.items()
        editor.set_attribute(node, "attributes.none", None)
        assert "none" not in hierarchy[path].attributes
    assert dict(hierarchy["/"].attributes) == {"by": "a test", "é": 2}


@pytest.mark.parametrize(
    ("fact", "text", "number", "words"),
    [
        ("attributes.x", b"metres", errno.EINVAL, "not JSON; write text in double quotes"),
        ("attributes.x", b"NaN", errno.EINVAL, "not JSON"),
        ("attributes.x", b"\xff", errno.EINVAL, "not JSON"),
        ("attributes.x", b"", errno.EINVAL, "not JSON"),
        ("attributes.x", b"[" * 30_000, errno.EINVAL, "not JSON"),
        ("attributes.x", None, errno.ENODATA, "/a has no attribute x"),
        ("shape", b"[1]", errno.EPERM, "shape of /a cannot be set: only attributes attributes.NAME can"),
    ],
)
def test_attributes_that_cannot_be_set_are_refused(
    fact: str, text: bytes | None, number: int, words: str, hierarchy: Hierarchy, editor: ArrayEditor
) -> None:
    with pytest.raises(RefusedError, match=words) as caught:
        editor.set_attribute(hierarchy["/a"], fact, text)
    assert caught.value.errno == number
    assert dict(hierarchy["/a"].attributes) == {}


def test_attributes_of_a_node_that_cannot_be_parsed_are_refused(editor: ArrayEditor) -> None:
    store = MemoryStore(
        values={"zarr.json": b'{"zarr_format": 3, "node_type": "group"}', "b/zarr.json": b"{}"}
    )
    broken = next(iter(zc.open_hierarchy(store).root.children()))
    with pytest.raises(RefusedError) as caught:
        editor.set_attribute(broken, "attributes.x", b"1")
    assert caught.value.errno == errno.EPERM
    assert np.frombuffer(store.get("b/zarr.json") or b"", "u1").tobytes() == b"{}"
