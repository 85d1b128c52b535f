"""Where the attributes ``default`` lead."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore as zc
from zarrcore.conventions import NexusObject, default_data, default_signal, meaning


def hierarchy_of(**groups: dict[str, Any]) -> zc.Hierarchy:
    hierarchy = zc.create("memory://")
    for name, attributes in groups.items():
        path = "/" + name.strip("_").replace("_", "/")
        group = hierarchy["/"] if path == "/" else hierarchy.create_group(path)
        group.attributes = attributes
    return hierarchy


DATA = {"NX_class": "NXdata"}


@pytest.mark.parametrize(
    ("root", "entry", "expected"),
    [
        ("entry", "data", "/entry/data"),
        ("/entry/data", "", "/entry/data"),
        ("entry/data", "", "/entry/data"),
        ("entry", "/entry/data", "/entry/data"),
        ("entry", "", ""),
        ("entry", "missing", ""),
        ("missing", "data", ""),
        ("entry", "../entry", ""),
        ("entry", "/entry", ""),
        ("/", "data", ""),
        ("entry", 7, ""),
        ("entry", "a\0b", ""),
        ("entry", "counts", ""),
    ],
)
def test_defaults_lead_to_data(root: str, entry: Any, expected: str) -> None:
    hierarchy = hierarchy_of(
        _={"NX_class": "NXroot", "default": root},
        entry={"NX_class": "NXentry", "default": entry},
        entry_data=DATA,
    )
    hierarchy.create_array("/entry/counts", shape=(2,), dtype="u1", attributes=DATA)
    assert default_data(hierarchy["/"], hierarchy.node) == expected
    found = meaning(hierarchy["/"])
    assert isinstance(found, NexusObject)
    assert found.summary == "NeXus NXroot" + (f", default {expected}" if expected else "")
    assert found.document()["default"] == expected


def test_defaults_of_groups_without_a_class_count() -> None:
    hierarchy = hierarchy_of(_={"default": "a"}, a={"default": "b"}, a_b=DATA)
    assert default_data(hierarchy["/"], hierarchy.node) == "/a/b"
    assert default_data(hierarchy["/a/b"], hierarchy.node) == "/a/b"


@pytest.mark.parametrize(("signal", "expected"), [("counts", "/a/counts"), ("missing", "/a")])
def test_the_signal_to_plot_first(signal: str, expected: str) -> None:
    hierarchy = hierarchy_of(_={"default": "a"}, a={**DATA, "signal": signal})
    hierarchy.create_array("/a/counts", shape=(2,), dtype="u1")
    assert default_signal(hierarchy["/"], hierarchy.node) == expected
    hierarchy["/"].attributes = {}
    assert default_signal(hierarchy["/"], hierarchy.node) == ""
