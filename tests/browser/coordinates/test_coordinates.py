"""Coordinates along axes: CF arrays, dates, names, scales, ticks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.fakes import FakeArray, FakeGroup
from tests.core.conventions.nexus.files import opened as nexus_file
from zarrbrowser.coordinates.coordinates import Coordinate, coordinates_of, decoded, scale_along
from zarrbrowser.coordinates.scale_bar import bar
from zarrbrowser.image.levels import Image, image_of_array, whole
from zarrbrowser.session.sources import SourceRequest, open_source
from zarrcore.conventions.cf import Direction
from zarrcore.errors import NodeNotFoundError


def array_of(values: Any, **attributes: Any) -> FakeArray:
    array = FakeArray(np.asarray(values))
    array.attributes = attributes
    return array


@pytest.mark.parametrize(
    ("values", "attributes", "expected"),
    [
        ([0, 31], {"units": "days since 2000-01-01"}, ["2000-01-01", "2000-02-01"]),
        (
            [0.5, 1.0],
            {"units": "days since 2000-1-1 00:00:00", "calendar": "standard"},
            ["2000-01-01T12:00", "2000-01-02T00:00"],
        ),
        ([6], {"units": "hours since 1900-01-01T00:00:00Z"}, ["1900-01-01T06:00"]),
        ([-1], {"units": "seconds since 1970-01-01"}, ["1969-12-31T23:59:59"]),
        ([738000], {"units": "days since 0001-01-01", "calendar": "proleptic_gregorian"}, ["2021-07-30"]),
        ([1.5], {"units": "days since 2000-01-01", "calendar": "noleap"}, ["2000-01-02T12:00"]),
        ([3], {"units": "months since 2000-01-31"}, ["3 months since 2000-01-31"]),
        ([59], {"units": "days since 2000-01-01", "calendar": "360_day"}, ["2000-02-30"]),
        ([0], {"units": "days since 2000-01-01", "calendar": "lunar"}, ["0 days since 2000-01-01"]),
        ([3], {"units": "metres"}, ["3 metres"]),
        ([float("nan"), 1.0], {"units": "metres"}, ["no value", "1 metres"]),
        ([10], {"units": "degrees_north", "scale_factor": 0.5, "add_offset": 1.0}, ["6 °N"]),
        ([float("nan"), 0.0], {"units": "days since 2000-01-01"}, ["no date", "2000-01-01"]),
        (["a", "b"], {}, ["a", "b"]),
        ([True], {}, ["1"]),
        (np.array(["2020-01-01", "2020-01-03"], "M8[ns]"), {}, ["2020-01-01"]),
    ],
)
def test_positions_have_coordinates(values: Any, attributes: dict[str, Any], expected: list[str]) -> None:
    found = decoded(array_of(values, **attributes), "axis")
    assert [found.text(position) for position in range(len(expected))] == expected
    assert found.text(-1) == found.text(len(values)) == ""


@pytest.mark.parametrize("calendar", ["standard", "proleptic_gregorian"])
def test_dates_as_xarray_reads_them(tmp_path: Path, calendar: str) -> None:
    times = np.array(["1999-12-31T18:00", "2000-01-01", "2000-02-29T12:30:15"], "M8[ns]")
    data = xr.Dataset({"v": (("time", "x"), np.zeros((3, 4)))}, {"time": times, "x": [1.5, 2.5, 3.5, 4.5]})
    data.time.encoding = {"calendar": calendar}
    data.to_zarr(tmp_path / "a.zarr", zarr_format=2, consolidated=False)
    source = open_source(SourceRequest(str(tmp_path / "a.zarr")))
    found = coordinates_of(image_of_array(source.hierarchy.node("/v")), source.hierarchy.node)
    assert (found[0].values == times).all()
    assert found[1].values.tolist() == [1.5, 2.5, 3.5, 4.5]


def test_arrays_that_are_not_coordinates_are_ignored() -> None:
    nodes = {"/a/y": array_of([1, 2, 3]), "/a/x": array_of(np.zeros((2, 2)))}

    def find(path: str) -> FakeArray:
        if path not in nodes:
            raise NodeNotFoundError(path, "fake.zarr")
        nodes[path].path = path
        return nodes[path]

    array = FakeArray(np.zeros((3, 2, 4)), ("y", "x", None))
    array.path = "/a/values"
    found = coordinates_of(image_of_array(array), find)
    assert list(found) == [0]
    assert found[0].values.tolist() == [1, 2, 3]


def test_a_scale_gives_coordinates() -> None:
    array = FakeArray(np.zeros((2, 30, 40)))
    image = Image(
        "/i", (whole(array),), ("c", "y", "x"), ("", "micrometer", "micrometer"), (1.0, 0.5, 0.25), (0, 3, 0)
    )
    found = coordinates_of(image, lambda path: pytest.fail(path))
    assert sorted(found) == [1, 2]
    assert found[1].text(4) == "5 µm"
    assert scale_along(image, 2) == (0.25, "micrometer")
    assert scale_along(image, 0) is None
    assert scale_along(image_of_array(array), 2) is None


@given(
    st.sampled_from([1.0, -1.0]),
    st.floats(-1e4, 1e4),
    st.floats(1e-3, 1e3),
    st.integers(2, 500),
    st.floats(0, 1),
    st.floats(0.05, 1),
    st.integers(2, 12),
)
def test_ticks_are_at_the_positions_of_their_numbers(
    sign: float, first: float, step: float, length: int, start: float, share: float, most: int
) -> None:
    values = first + sign * step * np.arange(length)
    low = start * (length - 1)
    high = min(length - 1.0, low + share * length)
    ticks = Coordinate("x", "", values).ticks(low, high, most)
    assert len(ticks) <= most + 1
    for position, text in ticks:
        assert low - 1e-6 <= position <= high + 1e-6
        written = float(text.replace(",", ""))
        assert written == pytest.approx(
            first + sign * step * position, abs=step * length * 0.02 + 1e-4, rel=1e-6
        )


@pytest.mark.parametrize(
    ("first", "step", "count", "expected"),
    [
        ("2000-01-01", "1 D", 1000, ["2000-07-01", "2001-01-01", "2001-07-01", "2002-01-01", "2002-07-01"]),
        ("2000-01-01", "30 D", 1200, ["2020-01-01", "2040-01-01", "2060-01-01", "2080-01-01"]),
        ("2000-01-01T00:00", "10 m", 100, ["2000-01-01T03:00", "2000-01-01T06:00"]),
    ],
)
def test_ticks_of_dates_are_round(first: str, step: str, count: int, expected: list[str]) -> None:
    number, unit = step.split()
    dates = np.datetime64(first) + np.arange(count) * np.timedelta64(int(number), unit)
    ticks = Coordinate("t", "", dates).ticks(0, count - 1, 6)
    texts = [text for _, text in ticks]
    for one in expected:
        assert any(text.startswith(one) for text in texts), texts
    for position, text in ticks:
        assert abs(dates[round(position)] - np.datetime64(text)) <= np.timedelta64(int(number), unit)


def test_values_that_are_not_monotonic_are_labelled_by_position() -> None:
    coordinate = Coordinate("n", "", np.array(["b", "a", "c", "d"]))
    assert coordinate.ticks(0, 3, 10) == [(0.0, "b"), (1.0, "a"), (2.0, "c"), (3.0, "d")]
    assert coordinate.ticks(0, 3, 2) == [(0.0, "b"), (2.0, "c")]
    assert coordinate.ticks(5, 9, 2) == []
    assert Coordinate("x", "", np.array([1.0, 2.0])).ticks(1 - 1e-16, 1, 5) == []


@given(st.floats(1e-4, 1e4), st.sampled_from(["nanometer", "micrometer", "meter", "mm"]), st.floats(20, 400))
def test_a_scale_bar_is_round_and_fits(per_pixel: float, unit: str, most: float) -> None:
    pixels, text = bar(per_pixel, unit, most)
    assert 0.3 * most <= pixels <= most * 1.000001
    assert text.replace("e-", "")[0] in "125"


@pytest.mark.parametrize(
    ("values", "turns"),
    [([350, 355, 0, 5], False), ([5, 0, 355, 350], True), ([170, 175, -180, -175], False), ([1], False)],
)
def test_longitudes_that_begin_again_still_run_to_the_right(values: list[int], turns: bool) -> None:
    assert Coordinate("lon", "°E", np.array(values), Direction.RIGHT).turns_columns is turns


def test_cells_have_the_bounds_that_cf_tells(tmp_path: Path) -> None:
    times = np.array(["2000-01-16", "2000-02-15"], "M8[ns]")
    ends = np.array([["2000-01-01", "2000-02-01"], ["2000-02-01", "2000-03-01"]], "M8[ns]")
    data = xr.Dataset(
        {
            "v": (("time", "lat", "lon"), np.zeros((2, 3, 2))),
            "time_bnds": (("time", "nv"), ends),
            "lat_bnds": (("lat", "nv"), [[-90.0, -30], [-30, 30], [30, 90]]),
            "lon_bnds": (("lon", "other"), np.zeros((2, 3))),
        },
        {
            "time": ("time", times, {"bounds": "time_bnds"}),
            "lat": ("lat", [-60.0, 0, 60], {"units": "degrees_north", "bounds": "lat_bnds"}),
            "lon": ("lon", [0.0, 180], {"units": "degrees_east", "bounds": "lon_bnds"}),
        },
    )
    data.to_zarr(tmp_path / "a.zarr", consolidated=False, zarr_format=3)
    find = open_source(SourceRequest(str(tmp_path / "a.zarr"))).hierarchy.node
    found = coordinates_of(image_of_array(find("/v")), find)
    assert found[0].cell(1).split(" to ") == ["2000-02-01", "2000-03-01"]
    assert found[1].cell(0) == "-90 to -30"
    assert found[1].cell(3) == found[1].cell(-1) == ""
    assert found[2].cell(0) == "", "three ends are none"


@pytest.mark.parametrize("bounds", ["none", "lat", "", 7, None, ["a"]])
def test_bounds_that_are_not_there_are_left_out(bounds: Any) -> None:
    lat = FakeArray(np.arange(3.0))
    lat.attributes = {"units": "degrees_north", "bounds": bounds}
    group = FakeGroup({"a": FakeArray(np.zeros((3, 4)), ("lat", "x")), "lat": lat})
    coordinate = coordinates_of(image_of_array(group.find("/a")), group.find)[0]
    assert coordinate.bounds is None
    assert coordinate.cell(0) == ""


def test_axes_of_nexus_have_values_units_and_cells(tmp_path: Path) -> None:
    attributes = {"signal": "counts", "axes": ["angle", "energy"]}
    units = {"angle": {"units": "degrees"}, "energy": {"units": "keV"}}
    arrays = {"counts": (3, 4), "angle": np.array([0.0, 0.5, 2.0]), "energy": np.array([1, 2, 4, 8, 16])}
    with nexus_file(tmp_path / "a.nxs", attributes, units, **arrays) as hierarchy:
        found = coordinates_of(image_of_array(hierarchy["/entry/data/counts"]), hierarchy.node)
    angle, energy = found[0], found[1]
    assert (angle.name, angle.text(1)) == ("angle", "0.5 °")
    assert (energy.name, energy.text(1), energy.cell(1)) == ("energy", "3 keV", "2 to 4"), "edges of bins"


def test_axes_of_nexus_have_their_factors_and_offsets(tmp_path: Path) -> None:
    stored = np.array([0, 1, 3], "i2")
    arrays = {"counts": (3,), "angle": stored, "angle_scaling_factor": 0.5, "angle_offset": -2.0}
    edges = {"sums": (2,), "angle": stored, "angle_scaling_factor": 0.5, "angle_offset": -2.0}
    for signal, present in (("counts", arrays), ("sums", edges)):
        attributes = {"signal": signal, "axes": "angle"}
        with nexus_file(tmp_path / f"{signal}.nxs", attributes, **present) as hierarchy:
            [found] = coordinates_of(
                image_of_array(hierarchy["/entry/data"][signal]), hierarchy.node
            ).values()
        corrected = (stored + -2.0) * 0.5
        if signal == "counts":
            np.testing.assert_array_equal(found.values, corrected)
        else:
            np.testing.assert_array_equal(found.bounds, np.stack((corrected[:-1], corrected[1:]), axis=1))


def test_edges_that_are_no_numbers_are_no_coordinates(tmp_path: Path) -> None:
    arrays = {"counts": (2,), "names": ["a", "b", "c"]}
    with nexus_file(tmp_path / "a.nxs", {"signal": "counts", "axes": "names"}, **arrays) as hierarchy:
        assert coordinates_of(image_of_array(hierarchy["/entry/data/counts"]), hierarchy.node) == {}
