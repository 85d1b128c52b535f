"""What consolidated metadata say: documents by path, and the names below each path."""

from __future__ import annotations

import json

from tests.core.hierarchy.stores import ARRAY, GROUP
from zarrcore.formats import Format
from zarrcore.hierarchy.consolidated_nodes import consolidated_nodes, names_by_parent

TOLD = {"kind": "inline", "must_understand": False, "metadata": {"a/b": json.loads(ARRAY)}}
ROOT = json.dumps({**json.loads(GROUP), "consolidated_metadata": TOLD}).encode()


def test_nodes_and_the_groups_that_they_imply_are_known() -> None:
    found = consolidated_nodes(Format.V3, lambda key: None, (ROOT,))
    assert found is not None
    assert [*found.documents] == ["/a/b"]
    assert found.names == {"/": ["a"], "/a": ["b"]}


def test_without_a_root_or_consolidated_metadata_nothing_is_known() -> None:
    assert consolidated_nodes(Format.V3, lambda key: None, ()) is None
    assert consolidated_nodes(Format.V3, lambda key: None, (GROUP,)) is None


def test_a_path_that_no_node_can_have_names_only_what_is_above_it() -> None:
    assert names_by_parent(["/a/../b", "/a/c"], Format.V3) == {"/": ["a"], "/a": ["c"]}
