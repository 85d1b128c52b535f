"""The metadata of OME-Zarr."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore as zc
from zarrcore.errors import MetadataError, SelectionError
from zarrcore.operations.pyramid.image import new_image, stored_image
from zarrcore.stores.memory import MemoryStore


def array(ndim: int, names: tuple[str | None, ...] | None = None) -> Any:
    made = zc.create(MemoryStore())
    return made.create_array("/raw", shape=(4,) * ndim, dtype="i2", dimension_names=names)


def entry(**members: Any) -> dict[str, Any]:
    step = {"type": "scale", "scale": [2, 1.5]}
    axes = [{"name": "y", "type": "space", "unit": "mm"}, {"name": "x", "type": "space"}]
    return {"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": [step]}], **members}


@pytest.mark.parametrize(
    ("names", "ndim", "expected"),
    [
        (None, 2, ["space", "space"]),
        (None, 3, ["space", "space", "space"]),
        (("t", "c", "z", "y", "x"), 5, ["time", "channel", "space", "space", "space"]),
        (("Time", "y", "x"), 3, ["time", "space", "space"]),
    ],
)
def test_axes_of_a_new_image(names: tuple[str, ...] | None, ndim: int, expected: list[str]) -> None:
    for made in (array(ndim, names), array(ndim)):
        image = new_image(made, "v3", names, None, None)
        assert [axis["type"] for axis in image.axes] == expected
        assert (image.version, image.datasets[0].scale) == ("0.5", (1.0,) * ndim)


def test_scale_and_unit_of_a_new_image() -> None:
    image = new_image(array(3, ("c", "y", "x")), "v2", None, (1, 0.5, 0.5), "micrometer")
    assert image.version == "0.4"
    assert [axis.get("unit") for axis in image.axes] == [None, "micrometer", "micrometer"]
    assert image.datasets[0].scale == (1.0, 0.5, 0.5)
    with pytest.raises(SelectionError):
        new_image(array(3), "v3", None, (1.0, 2.0), None)


@pytest.mark.parametrize(
    ("stored", "ndim", "told"),
    [
        (None, 4, None),
        (None, 1, None),
        (("lat", "lon"), 2, None),
        (("x", "t", "y"), 3, None),
        (("t", "time", "y", "x"), 4, None),
        (("c", "x"), 2, None),
        (("y", "x"), 2, ("x", "y")),
        (None, 2, ("z", "y", "x")),
        (("y", None), 2, None),
    ],
)
def test_axes_that_are_not_those_of_an_image_are_refused(
    stored: tuple[str | None, ...] | None, ndim: int, told: tuple[str, ...] | None
) -> None:
    if stored == ("y", None):
        assert [axis["name"] for axis in new_image(array(ndim, stored), "v3", told, None, None).axes] == [
            "y",
            "x",
        ]
        return
    with pytest.raises(SelectionError):
        new_image(array(ndim, stored), "v3", told, None, None)


def test_levels_are_added_and_all_other_members_stay() -> None:
    before = {"multiscales": [entry(version="0.4", name="mine", more=1), {"second": 2}], "omero": {"a": 1}}
    image = stored_image(before, "/g")
    assert image is not None
    level = image.datasets[0].reduced("1", (2, 2), centred=True)
    after = type(image)(
        image.version, image.axes, (*image.datasets, level), method="mean", stored=image.stored
    ).attributes(before, "g")
    assert after["omero"] == {"a": 1}
    assert after["multiscales"][1] == {"second": 2}
    found = after["multiscales"][0]
    assert (found["name"], found["more"], found["version"], found["type"]) == ("mine", 1, "0.4", "mean")
    assert found["axes"] == entry()["axes"]
    assert found["datasets"] == [
        *entry()["datasets"],
        {
            "path": "1",
            "coordinateTransformations": [
                {"type": "scale", "scale": [4.0, 3.0]},
                {"type": "translation", "translation": [1.0, 0.75]},
            ],
        },
    ]


def test_labels_and_groups_without_an_image() -> None:
    ome = {"ome": {"version": "0.5", "multiscales": [entry()], "image-label": {}}}
    image = stored_image(ome, "/g")
    assert image is not None
    assert image.is_labels
    assert stored_image({"multiscales": []}, "/g") is stored_image({}, "/g") is None


@pytest.mark.parametrize(
    "attributes",
    [
        {"multiscales": [entry(version="0.2")]},
        {"multiscales": [5]},
        {"ome": {"version": "0.6", "multiscales": [entry()]}},
        {"multiscales": [{"version": "0.4"}]},
        {"multiscales": [entry(version="0.4", datasets=[])]},
        {"multiscales": [entry(version="0.4", axes=[{"name": "c", "type": "channel"}] * 2)]},
        {"multiscales": [entry(version="0.4", axes=[{"name": "x", "type": "space"}])]},
        {"multiscales": [entry(version="0.4", axes=["y", "x"])]},
        {"multiscales": [entry(version="0.4", axes=[{"type": "space"}] * 2)]},
    ],
)
def test_metadata_that_cannot_get_levels_are_refused(attributes: dict[str, Any]) -> None:
    with pytest.raises(MetadataError):
        stored_image(attributes, "/g")


def test_axes_of_an_array_with_names_are_refused_with_what_to_do() -> None:
    with pytest.raises(SelectionError, match="has the dimension names y, x already: omit --axes"):
        new_image(array(2, ("y", "x")), "v3", ("z", "x"), None, None)
