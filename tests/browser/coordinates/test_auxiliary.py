"""Coordinates of single elements are those of xarray; what does not fit the image is left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from tests.browser.fakes import FakeArray
from tests.core.conventions.nexus.files import DATA, opened
from zarrbrowser.coordinates.auxiliary import MOST_ELEMENTS, Auxiliary, auxiliary_of
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.session.sources import SourceRequest, open_source
from zarrcore.errors import NodeNotFoundError

pytestmark = pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning")  # of texts
TIMES = np.datetime64("2020-01-01", "h") + np.arange(6).reshape(2, 3)


def ocean(folder: Path) -> str:
    latitude = np.linspace(-60, 60, 12).reshape(3, 4)
    data = xr.Dataset(
        {"sst": (("time", "y", "x"), np.zeros((2, 3, 4)))},
        {
            "lat": (("y", "x"), latitude, {"units": "degrees_north"}),
            "valid": (("time", "y"), TIMES),
            "run": ((), 7, {"units": "m"}),
            "time": ("time", [0, 1]),
            "name": (("y", "x"), np.full((3, 4), "a")),
        },
    )
    path = str(folder / "ocean.zarr")
    data.to_zarr(path, consolidated=False, zarr_format=3)
    return path


def found(path: str) -> dict[str, Auxiliary]:
    find = open_source(SourceRequest(path)).hierarchy.node
    return {one.name: one for one in auxiliary_of(image_of_array(find("/sst")), find)}


def test_an_element_has_coordinates_along_several_axes(tmp_path: Path) -> None:
    coordinates = found(ocean(tmp_path))
    assert coordinates.keys() == {"lat", "valid", "run"}, "times have an axis, and names are text"
    assert coordinates["lat"].text((1, 2, 3)) == "lat 60 °N"
    assert coordinates["lat"].text((0, 0, 0)) == "lat -60 °N"
    assert coordinates["valid"].text((1, 2, 0)) == "valid 2020-01-01T05:00"
    assert coordinates["run"].text((0, 1, 2)) == "run 7 m"


def test_an_element_outside_has_none(tmp_path: Path) -> None:
    latitude = found(ocean(tmp_path))["lat"]
    assert latitude.text((0, 3, 0)) == latitude.text((0, 0, -1)) == ""


def test_coordinates_that_do_not_fit_are_left_out() -> None:
    side = int(MOST_ELEMENTS**0.5) + 1
    arrays = {
        "/other": FakeArray(np.zeros((3, 5)), ("y", "x")),
        "/unnamed": FakeArray(np.zeros((3, 4)), ("y", None)),
        "/line": FakeArray(np.zeros(3), ("y",)),
        "/large": FakeArray(np.broadcast_to(0.0, (side, side)), ("b", "a")),
    }

    def find(path: str) -> FakeArray:
        if path not in arrays:
            raise NodeNotFoundError(path, "memory:")
        return arrays[path]

    array = FakeArray(np.broadcast_to(0.0, (3, 4, side, side)), ("y", "x", "b", "a"))
    array.attributes = {"coordinates": "other unnamed line large gone"}
    assert auxiliary_of(image_of_array(array), find) == ()
    array.attributes = {"coordinates": ["other"]}
    assert auxiliary_of(image_of_array(array), find) == ()
    assert auxiliary_of(image_of_array(FakeArray(np.zeros((3, 4)))), find) == ()


NORTHWARD, EASTWARD = np.mgrid[-60:60:7.0, 130:250:9.0]


@pytest.mark.parametrize(
    ("latitudes", "longitudes", "upward", "leftward"),
    [
        (NORTHWARD, EASTWARD, 1, None),
        (-NORTHWARD, EASTWARD, None, None),
        (NORTHWARD, -EASTWARD, 1, 2),
        (NORTHWARD + EASTWARD / 50, (EASTWARD + 180) % 360 - 180, 1, None),
        (NORTHWARD.T, -EASTWARD.T, 2, 1),
        (np.where(NORTHWARD < 0, np.nan, NORTHWARD), EASTWARD, 1, None),
        (np.full((4, 5), np.nan), np.full((4, 5), np.nan), None, None),
        (NORTHWARD[:1, :1], EASTWARD[:1, :1], None, None),
    ],
)
def test_axes_run_so_that_the_north_is_up_and_the_east_is_right(
    latitudes: np.ndarray, longitudes: np.ndarray, upward: int | None, leftward: int | None
) -> None:
    arrays = {"/lat": FakeArray(latitudes, ("y", "x")), "/lon": FakeArray(longitudes, ("y", "x"))}
    for name, units in (("/lat", "degrees_north"), ("/lon", "degrees_east")):
        arrays[name].attributes = {"units": units}
    array = FakeArray(np.zeros((2, *latitudes.shape)), ("z", "y", "x"))
    array.attributes = {"coordinates": "lat lon"}
    lat, lon = auxiliary_of(image_of_array(array), arrays.__getitem__)
    assert (lat.upward, lat.leftward, lon.upward, lon.leftward) == (upward, None, None, leftward)


def test_heights_of_the_ground_turn_no_axis() -> None:
    ground = FakeArray(NORTHWARD, ("y", "x"))
    ground.attributes = {"units": "m", "standard_name": "surface_altitude", "positive": "up"}
    array = FakeArray(np.zeros(NORTHWARD.shape), ("y", "x"))
    array.attributes = {"coordinates": "ground"}
    (found,) = auxiliary_of(image_of_array(array), lambda _path: ground)
    assert (found.upward, found.leftward) == (None, None)


def test_further_axes_of_nexus_are_told_for_each_element(tmp_path: Path) -> None:
    place = np.arange(12.0).reshape(3, 4)
    attributes = {"signal": "counts", "axes": ["y", "."], "place_indices": [0, 1], "small_indices": 1}
    arrays = {"counts": (3, 4), "y": (3,), "place": place, "place_scaling_factor": 0.5, "small": (3,)}
    with opened(tmp_path / "a.nxs", attributes, {"place": {"units": "mm"}}, **arrays) as hierarchy:
        [one] = auxiliary_of(image_of_array(hierarchy[DATA]["counts"]), hierarchy.node)
        assert auxiliary_of(image_of_array(hierarchy[DATA]["place"]), hierarchy.node) == ()
    assert one.text((2, 3)) == f"place {place[2, 3] * 0.5:g} mm"
