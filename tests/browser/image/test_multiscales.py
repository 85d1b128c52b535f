"""Groups that are one image: levels and channels from their attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore
from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.image.levels import Image
from zarrbrowser.image.multiscales import image_of_group, is_image
from zarrcore.errors import MetadataError


def group_of(attributes: dict[str, Any], **arrays: FakeArray) -> FakeGroup:
    group = FakeGroup(dict(arrays), attributes)
    group.place("/image")
    return group


def image_of(group: FakeGroup) -> Image:
    return image_of_group(group, lambda path: group.find(path.removeprefix("/image")))


def level(*shape: int, attributes: dict[str, Any] | None = None) -> FakeArray:
    array = FakeArray(np.zeros(shape, np.uint16))
    array.attributes = attributes or {}
    return array


def ngff(scales: list[list[float]], **more: Any) -> dict[str, Any]:
    names = [
        ("t", "time", "second"),
        ("c", "channel", None),
        ("y", "space", "micrometer"),
        ("x", "space", "micrometer"),
    ]
    datasets = [
        {"path": f"{number}", "coordinateTransformations": [{"type": "scale", "scale": scale}]}
        for number, scale in enumerate(scales)
    ]
    axes = [{"name": name, "type": kind, **({"unit": unit} if unit else {})} for name, kind, unit in names]
    return {"multiscales": [{"axes": axes, "datasets": datasets, "version": "0.4", **more}]}


@pytest.mark.parametrize("nested", [False, True])
def test_ngff_metadata_gives_levels_scales_and_channels(nested: bool) -> None:
    attributes = ngff([[1, 1, 0.5, 0.25], [1, 1, 1.0, 0.5]]) | {
        "omero": {
            "channels": [
                {
                    "label": "DAPI",
                    "color": "0000FF",
                    "window": {"start": 10, "end": 900, "min": 0, "max": 65535},
                },
                {"label": "GFP", "color": "#00ff00", "active": False},
            ]
        }
    }
    if nested:  # version 0.5
        attributes = {"ome": attributes}
    image = image_of(group_of(attributes, **{"0": level(3, 2, 40, 80), "1": level(3, 2, 20, 40)}))
    assert image.names == ("t", "c", "y", "x")
    assert image.units == ("second", "", "micrometer", "micrometer")
    assert image.levels[1].factors == (1, 1, 2, 2)
    assert image.levels[1].offsets == (0, 0, 0.5, 0.5)
    assert image.spacing == (1, 1, 0.5, 0.25)
    assert image.channel_axis == 1
    assert [(one.name, one.colour, one.bounds, one.is_on) for one in image.channels] == [
        ("DAPI", (0, 0, 255), (10, 900), True),
        ("GFP", (0, 255, 0), None, False),
    ]
    assert not image.is_labels


def test_translations_in_the_metadata_are_used() -> None:
    attributes = ngff([[1, 1, 2, 2], [1, 1, 8, 8]])
    for number, shift in enumerate((100.0, 101.0)):
        attributes["multiscales"][0]["datasets"][number]["coordinateTransformations"].append(
            {"type": "translation", "translation": [0, 0, shift, shift]}
        )
    attributes["multiscales"][0]["coordinateTransformations"] = [{"type": "scale", "scale": [10, 1, 1, 1]}]
    image = image_of(group_of(attributes, **{"0": level(1, 1, 64, 64), "1": level(1, 1, 16, 16)}))
    assert image.levels[1].offsets == (0, 0, 0.5, 0.5)
    assert image.origin == (0, 0, 100, 100)
    assert image.spacing[0] == 10
    assert image.channel_axis is None  # a single channel is not blended


def test_labels() -> None:
    attributes = ngff([[1, 1, 1, 1]]) | {"image-label": {"version": "0.4"}}
    assert image_of(group_of(attributes, **{"0": level(1, 1, 4, 4)})).is_labels


@pytest.mark.parametrize("place", ["group", "arrays", "shapes"])
def test_n5_counts_axes_the_other_way(place: str) -> None:
    group_says = {"downsamplingFactors": [[1, 1, 1], [4, 2, 1]]} if place == "group" else {"multiScale": True}
    array_says = {"downsamplingFactors": [4, 2, 1]} if place == "arrays" else {}
    group_says["pixelResolution"] = {"dimensions": [0.1, 0.2, 3.0], "unit": "um"}
    arrays = {"s0": level(10, 40, 80), "s1": level(10, 20, 20, attributes=array_says)}
    group = group_of(group_says, **arrays)
    assert is_image(group)
    image = image_of(group)
    assert image.levels[1].factors == (1, 2, 4)
    assert image.spacing == (3.0, 0.2, 0.1)


def test_cosem_metadata_gives_levels() -> None:
    datasets = [
        {
            "path": f"s{number}",
            "transform": {"axes": ["z", "y", "x"], "scale": [4 << number] * 3, "translate": [shift] * 3},
        }
        for number, shift in enumerate((0.0, 2.0))
    ]
    image = image_of(
        group_of({"multiscales": [{"datasets": datasets}]}, s0=level(8, 8, 8), s1=level(4, 4, 4))
    )
    assert image.levels[1].factors == (2, 2, 2)
    assert image.levels[1].offsets == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"multiscales": []},
        {"multiscales": "yes"},
        {"multiscales": [3]},
        {"ome": {"multiscales": {}}},
        {"ome": 3, "units": "mm"},
    ],
)
def test_other_groups_are_not_images(attributes: dict[str, Any]) -> None:
    assert not is_image(FakeGroup({}, attributes))


@pytest.mark.parametrize(
    "entry",
    [
        {"datasets": [{"path": "0"}, {"path": "inner"}]},
        {"datasets": [{"path": "0"}, {"path": "flat"}]},
        {"datasets": []},
    ],
)
def test_levels_that_do_not_fit_are_errors(entry: dict[str, Any]) -> None:
    group = FakeGroup({"0": level(4, 4), "flat": level(4), "inner": FakeGroup({})}, {"multiscales": [entry]})
    group.place("/image")
    with pytest.raises(MetadataError, match=r"/image: its metadata describe a pyramid"):
        image_of(group)


@pytest.mark.parametrize("shape", [(), (5,)])
def test_levels_without_rows_and_columns_are_errors(shape: tuple[int, ...]) -> None:
    group = group_of({"multiscales": [{"datasets": [{"path": "a"}]}]}, a=level(*shape))
    with pytest.raises(
        MetadataError, match=r"/image: the levels of its pyramid have fewer than two dimensions"
    ):
        image_of(group)


@pytest.mark.parametrize(
    "transformations", [None, "scale", [{"type": "scale"}], [{"type": "scale", "scale": [0, 0, 0, 0]}], [3]]
)
def test_malformed_scales_are_derived_from_shapes(transformations: Any) -> None:
    attributes = ngff([[1, 1, 1, 1]] * 2)
    for dataset in attributes["multiscales"][0]["datasets"]:
        dataset["coordinateTransformations"] = transformations
    image = image_of(group_of(attributes, **{"0": level(1, 1, 9, 9), "1": level(1, 1, 5, 4)}))
    assert image.levels[1].factors == (1, 1, 2, 2)
    assert image.spacing == ()


def test_levels_written_by_tensorstore_or_zarr_open(tmp_path: Path) -> None:
    import zarr

    from zarrbrowser.session.sources import SourceRequest, open_source

    group = zarr.open_group(tmp_path / "image.zarr", mode="w", zarr_format=2)
    for number in range(2):
        group.create_array(str(number), data=np.zeros((1, 2, 8 >> number, 8 >> number), np.uint8))
    group.attrs.update(ngff([[1, 1, 1, 1], [1, 1, 2, 2]]))
    source = open_source(SourceRequest(str(tmp_path / "image.zarr")))
    assert is_image(source.root)
    image = image_of_group(source.root, source.hierarchy.node)
    assert [one.array.shape for one in image.levels] == [(1, 2, 8, 8), (1, 2, 4, 4)]
    assert [one.array.path for one in image.levels] == ["/0", "/1"]


def test_a_bigdataviewer_setup_is_an_image() -> None:
    time = FakeGroup({"s0": level(4, 8, 16), "s1": level(4, 4, 8)})
    group = FakeGroup({"timepoint0": time}, {"downsamplingFactors": [[1, 1, 1], [2, 2, 1]]})
    group.place("/image")
    image = image_of(group)
    assert image.levels[1].factors == (1, 2, 2)
    assert image.levels[1].array.path == "/image/timepoint0/s1"


def test_an_n5_pyramid_on_disk_opens(tmp_path: Path) -> None:
    from zarrbrowser.session.sources import SourceRequest, open_source

    made = zarrcore.create(tmp_path / "a.n5", format="n5")
    made.create_group("setup0/timepoint0", attributes={"multiScale": True, "resolution": [0.5, 0.5, 2.0]})
    for number, factors in enumerate(([1, 1, 1], [4, 2, 1])):
        shape = tuple(n // f for n, f in zip((6, 20, 40), factors[::-1], strict=True))
        array = made.create_array(
            f"setup0/timepoint0/s{number}",
            shape=shape,
            dtype="uint16",
            chunks=(2, 10, 10),
            attributes={"downsamplingFactors": factors},
        )
        array[...] = number
    source = open_source(SourceRequest(str(tmp_path / "a.n5")))
    group = source.hierarchy.node("/setup0/timepoint0")
    assert is_image(group)
    image = image_of_group(group, source.hierarchy.node)
    assert image.levels[1].factors == (1, 2, 4)
    assert image.spacing == (2.0, 0.5, 0.5)
    assert image.levels[1].array[...].max() == 1


def version_06(*transformations: Any, **more: Any) -> dict[str, Any]:
    axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]
    datasets = [
        {
            "path": str(number),
            "coordinateTransformations": [{**one, "input": str(number), "output": "physical"}]
            if isinstance(one, dict)
            else one,
        }
        for number, one in enumerate(transformations)
    ]
    systems = [{"name": "physical", "axes": axes}, {"name": "world", "axes": axes}]
    return {
        "ome": {
            "version": "0.6",
            "multiscales": [{"coordinateSystems": systems, "datasets": datasets, **more}],
        }
    }


def sequence(scale: Any, translation: Any) -> dict[str, Any]:
    steps = [{"type": "scale", "scale": scale}, {"type": "translation", "translation": translation}]
    return {"type": "sequence", "transformations": steps}


def test_coordinate_systems_that_scale_and_translate_give_units_and_positions() -> None:
    rotated = {"type": "rotation", "rotation": [[0, -1], [1, 0]], "input": "physical", "output": "world"}
    attributes = version_06(
        sequence([0.5, 0.25], [10, 20]),
        sequence([1.0, 0.5], [10.25, 20.125]),
        coordinateTransformations=[rotated],
    )
    image = image_of(group_of(attributes, **{"0": level(20, 40), "1": level(10, 20)}))
    assert image.names == ("y", "x")
    assert image.units == ("micrometer", "micrometer")
    assert image.spacing == (0.5, 0.25)
    assert image.origin == (10, 20)
    assert (image.levels[1].factors, image.levels[1].offsets) == ((2, 2), (0.5, 0.5))


@pytest.mark.parametrize(
    "bad",
    [
        {"type": "rotation", "rotation": [[0, -1], [1, 0]]},
        {"type": "scale", "scale": ["one", 2]},
        {"type": "scale", "scale": [float("nan"), 2]},
        {"type": "scale", "scale": [1e308, 10**400]},
        sequence([1, 2], "far"),
        "none",
        [7],
    ],
)
def test_coordinate_systems_that_cannot_be_applied_leave_elements(bad: Any) -> None:
    image = image_of(group_of(version_06(bad, bad), **{"0": level(20, 40), "1": level(10, 20)}))
    assert image.spacing == ()
    assert image.levels[1].factors == (2, 2)


def test_each_image_of_a_group_of_several_can_be_chosen(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "i.zarr", mode="w")
    for name, value in (("a", 3), ("b", 5)):
        group.create_array(name, data=np.full((4, 6), value, np.uint8))
    group.attrs["ome"] = {
        "version": "0.5",
        "multiscales": [{"name": name * 2, "datasets": [{"path": name}]} for name in "ab"],
    }
    hierarchy = zarrcore.open_hierarchy(tmp_path / "i.zarr")
    for wanted, path in (("", "a"), ("aa", "a"), ("bb", "b"), ("of another group", "a")):
        image = image_of_group(hierarchy["/"], hierarchy.node, wanted)
        assert (image.variables, image.variable) == (("aa", "bb"), path * 2)
        assert np.array_equal(image.base.read((...,)), group[path][...])
