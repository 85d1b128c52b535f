"""Groups of several images as layers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anndata
import numpy as np
import pytest
import xarray as xr

import zarrcore
from tests.core.array.counting_store import CountingStore
from tests.core.interop.napari.viewers import picture, shown
from tests.core.interop.napari.written import new_group, set_ome, values, write_image
from zarrcore.errors import MetadataError
from zarrcore.interop.napari import read_layers


def names(layers: Sequence[tuple[Any, dict[str, Any], str]]) -> list[tuple[str, bool]]:
    """The names of layers, and whether they are visible."""
    return [(told["name"], told.get("visible", True)) for _, told, _ in layers]


def test_the_first_of_several_images_is_visible_and_the_others_read_nothing(tmp_path: Path) -> None:
    group = new_group(tmp_path / "a.zarr")
    for name in ("left", "right"):
        write_image(group.create_group(f"samples/{name}"), values((40, 48)), "yx", name="sample")
    store = CountingStore(tmp_path / "a.zarr", remote=False)
    layers = read_layers(zarrcore.open_hierarchy(store))
    assert sorted(name for name, _ in names(layers)) == ["samples/left", "samples/right"]
    assert [visible for _, visible in names(layers)] == [True, False]
    shown(layers)
    first = layers[0][1]["name"]
    assert {key[: len(first) + 1] for key in store.chunk_requests()} == {f"{first}/"}


def test_the_fields_of_a_well_are_layers(tmp_path: Path) -> None:
    well = new_group(tmp_path / "A1.zarr")
    set_ome(well, well={"images": [{"path": "0"}, {"path": "1"}]})
    for field in "01":
        write_image(well.create_group(field), values((40, 48)), "yx")
    assert names(read_layers(tmp_path / "A1.zarr")) == [("0", True), ("1", False)]


def test_a_series_has_the_names_of_its_images_and_a_missing_one_is_a_warning(tmp_path: Path) -> None:
    group = new_group(tmp_path / "a.zarr", 2)
    group.attrs["bioformats2raw.layout"] = 3
    group.create_group("OME").attrs["series"] = ["0", "1", "gone"]
    namespace = "http://www.openmicroscopy.org/Schemas/OME/2016-06"
    (tmp_path / "a.zarr/OME/METADATA.ome.xml").write_text(
        f'<OME xmlns="{namespace}"><Image Name="overview"/><Image Name="detail"/></OME>'
    )
    for name in "01":
        write_image(group.create_group(name), values((40, 48)), "yx")
    with pytest.warns(UserWarning, match="is shown without gone: "):
        assert names(read_layers(tmp_path / "a.zarr")) == [("overview", True), ("detail", False)]


def test_each_image_that_a_group_describes_is_a_layer(tmp_path: Path) -> None:
    group = new_group(tmp_path / "a.zarr")
    data = values((40, 48))
    group.create_array("raw", data=data)
    group.create_array("fused", data=data + 1)
    images = [{"name": name, "datasets": [{"path": name}], "axes": ["y", "x"]} for name in ("raw", "fused")]
    set_ome(group, multiscales=images)
    layers = read_layers(tmp_path / "a.zarr")
    assert names(layers) == [("raw", True), ("fused", False)]
    assert np.array_equal(np.asarray(layers[1][0]), data + 1)


def test_a_list_of_labels_is_layers_of_labels(tmp_path: Path) -> None:
    group = new_group(tmp_path / "labels")
    set_ome(group, labels=["cells"])
    write_image(group.create_group("cells"), values((40, 48), "u1"), "yx", **{"image-label": {}})
    ((_, told, kind),) = read_layers(tmp_path / "labels")
    assert (told["name"], kind) == ("cells", "labels")


def test_a_dataset_has_a_layer_for_each_variable_on_two_dimensions(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    times = np.datetime64("2001-01-01") + np.arange(3).astype("m8[D]")
    bounds = np.stack([times, times + np.timedelta64(1, "D")], 1)
    air = random.normal(280, 9, (3, 4, 5))
    dataset = xr.Dataset(
        {
            "air": (("time", "lat", "lon"), air, {"units": "K"}),
            "mean": (("time",), air.mean((1, 2))),
            "time_bnds": (("time", "bnds"), bounds),
            "name": (("lat", "bnds"), np.full((4, 2), "x")),
        },
        {"time": times, "lat": np.linspace(60, 30, 4), "lon": np.linspace(0, 20, 5)},
        {"Conventions": "CF-1.8"},
    )
    dataset.time.attrs["bounds"] = "time_bnds"
    packed = {"dtype": "i2", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -999}
    with warnings.catch_warnings(action="ignore"):
        dataset.to_zarr(tmp_path / "a.zarr", zarr_format=3, encoding={"air": packed}, consolidated=False)
    with xr.open_dataset(tmp_path / "a.zarr", engine="zarr", consolidated=False) as decoded:
        (layer,) = shown(read_layers(tmp_path / "a.zarr")).layers
        assert np.allclose(picture(layer), decoded.air[1], rtol=1e-6)
    assert layer.name == "air"
    assert layer.axis_labels == ("time", "lat", "lon")
    assert (layer.scale.tolist(), layer.translate[1:].tolist()) == ([1, -10, 5], [60, 0])
    assert list(map(str, layer.units)) == ["day", "pixel", "pixel"]


def test_a_pyramid_of_groups_has_a_layer_for_each_variable(tmp_path: Path) -> None:
    with zarrcore.create(tmp_path / "a.zarr") as made:
        datasets = [{"path": str(level), "pixels_per_tile": 16} for level in (0, 1)]
        made["/"].attributes = {"multiscales": [{"datasets": datasets}]}
        data = values((32, 32), "f4")
        for level, step in ((0, 1), (1, 2)):
            for name in ("air", "rain"):
                part = data[::step, ::step]
                array = made.create_array(f"/{level}/{name}", shape=part.shape, dtype="float32")
                array[...] = part
    layers = read_layers(tmp_path / "a.zarr")
    assert sorted(name for name, _ in names(layers)) == ["air", "rain"]
    assert [level.shape for level in layers[0][0]] == [(32, 32), (16, 16)]


def test_tables_are_no_images(tmp_path: Path) -> None:
    group = new_group(tmp_path / "a.zarr")
    with warnings.catch_warnings(action="ignore"):
        anndata.AnnData(np.ones((4, 3), "f4")).write_zarr(tmp_path / "a.zarr/table")
    write_image(group.create_group("images/one"), values((40, 48)), "yx")
    assert names(read_layers(tmp_path / "a.zarr")) == [("images/one", True)]


def test_a_folder_of_hierarchies_is_searched(tmp_path: Path) -> None:
    write_image(new_group(tmp_path / "one.zarr"), values((40, 48)), "yx")
    (tmp_path / "notes").mkdir()
    assert names(read_layers(tmp_path)) == [("one.zarr", True)]


def test_more_images_than_a_list_of_layers_can_show_are_left_out_with_a_warning(tmp_path: Path) -> None:
    with zarrcore.create(tmp_path / "a.zarr") as made:
        for number in range(30):
            made.create_array(f"/x{number}", shape=(2, 3), dtype="int8")
    with pytest.warns(UserWarning, match="more than 24 images"):
        assert len(read_layers(tmp_path / "a.zarr")) == 24


def test_a_group_without_images_is_refused_in_one_line(tmp_path: Path) -> None:
    with zarrcore.create(tmp_path / "a.zarr") as made:
        made.create_array("/line", shape=(3,), dtype="int8")
        made.create_array("/g/text", shape=(3, 4), dtype="string")
    with pytest.raises(MetadataError, match="has no image of numbers") as caught:
        read_layers(tmp_path / "a.zarr")
    assert "\n" not in str(caught.value)
    (tmp_path / "a.zarr/g/text/zarr.json").write_text("{")
    with pytest.raises(MetadataError, match="has no image of numbers"):
        read_layers(tmp_path / "a.zarr")
