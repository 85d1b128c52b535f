"""Where texts of a node lead to."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import numpy as np
import pytest

import zarrcore
from zarrbrowser.nodes.references import References, references_of
from zarrcore.stores import NodeReferences

KNOWN = NodeReferences({(): False, ("to",): True}, {("up",): False, ("record", "to"): False})


@pytest.mark.parametrize(
    ("text", "fields", "target"),
    [
        ("/a/b", (), "/x/a/b"),
        ("/a/b[0:2]", ("to",), "/x/a/b"),
        ("/a/b", ("other",), ""),
        ("", (), ""),
        ("an object without a path", (), ""),
        (3, (), ""),
    ],
)
def test_an_element_leads_to_a_node_if_it_is_a_reference(
    text: Any, fields: tuple[str, ...], target: str
) -> None:
    assert References(KNOWN, "/x").of_element(text, fields) == target


def test_an_attribute_leads_to_a_node_if_it_is_a_reference() -> None:
    known = References(KNOWN)
    assert known.of_attribute("/a", ("up",)) == known.of_attribute("/a", ("record", "to")) == "/a"
    assert known.of_attribute("/a", ()) == known.of_attribute("/a", ("to",)) == ""


@pytest.mark.parametrize("above", ["", "/a.h5"])
def test_the_store_of_a_node_says_what_its_references_are(tmp_path: Path, above: str) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset("d", data=np.arange(3))
        file["objects"] = np.array([data.ref], h5py.ref_dtype)
    found = zarrcore.open_hierarchy(tmp_path if above else tmp_path / "a.h5")
    assert references_of(found[f"{above}/objects"]).of_element("/d") == f"{above}/d"
    assert references_of(found[f"{above}/d"]) == References(NodeReferences(), above)


def test_a_node_without_a_store_has_none() -> None:
    node: Any = SimpleNamespace(hierarchy=SimpleNamespace(), path="/")
    assert references_of(node) == References()
