"""Groups that are one image: what their metadata tell, whatever they say. How the levels lie, tests of the browser tell."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.core.conventions.described import described
from zarrcore.conventions import Axis, Label, MultiscaleImage, image_named, image_of, is_image, single_level
from zarrcore.errors import MetadataError, NodeNotFoundError


def read(attributes: dict[str, Any], **shapes: tuple[int, ...]) -> MultiscaleImage:
    hierarchy = zarrcore.create(zarrcore.stores.MemoryStore())
    hierarchy.create_group("image")
    for name, shape in shapes.items():
        hierarchy.create_array(f"image/{name}", shape=shape, dtype="uint8")
    group = described("/image", attributes, hierarchy)
    assert is_image(group)
    return image_of(group)


DATASETS = {"datasets": [{"path": "a"}]}
GROUP = b'{"zarr_format": 3, "node_type": "group"}'


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (["t", "y", "x"], [Axis("t"), Axis("y"), Axis("x")]),  # version 0.3
        (
            [{"name": "q", "type": "time", "unit": "hour"}, {"name": "y", "unit": None}, {}],
            [Axis("q", "time", "hour"), Axis("y"), Axis("")],
        ),
        (["y", "x"], [Axis(None)] * 3),
        (7, [Axis(None)] * 3),
    ],
)
def test_axes(told: Any, expected: list[Axis]) -> None:
    assert [*read({"multiscales": [{**DATASETS, "axes": told}]}, a=(2, 3, 4)).axes] == expected


def test_axes_of_early_versions() -> None:
    assert [axis.name for axis in read({"multiscales": [DATASETS]}, a=(1,) * 5).axes] == [*"tczyx"]


def test_units_of_n5() -> None:
    attributes = {"multiScale": True, "pixelResolution": {"dimensions": [0.5, 0.5, 2], "unit": "um"}}
    image = read(attributes, s0=(4, 5, 6), s1=(4, 2, 3))
    assert image.spacing == (2, 0.5, 0.5)
    assert {axis.unit for axis in image.axes} == {"um"}
    assert len(image.levels) == 2


def test_channels_without_settings() -> None:
    told = {"omero": {"channels": [{"label": "DAPI", "color": "0000FF"}, 7]}}
    image = read({"ome": {"multiscales": [{**DATASETS, "name": "cells"}], **told}}, a=(3, 4, 5))
    assert image.name == "cells"
    assert [image.channel(number).name for number in range(3)] == ["DAPI", "", ""]
    assert [image.channel(number).colour for number in range(3)] == [(0, 0, 255), None, None]


WORDS = ["path", "axes", "name", "unit", "type", "scale", "translation", "channels", "label", "color"]
WORDS += ["window", "start", "end", "dimensions"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=20,
)
NUMBERS = st.lists(st.integers(-1, 3) | st.floats(), min_size=2, max_size=3)
STEPS = JSON | st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["scale", "translation"])},
        optional={"scale": NUMBERS, "translation": NUMBERS},
    )
)
DATASET = st.fixed_dictionaries(
    {"path": st.sampled_from(["a", "s0", "s1"])},
    optional={"coordinateTransformations": STEPS, "transform": JSON},
)
ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "datasets": JSON | st.lists(DATASET),
        "axes": JSON,
        "name": JSON,
        "coordinateTransformations": STEPS,
    },
)
MEMBERS: dict[str, Any] = {"multiscales": JSON | st.tuples(ENTRY), "omero": JSON, "image-label": JSON}
N5_MEMBERS = ["downsamplingFactors", "scales", "multiScale", "pixelResolution"]
ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={
        **MEMBERS,
        "ome": JSON | st.fixed_dictionaries({}, optional=MEMBERS),
        **dict.fromkeys(N5_MEMBERS, JSON | NUMBERS | st.lists(NUMBERS)),
    },
)


def test_steps_of_too_few_axes() -> None:
    steps = [{"type": "scale", "scale": [2, 2]}, {"type": "translation", "translation": [1]}]
    entry = {"datasets": [{"path": "a", "coordinateTransformations": steps}]}
    image = read({"multiscales": [entry]}, a=(3, 4))
    assert (image.spacing, image.origin, image.levels[0].offsets) == ((2, 2), (0, 0), None)


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ({"type": "scale", "scale": ["a", "b"]}, "scale that is not 2 numbers other than 0"),
        ({"type": "scale", "scale": [1]}, "scale that is not 2 numbers other than 0"),
        ({"type": "scale", "scale": [1, 0]}, "scale that is not 2 numbers other than 0"),
        ({"type": "translation", "translation": None}, "translation that is not 2 numbers"),
        ({"type": "translation", "translation": [1, 2, 3]}, "translation that is not 2 numbers"),
        ({"type": "scale", "path": "scale"}, "scale"),
        ({"type": "affine", "affine": [[1, 1, 0], [0, 1, 0]]}, "affine"),
    ],
)
def test_transformations_that_cannot_be_applied_are_named(step: dict[str, Any], reason: str) -> None:
    dataset = {"path": "a", "coordinateTransformations": [step]}
    image = read({"multiscales": [{"datasets": [dataset]}]}, a=(3, 4))
    assert image.unapplied_to_levels == (reason,)
    assert ("not applied", f"levels: {reason}") in image.facts()


@pytest.mark.parametrize("scaled", [False, True])
def test_levels_that_are_missing(scaled: bool) -> None:
    """They shift no other: each level keeps the factors that are told of it, be it in N5's table."""
    datasets: list[dict[str, Any]] = [{"path": name} for name in ("a", "b/c", "d")]
    table: dict[str, Any] = {"downsamplingFactors": [[1, 1], [2, 2], [4, 4]]}
    if scaled:
        table = {}
        for number, dataset in enumerate(datasets):
            dataset["coordinateTransformations"] = [{"type": "scale", "scale": [2**number] * 2}]
    image = read({"multiscales": [{"datasets": datasets}]} | table, a=(8, 8), d=(2, 2))
    assert [(level.node.name, level.factors) for level in image.levels] == [("a", (1, 1)), ("d", (4, 4))]
    assert image.missing == ("b/c",)
    with pytest.raises(NodeNotFoundError, match="/image/a"):
        read({"multiscales": [{"datasets": datasets}]}, d=(2, 2))


def test_a_first_level_that_is_broken() -> None:
    store = zarrcore.stores.MemoryStore(values={"zarr.json": GROUP, "a/zarr.json": b"{"})
    with pytest.raises(MetadataError, match=r"^/: the first level of its pyramid is broken: a/zarr.json"):
        image_of(described("/", {"multiscales": [DATASETS]}, zarrcore.open_hierarchy(store)))


@given(ATTRIBUTES)
def test_any_metadata_give_an_image_or_our_error(attributes: dict[str, Any]) -> None:
    if not is_image(described("/image", attributes)):
        return
    try:
        image = read(attributes, a=(2, 3, 4), s0=(2, 3, 4), s1=(1, 2, 2))
    except (MetadataError, NodeNotFoundError):
        return
    assert len(image.axes) == 3
    assert len(image.spacing) == len(image.origin)
    assert image.levels[0].node.ndim == 3
    for level in image.levels:
        assert level.factors is None or len(level.factors) == 3
        assert level.offsets is None or len(level.offsets) == 3


@pytest.mark.parametrize(
    ("scale", "translation"),
    [
        ([10**400, 1], [0, 0]),
        ([1e308, 1], [0, 0]),
        ([1, 1], [1e308, 0]),
        ([1e-300, 1], [0, 0]),
        ([1, 1], [10**400, 0]),
    ],
    ids=str,
)
def test_steps_and_products_past_every_float_are_unknown(
    scale: list[float], translation: list[float]
) -> None:
    def dataset(path: str, steps: list[float]) -> dict[str, Any]:
        told = [{"type": "scale", "scale": steps}, {"type": "translation", "translation": translation}]
        return {"path": path, "coordinateTransformations": told}

    common = [{"type": "scale", "scale": [1e10, 1]}]
    datasets = [dataset("a", [1e-100, 1]), dataset("b", scale)]
    image = read(
        {"multiscales": [{"datasets": datasets, "coordinateTransformations": common}]}, a=(4, 4), b=(2, 2)
    )
    for level in image.levels:
        assert level.factors is None or all(0 < factor < math.inf for factor in level.factors)
        assert level.offsets is None or all(map(math.isfinite, level.offsets))
    assert all(map(math.isfinite, (*image.spacing, *image.origin)))


def test_labels_have_colours_and_properties() -> None:
    told = {
        "colors": [
            {"label-value": 1, "rgba": [0, 128, 0, 255]},
            {"label-value": 2, "rgba": [0, 128, 256, 255]},
            {"label-value": {"a": 1}, "rgba": [0, 0, 0, 0]},
            {"label-value": True, "rgba": [0, 0, 0, 0]},
            7,
        ],
        "properties": [{"label-value": 1, "area": 12, "class": "cell"}, {"label-value": 3}],
    }
    image = read({"multiscales": [DATASETS], "image-label": told}, a=(4, 5))
    assert image.is_labels
    assert image.labels == {1: Label((0, 128, 0, 255), {"area": 12, "class": "cell"}), 3: Label()}


def test_further_images_of_a_group_are_named_and_read() -> None:
    told = [
        {"name": "raw", "datasets": [{"path": "a"}]},
        {"name": "fused", "datasets": [{"path": "b"}, {"path": "c"}], "axes": ["y", "x"]},
        {"datasets": [{"path": "d"}]},
    ]
    shapes = {"a": (4, 4), "b": (8, 6), "c": (4, 3), "d": (2, 2)}
    for attributes in ({"multiscales": told}, {"ome": {"version": "0.5", "multiscales": told}}):
        first = read(attributes, **shapes)
        assert first.images == ("raw", "fused", "multiscales[2]")
        assert ("images", "raw, fused, multiscales[2]") in first.facts()
        group = first.levels[0].node.hierarchy["image"]
        group = described("/image", attributes, group.hierarchy)
        shown = {name: image_named(group, name) for name in first.images}
        assert {name: [level.node.shape for level in one.levels] for name, one in shown.items()} == {
            "raw": [(4, 4)],
            "fused": [(8, 6), (4, 3)],
            "multiscales[2]": [(2, 2)],
        }
        second = single_level(attributes, "c", first.levels[0].node)
        assert second is not None
        assert second.name == "fused"
    alone = read({"multiscales": told[:1]}, **shapes)
    assert "images" not in dict(alone.facts())
