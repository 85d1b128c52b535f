"""Axes of NXdata groups as coordinates: in Python, and as xarray has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import xarray as xr

import zarrcore as zc
from tests.command import run_inside
from tests.core.conventions.nexus.files import DATA, opened
from zarrcore.conventions import coordinate_array, names_along

IMAGE = {"counts": (3, 4), "counts_errors": (3, 4), "y": (3,), "x": (4,), "other": (3, 4)}
ATTRIBUTES = {"signal": "counts", "axes": ["y", "x"], "auxiliary_signals": ["second"]}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("counts", ["y", "x"]),
        ("counts_errors", ["y", "x"]),
        ("second", ["y", "x"]),
        ("other", [None, None]),
        ("y", [None]),
    ],
)
def test_signals_and_their_errors_have_axes(tmp_path: Path, name: str, expected: list[str | None]) -> None:
    with opened(tmp_path / "a.nxs", ATTRIBUTES, second=(3, 4), **IMAGE) as hierarchy:
        array = hierarchy[f"{DATA}/{name}"]
        found = [coordinate_array(array, axis, hierarchy.node) for axis in range(array.ndim)]
        assert [axis and axis.name for axis in found] == expected


@pytest.mark.parametrize(
    ("x", "is_found"),
    [((4,), True), ((5,), True), ((3,), False), ((6,), False), ((1, 4), False), (1.0, False), (None, False)],
)
def test_an_axis_has_a_position_or_two_edges_for_each_element(tmp_path: Path, x: Any, is_found: bool) -> None:
    arrays = {name: told for name, told in IMAGE.items() if name != "x"}
    with opened(tmp_path / "a.nxs", ATTRIBUTES, **arrays, **({} if x is None else {"x": x})) as hierarchy:
        found = coordinate_array(hierarchy[f"{DATA}/counts"], 1, hierarchy.node)
        assert (found is not None) == is_found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, ["y", "x"]) for name in ("counts", "counts_errors", "second")),
        *((name, [name[0]]) for name in ("y", "y_errors")),
        ("x", None),  # the edges of bins
        ("depth", ["y", "x"]),
        *((name, None) for name in ("other", "small")),
    ],
)
def test_dimensions_are_named_as_their_axes(tmp_path: Path, name: str, expected: list[str] | None) -> None:
    told = {**ATTRIBUTES, "depth_indices": [0, 1], "auxiliary_signals": ["second", "small"]}
    arrays = {**IMAGE, "x": (5,), "depth": (3, 4), "second": (3, 4), "small": (2,), "y_errors": (3,)}
    with opened(tmp_path / "a.nxs", told, **arrays) as hierarchy:
        assert names_along(hierarchy[f"{DATA}/{name}"], hierarchy.node) == expected


def test_commands_select_and_describe_by_the_names_of_axes(tmp_path: Path) -> None:
    opened(tmp_path / "a.nxs", ATTRIBUTES, **IMAGE).close()
    shown = run_inside("cat", tmp_path / "a.nxs", f"{DATA}/counts", "--select", "y=2,x=1:3", "--as", "csv")
    assert (shown.status, shown.text.split()) == (0, ["9.0", "10.0"])
    described = run_inside("info", tmp_path / "a.nxs", f"{DATA}/counts").text.split("\n")
    assert ["dimensions", "y,", "x"] in [line.split() for line in described]


def test_names_of_dimensions_come_first(tmp_path: Path) -> None:
    opened(tmp_path / "a.nxs", ATTRIBUTES, wide=(4,), **IMAGE).close()
    with h5py.File(tmp_path / "a.nxs", "a") as file:
        file[DATA]["wide"].make_scale("wide")
        file[DATA]["counts"].dims[1].attach_scale(file[DATA]["wide"])
    with zc.open_hierarchy(tmp_path / "a.nxs") as hierarchy:
        array = hierarchy[f"{DATA}/counts"]
        assert [coordinate_array(array, axis, hierarchy.node).name for axis in (0, 1)] == ["y", "wide"]


def test_other_arrays_have_no_axes() -> None:
    hierarchy = zc.create("memory://")
    hierarchy["/"].attributes = {"signal": "a", "axes": ["b"]}
    array = hierarchy.create_array("/a", shape=(3,), dtype="u1")
    hierarchy.create_array("/b", shape=(3,), dtype="u1")
    assert coordinate_array(array, 0, hierarchy.node) is None, "the group is not of class NXdata"
    alone = zc.create("memory://").create_array("/", shape=(3,), dtype="u1")
    assert coordinate_array(alone, 0, alone.hierarchy.node) is None
    hierarchy["/"].attributes = {"NX_class": "NXdata", "signal": "a", "axes": ["a"]}
    assert coordinate_array(hierarchy["/a"], 0, hierarchy.node) is None, "the signal is not its own axis"


def dataset(path: Path) -> xr.Dataset:
    return xr.open_dataset(path, engine="zarrscope", group=DATA)


def test_xarray_has_axes_as_coordinates(tmp_path: Path) -> None:
    attributes = {**ATTRIBUTES, "place_indices": [0, 1], "pressure_indices": 1}
    more = {"place": (3, 4), "pressure": (4,), "x_errors": (4,)}
    opened(tmp_path / "a.nxs", attributes, {"x": {"units": "keV"}}, **IMAGE, **more).close()
    with dataset(tmp_path / "a.nxs") as found:
        assert found.counts.dims == found.counts_errors.dims == found.place.dims == ("y", "x")
        assert found.pressure.dims == found.x_errors.dims == ("x",)
        assert set(found.coords) == {"y", "x", "place", "pressure"}
        assert set(found.counts.coords) == {"y", "x", "place", "pressure"}
        assert found.x.attrs["units"] == "keV"
        np.testing.assert_array_equal(found.counts.sel(y=2, x=1), 9)


def test_xarray_has_edges_beside_their_bins(tmp_path: Path) -> None:
    opened(tmp_path / "a.nxs", ATTRIBUTES, **{**IMAGE, "x": (5,)}).close()
    with dataset(tmp_path / "a.nxs") as found:
        assert found.counts.dims == found.counts_errors.dims == ("y", "x_bins")
        assert found.x.dims == ("x",)
        assert found.sizes["x"] == 5


@pytest.mark.parametrize(
    "axes",
    [
        ["y", "missing"],
        ["y", "other"],
        ["y", "number"],
        ["y", "edges"],
        ["counts", "x"],
        ["y", "y"],
        7,
        ["x", "y"],
    ],
)
def test_xarray_opens_groups_whose_axes_do_not_fit(tmp_path: Path, axes: Any) -> None:
    more = {"number": 1.0, "number_errors": (1,), "edges": (5,), "edges_bins": 2.0}
    opened(tmp_path / "a.nxs", {**ATTRIBUTES, "axes": axes}, **IMAGE, **more).close()
    with dataset(tmp_path / "a.nxs") as found:
        np.testing.assert_array_equal(found.counts, np.arange(12).reshape(3, 4))


def test_xarray_leaves_a_broken_signal_out(tmp_path: Path) -> None:
    opened(tmp_path / "a.nxs", {**ATTRIBUTES, "signal": "broken"}, **IMAGE).close()
    with h5py.File(tmp_path / "a.nxs", "a") as file:
        file[DATA]["broken"] = h5py.SoftLink("/nowhere")
    with pytest.warns(UserWarning, match="broken is left out"), dataset(tmp_path / "a.nxs") as found:
        assert "counts" in found
