"""Layers of images, as napari shows them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tifffile
import zarr

import zarrcore
from tests.core.array.counting_store import CountingStore
from tests.core.interop.napari.viewers import RELEASE, napari, picture, shown
from tests.core.interop.napari.written import new_group, set_ome, values, write_image
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.interop.napari import read_layers
from zarrcore.typing import AnyArray

CHANNELS = [
    {"label": "DAPI", "color": "0000FF", "window": {"start": 10, "end": 2000}, "active": True},
    {"label": "GFP", "active": False},
]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_each_channel_is_a_layer_with_its_levels_colour_and_place(tmp_path: Path, zarr_format: int) -> None:
    data = values((2, 2, 3, 64, 48))
    group = new_group(tmp_path / "a.zarr", zarr_format)
    write_image(group, data, "tczyx", name="cells", omero={"channels": CHANNELS})
    viewer = shown(read_layers(tmp_path / "a.zarr"))
    dapi, gfp = viewer.layers
    assert [layer.name for layer in viewer.layers] == ["cells: DAPI", "cells: GFP"]
    for number, layer in enumerate(viewer.layers):
        assert layer.multiscale
        assert [level.shape for level in layer.data] == [(2, 3, 64 // n, 48 // n) for n in (1, 2, 4)]
        assert np.array_equal(np.asarray(layer.data[0]), data[:, number])
        assert np.array_equal(np.asarray(layer.data[2]), data[:, number, :, ::4, ::4])
        assert layer.axis_labels == ("t", "z", "y", "x")
        assert layer.scale.tolist() == [2.0, 1.5, 0.5, 0.5]
        assert list(map(str, layer.units)) == ["second", "micrometer", "micrometer", "micrometer"]
        assert layer.blending == "additive"
    assert dapi.colormap.map([0.0, 1.0]).tolist() == [[0, 0, 0, 1], [0, 0, 1, 1]]
    assert dapi.contrast_limits == [10, 2000]
    assert (dapi.visible, gfp.visible) == (True, False)
    step = viewer.dims.current_step
    assert np.array_equal(picture(dapi), data[step[0], 0, step[1], ::4, ::4]), "the coarsest level at first"
    gfp.visible = True
    assert np.array_equal(picture(gfp), data[step[0], 1, step[1], ::4, ::4])
    assert gfp.contrast_limits == [picture(gfp).min(), picture(gfp).max()]


def test_opening_reads_only_the_chunks_of_the_plane_that_is_shown(tmp_path: Path) -> None:
    data = values((2, 2, 3, 128, 128))
    channels = [{"label": "a"}, {"label": "b", "active": False}]
    write_image(new_group(tmp_path / "a.zarr"), data, "tczyx", levels=2, omero={"channels": channels})
    store = CountingStore(tmp_path / "a.zarr", remote=False)
    viewer = shown(read_layers(zarrcore.open_hierarchy(store)))
    t, z, *_ = viewer.dims.current_step
    places = [(0, 0), (t, z)]  # napari makes each layer at position 0, and then moves it
    coarsest = {f"1/c/{t}/0/{z}/{y}/{x}" for t, z in places for y in (0, 1) for x in (0, 1)}
    assert {*store.chunk_requests()} == coarsest, "of the visible channel"
    store.requests.clear()
    layer = viewer.layers[0]
    view = np.array([[40, 40], [90, 60]]) * layer.scale[-2:]  # as the canvas tells it, after zooming in
    layer._update_draw(1.0, view, (64, 64))
    assert layer.data_level == 0
    found = {key for key in store.chunk_requests() if key.startswith("0/")}
    assert found == {f"0/c/{t}/0/{z}/{y}/1" for y in (1, 2)}
    rows, columns = (slice(first, last + 1) for first, last in layer.corner_pixels[:, -2:].T)
    assert np.array_equal(picture(layer), data[t, 0, z, rows, columns])


def test_three_dimensions_show_the_coarsest_level(tmp_path: Path) -> None:
    data = values((6, 64, 48))
    write_image(new_group(tmp_path / "a.zarr"), data, "zyx")
    viewer = shown(read_layers(tmp_path / "a.zarr"))
    viewer.dims.ndisplay = 3
    assert np.array_equal(picture(viewer.layers[0]), data[:, ::4, ::4])


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (1, ["gray"]),
        (2, ["magenta", "green"]),
        (3, ["cyan", "magenta", "yellow"]),
        (8, ["cyan", "magenta", "yellow", "blue", "green", "red", "cyan", "magenta"]),
    ],
)
def test_channels_without_colours_have_those_of_napari(
    tmp_path: Path, count: int, expected: list[str]
) -> None:
    data = values((count, 8, 9))
    write_image(new_group(tmp_path / "cells.zarr"), data, "cyx", levels=1)
    viewer = shown(read_layers(tmp_path / "cells.zarr"))
    assert [layer.colormap.name for layer in viewer.layers] == expected
    assert [layer.visible for layer in viewer.layers] == [number < 6 for number in range(count)]
    names = ["cells"] if count == 1 else [f"cells: channel {number}" for number in range(count)]
    assert [layer.name for layer in viewer.layers] == names
    if RELEASE >= (0, 9):
        split = napari().components.ViewerModel().add_image(data, channel_axis=0)
        assert [layer.colormap.name for layer in split] == expected


def test_a_spectrum_is_one_layer_with_a_slider(tmp_path: Path) -> None:
    write_image(new_group(tmp_path / "a.zarr"), values((65, 4, 5)), "cyx", levels=1)
    (layer,) = shown(read_layers(tmp_path / "a.zarr")).layers
    assert (layer.data.shape, layer.axis_labels) == ((65, 4, 5), ("c", "y", "x"))


def test_channels_that_come_last_are_colours_or_layers(tmp_path: Path) -> None:
    rgb, four = values((16, 20, 3), "u1"), values((16, 20, 2))
    group = new_group(tmp_path / "a.zarr")
    for name, data in (("rgb", rgb), ("two", four)):
        made = group.create_group(name)
        made.create_array("0", data=data)
        axes = [
            {"name": "y", "type": "space"},
            {"name": "x", "type": "space"},
            {"name": "c", "type": "channel"},
        ]
        scale = {"type": "scale", "scale": [2.0, 3.0, 1.0]}
        set_ome(
            made,
            multiscales=[{"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": [scale]}]}],
        )
    (colours,) = shown(read_layers(tmp_path / "a.zarr" / "rgb")).layers
    assert colours.rgb
    assert (colours.scale.tolist(), colours.axis_labels) == ([2.0, 3.0], ("y", "x"))
    assert np.array_equal(picture(colours), rgb)
    layers = shown(read_layers(tmp_path / "a.zarr" / "two")).layers
    assert [np.array_equal(picture(layer), four[..., n]) for n, layer in enumerate(layers)] == [True, True]


def test_labels_have_their_colours_and_properties(tmp_path: Path) -> None:
    group = new_group(tmp_path / "a.zarr")
    write_image(group, values((1, 40, 48)), "cyx")
    set_ome(group.create_group("labels"), labels=["nuclei", "cells"])
    nuclei = values((1, 40, 48), "u4") % 4
    told = {
        "colors": [{"label-value": 1, "rgba": [255, 0, 0, 128]}],
        "properties": [{"label-value": 1, "area": 12}, {"label-value": 3, "area": 7, "class": "x"}],
    }
    write_image(group.create_group("labels/nuclei"), nuclei, "cyx", **{"image-label": told})
    cells = values((40, 48), "i2") % 3
    write_image(group.create_group("labels/cells"), cells, "yx", levels=1, **{"image-label": {}})
    viewer = shown(read_layers(tmp_path / "a.zarr"))
    _, first, second = viewer.layers
    assert isinstance(first, napari().layers.Labels)
    assert (first.name, second.name, second.visible) == ("nuclei", "cells", False)
    assert [level.shape for level in first.data] == [(40, 48), (20, 24), (10, 12)]
    assert first.get_color(1) == pytest.approx([1, 0, 0, 128 / 255])
    assert first.get_color(0) is None, "of the background"
    assert first.features.to_dict("list")["area"] == [12, 7]
    y, x = map(int, np.argwhere(nuclei[0, ::4, ::4] == 3)[0] * 4)
    assert "class: x" in first.get_status((0.5 * y, 0.5 * x), world=True)["value"]
    second.visible = True
    assert np.array_equal(picture(second), cells)


def test_labels_of_booleans_are_labels_and_those_of_floats_are_left_out(tmp_path: Path) -> None:
    group = new_group(tmp_path / "a.zarr")
    write_image(group, values((40, 48)), "yx")
    set_ome(group.create_group("labels"), labels=["mask", "odd", "absent"])
    mask = values((40, 48)) > 1000
    write_image(group.create_group("labels/mask"), mask, "yx")
    write_image(group.create_group("labels/odd"), values((40, 48), "f4"), "yx")
    with pytest.warns(UserWarning, match="without its labels") as warned:
        viewer = shown(read_layers(tmp_path / "a.zarr"))
    assert {str(one.message).partition(": ")[0].rpartition(" ")[2] for one in warned} == {"odd", "absent"}
    assert [layer.name for layer in viewer.layers][1:] == ["mask"]
    assert np.array_equal(picture(viewer.layers[1]), mask[::4, ::4])


def test_levels_that_napari_cannot_use_are_left_out(tmp_path: Path) -> None:
    group = new_group(tmp_path / "a.zarr")
    write_image(group, values((40, 48)), "yx", levels=2)
    for name, data in (("2", values((40, 48))), ("3", values((10, 12), "u1")), ("4", values((10, 12)))):
        group.create_array(name, data=data)
    set_ome(
        group,
        multiscales=[
            {"axes": [{"name": "y"}, {"name": "x"}], "datasets": [{"path": str(n)} for n in range(5)]}
        ],
    )
    (data, told, _) = read_layers(tmp_path / "a.zarr")[0]
    assert told["multiscale"]
    assert [level.shape for level in data] == [(40, 48), (20, 24), (10, 12)]


@pytest.mark.parametrize(
    ("values", "error"),
    [
        (np.zeros(4), MetadataError),
        (np.zeros((2, 0)), MetadataError),
        (np.zeros((2, 2), "M8[s]"), UnsupportedError),
    ],
)
def test_arrays_that_are_no_images_are_refused_in_one_line(
    tmp_path: Path, values: AnyArray, error: type[Exception]
) -> None:
    made = zarrcore.create(tmp_path / "a.zarr").create_array("/x", shape=values.shape, dtype=values.dtype)
    with pytest.raises(error, match=r"x#/|shown by napari") as caught:
        read_layers(tmp_path / "a.zarr" / "x")
    assert made.dtype == values.dtype
    assert "\n" not in str(caught.value)


def test_an_array_by_itself_is_one_layer(tmp_path: Path) -> None:
    data = values((3, 12, 15), "f8") + 0.5
    array = zarr.create_array(
        tmp_path / "x.zarr", data=data, chunks=(1, 4, 4), dimension_names=["z", "y", "x"]
    )
    (layer,) = shown(read_layers(tmp_path / "x.zarr")).layers
    assert (layer.name, layer.axis_labels, layer.multiscale) == ("x", ("z", "y", "x"), False)
    assert np.array_equal(picture(layer), data[1])
    assert layer.contrast_limits == [data[1].min(), data[1].max()]
    assert array.shape == layer.data.shape


def test_a_picture_of_colours_is_one_layer(tmp_path: Path) -> None:
    data = values((2, 12, 15, 3), "u1")
    zarr.create_array(tmp_path / "x.zarr", data=data, chunks=(1, 4, 4, 3))
    (layer,) = shown(read_layers(tmp_path / "x.zarr")).layers
    assert layer.rgb
    assert layer.axis_labels == ("dim_0", "dim_1", "dim_2")
    assert any(np.array_equal(picture(layer), plane) for plane in data)


def test_what_napari_does_with_a_layer_works(tmp_path: Path) -> None:
    data = values((5, 12, 15))
    zarr.create_array(tmp_path / "x.zarr", data=data, chunks=(1, 4, 4))
    viewer = shown(read_layers(tmp_path / "x.zarr"))
    (layer,) = viewer.layers
    copied = napari().layers.Layer.create(*layer.as_layer_data_tuple())
    assert np.array_equal(np.asarray(copied.data), data)
    layer.save(str(tmp_path / "saved.tif"))
    assert np.array_equal(tifffile.imread(tmp_path / "saved.tif"), data)
    labels = viewer.add_labels(layer.data)
    with pytest.raises(zarrcore.ZarrError, match=r"numpy.asarray"):
        labels.fill((0, 0, 0), 7)
