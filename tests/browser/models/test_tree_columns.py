"""The text of each kind of row in the tree."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray, FakeBroken, FakeGroup, FakeHierarchy
from zarrbrowser.models.tree_columns import COLUMNS, icon_name, node_icon_name, tool_tip
from zarrbrowser.models.tree_item import Fetching, TreeItem
from zarrbrowser.session.sources import Source, SourceRequest
from zarrcore.errors import MetadataError


def texts(item: TreeItem) -> list[str]:
    return [column.text(item) for column in COLUMNS]


def image() -> FakeGroup:
    return FakeGroup({}, {"multiscales": [{"datasets": [{"path": "0"}]}]})


def source_row(root: Any, *, is_open: bool = True) -> TreeItem:
    """The row of a source, open or not yet."""
    item = TreeItem(None, root if is_open else None)
    item.request = SourceRequest("/data/fake.zarr")
    if is_open:
        item.source = Source(item.request, FakeHierarchy(root), root)
    return item


def test_an_array_has_its_shape_and_type() -> None:
    array = FakeArray(np.zeros((3, 4), np.int16))
    item = TreeItem(None, array)
    assert texts(item) == ["array", "3 × 4", "int16"]
    assert tool_tip(item) == "/array\n3 × 4  ·  int16"
    assert texts(TreeItem(None, FakeArray(np.zeros(())))) == ["array", "scalar", "float64"]


def test_a_group_that_is_an_image_says_so() -> None:
    group = FakeGroup({"levels": image(), "plain": FakeGroup()})
    assert texts(TreeItem(None, group.find("/levels"))) == ["levels", "", "image"]
    assert texts(TreeItem(None, group.find("/plain"))) == ["plain", "", ""]


def test_a_node_below_a_source_has_the_title_of_its_format() -> None:
    root = FakeGroup({"a": FakeGroup()})
    parent = source_row(root)
    assert texts(parent) == ["fake.zarr", "", ""]
    assert tool_tip(parent) == "fake.zarr\nZarr v3"
    assert tool_tip(TreeItem(parent, root.find("/a"))) == "/a\nZarr v3"


def test_a_source_that_is_not_open_says_why_not() -> None:
    item = source_row(FakeGroup(), is_open=False)
    assert texts(item) == ["fake.zarr", "opening…", ""]
    assert icon_name(item) == "source"
    item.fetching = Fetching.FAILED
    assert texts(item) == ["fake.zarr", "cannot be opened", ""]
    assert icon_name(item) == "broken"


def test_a_broken_node_has_its_error_as_tooltip() -> None:
    item = TreeItem(None, FakeBroken(MetadataError("expected a list")))
    assert texts(item) == ["broken", "cannot be read", ""]
    assert tool_tip(item) == "/broken\nExpected a list."


def test_a_range_is_named_by_its_ends() -> None:
    item = TreeItem(None)
    item.is_range = True
    root = FakeGroup({name: FakeArray(np.zeros(1)) for name in ("a1", "a2", "é")})
    item.children = [TreeItem(item, root.find(f"/{name}")) for name in ("a1", "a2", "é")]
    assert texts(item) == ["a1 … é", "3 nodes", ""]
    assert tool_tip(item) == "3 nodes"
    assert icon_name(item) == "range"


def test_a_note_is_about_its_parent() -> None:
    parent = TreeItem(None, FakeGroup())
    note = TreeItem(parent, note="Loading…")
    assert texts(note) == ["Loading…", "", ""]
    assert (tool_tip(note), icon_name(note)) == ("Loading…", "loading")
    parent.fetching = Fetching.FAILED
    assert icon_name(note) == "broken"


@pytest.mark.parametrize(
    ("node", "name"),
    [
        (FakeArray(np.zeros(())), "array0"),
        (FakeArray(np.zeros((1, 1))), "array2"),
        (FakeArray(np.zeros((1, 1, 1, 1))), "array3"),
        (FakeGroup(), "group"),
        (image(), "levels"),
        (FakeBroken(ValueError()), "broken"),
        (SimpleNamespace(kind="collection", name="c", path="/c", attributes={}), "source"),
    ],
)
def test_each_kind_of_node_has_its_icon(node: Any, name: str) -> None:
    assert node_icon_name(node) == name
    assert icon_name(TreeItem(None, node)) == name


def test_a_source_has_the_icon_of_a_source_unless_it_is_an_array() -> None:
    assert icon_name(source_row(image())) == "source"
    assert icon_name(source_row(FakeArray(np.zeros(3)))) == "array1"
