"""Nodes that attributes name, where the store cannot be listed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from zarrcore.errors import ListingUnsupportedError
from zarrcore.hierarchy.named_nodes import named_nodes
from zarrcore.stores import MemoryStore, StoreEntry
from zarrcore.tree_lines import tree_lines

NAMES = ("ome", "multiscales", "datasets", "path", "labels", "plate", "wells", "well", "images", "series")
ATTRIBUTES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(), below, max_size=3)
    ),
)


class Unlisted(MemoryStore):
    """It answers for keys, and lists none."""

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        raise ListingUnsupportedError("cannot be listed", url=self.url)

    def has_prefix(self, prefix: str) -> bool:
        raise ListingUnsupportedError("cannot be listed", url=self.url)


def store(zarr_format: str, attributes: dict[str, Any], *arrays: str) -> Unlisted:
    """A hierarchy of some arrays, the attributes of its root, and one node that nothing names."""
    found = Unlisted()
    listed = MemoryStore()
    hierarchy = zarrcore.create(listed, format=zarr_format)
    hierarchy.attributes.update(attributes)
    for path in (*arrays, "other"):
        hierarchy.create_array(path, data=[1, 2])
    for entry in listed.list():
        found.set(entry.key, listed.get(entry.key) or b"")
    return found


def walked(found: Unlisted) -> tuple[list[str], str]:
    """The paths of the nodes that a walk finds before it fails, and its error."""
    nodes, paths = zarrcore.open_hierarchy(found).walk(), []
    while True:
        try:
            node = next(nodes)
        except ListingUnsupportedError as error:
            return paths, str(error)
        if node.kind != "broken":  # which says the same of a group below
            paths.append(node.path)


@pytest.mark.parametrize("zarr_format", ["v2", "v3"])
def test_the_levels_of_an_image_are_found_and_what_is_not_known_is_said(zarr_format: str) -> None:
    multiscales = [
        {"datasets": [{"path": "s0"}, {"path": "down/s1"}, {"path": "missing"}, {"path": "../up"}, 7]}
    ]
    attributes: dict[str, Any] = {"multiscales": multiscales}
    if zarr_format == "v3":
        attributes = {"ome": attributes}
    paths, error = walked(store(zarr_format, attributes, "s0", "down/s1", "labels/cells"))
    assert paths[:2] == ["/", "/s0"]
    assert {"/down", "/labels"} <= {*paths}
    assert "/down/s1" in paths
    assert "/other" not in paths
    assert "only nodes that attributes name are known; name the path of another one" in error


def test_wells_of_a_plate_are_found_below_its_rows() -> None:
    plate = {"plate": {"wells": [{"path": "A/1"}, {"path": "A/2"}, {"path": "B/1"}]}}
    paths, _ = walked(store("v3", {"ome": plate}, "A/1/0", "A/2/0", "B/1/0"))
    assert [path for path in paths if path.count("/") == 2 and "A" in path] == ["/A/1", "/A/2"]
    assert "/B/1" in paths


def test_without_such_attributes_the_error_is_as_before() -> None:
    paths, error = walked(store("v3", {"labels": "no list"}, "a"))
    assert paths == ["/"]
    assert "name the path of a node" in error


@given(st.dictionaries(st.sampled_from(NAMES), ATTRIBUTES))
def test_whatever_attributes_hold_the_names_are_texts(attributes: dict[str, Any]) -> None:
    assert all(isinstance(name, str) for name in named_nodes(attributes))


def test_a_tree_shows_them_all_before_its_error() -> None:
    multiscales = [{"datasets": [{"path": "0"}, {"path": "1"}]}]
    lines: list[str] = []
    hierarchy = zarrcore.open_hierarchy(store("v2", {"multiscales": multiscales}, "0", "1"))
    with hierarchy.branch("/", None) as top, pytest.raises(ListingUnsupportedError):
        lines.extend(line for _, line in tree_lines(top))
    assert [line.split()[1] for line in lines[1:]] == ["0", "1"]


def test_what_is_not_known_below_a_group_has_no_name() -> None:
    lines: list[str] = []
    hierarchy = zarrcore.open_hierarchy(
        store("v2", {"multiscales": [{"datasets": [{"path": "0"}]}]}, "0", "labels/cells")
    )
    with hierarchy.branch("/", None) as top, pytest.raises(ListingUnsupportedError):
        lines.extend(line for _, line in tree_lines(top))
    assert [line.split()[1] for line in lines[1:]] == ["0", "labels", "…"]


def test_a_server_that_answers_everything_has_no_endless_tree() -> None:
    class Everything(Unlisted):
        def get(self, key: str, *arguments: Any, **options: Any) -> Any:
            is_document = key.endswith("zarr.json")
            document = b'{"zarr_format": 3, "node_type": "group", "attributes": {"labels": ["more"]}}'
            return document if is_document else super().get(key, *arguments, **options)

    paths, _ = walked(Everything())
    assert 3 < len(paths) < 20
