"""Rules of OME-NGFF, each broken once; valid images break none."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.core.operations.check.conventions.broken_rules import broken, hierarchy_of

AXES = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]


def image(axes: Any = AXES, paths: str = "ab", scale: Any = (1, 1), **more: Any) -> dict[str, Any]:
    datasets = [
        {"path": path, "coordinateTransformations": [{"type": "scale", "scale": [*scale]}]} for path in paths
    ]
    return {"multiscales": [{"name": "image", "axes": axes, "datasets": datasets}], **more}


def new(told: dict[str, Any]) -> dict[str, Any]:
    return {"ome": {"version": "0.5", **told}}


@pytest.mark.parametrize("format_name", ["v2", "v3"])
def test_a_valid_image(format_name: str) -> None:
    told = image()
    if format_name == "v2":
        told["multiscales"][0]["version"] = "0.4"
    attributes = told if format_name == "v2" else new(told)
    assert broken(hierarchy_of(attributes, format_name, a=(4, 4), b=(2, 2))) == []


@pytest.mark.parametrize(
    ("attributes", "shapes", "expected"),
    [
        (
            new(image(scale=(1,))),
            {},
            "datasets[0].coordinateTransformations[0].scale: List should have at least 2 items",
        ),
        (
            new(image(axes=[AXES[0], {"name": "x"}])),
            {},
            "multiscales[0].axes: There must be 2 or 3 axes of type 'space'",
        ),
        (new(image(paths="abc")), {}, "multiscales[0].datasets: the level c does not exist"),
        (
            new({"multiscales": [*image()["multiscales"], *image(paths="ad")["multiscales"]]}),
            {},
            "multiscales[1].datasets: the level d does not exist",
        ),
        (new(image(axes=[{"name": "z", "type": "space"}, *AXES])), {}, "multiscales[0].axes: expected 2"),
        (new(image()), {"b": (8, 2)}, "the level b (8, 2) is larger than the one before it (4, 4)"),
        (new(image()), {"b": (2,)}, "the level b is 1-D uint8, the first is 2-D uint8"),
        (new(image(paths="cb")), {}, "/c"),
        (new(image(omero={"channels": [{"color": "red"}]})), {}, "omero.channels[0]"),
    ],
)
def test_broken_rules(attributes: dict[str, Any], shapes: dict[str, Any], expected: str) -> None:
    found = broken(hierarchy_of(attributes, **({"a": (4, 4), "b": (2, 2)} | shapes)))
    assert any(expected in sentence for sentence in found), found


def test_levels_that_are_groups_or_have_other_dimension_names() -> None:
    hierarchy = hierarchy_of(new(image()))
    hierarchy.create_array("a", shape=(4, 4), dtype="uint8", dimension_names=["v", "u"])
    hierarchy.create_group("b")
    found = broken(hierarchy)
    assert "OME-NGFF: multiscales[0].datasets: the level b is not an array" in found
    assert "OME-NGFF: multiscales[0].datasets: dimensions of a are not named as the axes: ('v', 'u')" in found


def test_labels_must_be_integers() -> None:
    hierarchy = hierarchy_of(new(image(paths="a", **{"image-label": {}})))
    hierarchy.create_array("a", shape=(4, 4), dtype="float32")
    assert "OME-NGFF: multiscales[0].datasets: labels must be integers, found float32" in broken(hierarchy)


PLATE = {
    "rows": [{"name": "A"}],
    "columns": [{"name": "1"}],
    "wells": [{"path": "A/1", "rowIndex": 0, "columnIndex": 0}],
}


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"plate": PLATE}, "plate.wells: names A/1"),
        ({"well": {"images": [{"path": "0"}]}}, "well.images: names 0"),
    ],
)
def test_nodes_that_are_named_must_exist(told: dict[str, Any], expected: str) -> None:
    assert any(expected in sentence for sentence in broken(hierarchy_of(new(told))))


def test_labels_that_are_listed_must_exist() -> None:
    hierarchy = hierarchy_of({})
    hierarchy.create_group("labels").attributes = new({"labels": ["cells"]})
    assert broken(hierarchy, "/labels") == ["OME-NGFF: labels: names cells, which does not exist"]


def test_versions_without_models_are_checked_for_their_levels() -> None:
    told = image(paths="ac")
    told["multiscales"][0]["version"] = "0.1"
    assert broken(hierarchy_of(told, a=(4, 4))) == [
        "OME-NGFF: multiscales[0].datasets: the level c does not exist"
    ]


def test_without_the_models_a_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaozarrs", None)
    found = broken(hierarchy_of(new(image(paths="a")), a=(4, 4)))
    assert len(found) == 1
    assert "zarrscope[conventions]" in found[0]
