"""Datasets without the attribute ``Conventions``, as xarray writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import zarrcore as zc
from zarrcore.conventions import Dataset, meaning
from zarrcore.describe import meaning_facts
from zarrcore.stores import MemoryStore


def written(path: Path, data: xr.Dataset, zarr_format: Any = 3) -> Any:
    data.to_zarr(path, zarr_format=zarr_format, consolidated=False)
    return zc.open_hierarchy(path)["/"]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_attributes_of_cf_make_a_dataset_of_cf(tmp_path: Path, zarr_format: int) -> None:
    air = ("time", "lat"), np.zeros((2, 3), "f4"), {"units": "K"}
    data = xr.Dataset({"air": air}, {"lat": [1.0, 2, 3]}, {"title": "Two days"})
    group = written(tmp_path / "a.zarr", data, zarr_format)
    found = meaning(group)
    assert isinstance(found, Dataset)
    assert found.summary == "CF dataset, 1 variable on time 2 × lat 3"
    assert (found.variables, found.coordinates, found.title) == (("air",), ("lat",), "Two days")
    assert ("coordinates", "lat") in meaning_facts(group)


def test_auxiliary_coordinates_are_no_variables(tmp_path: Path) -> None:
    grid = np.zeros((2, 3))
    data = xr.Dataset(
        {"sst": (("y", "x"), grid, {"units": "K"})},
        {"nav_lat": (("y", "x"), grid), "nav_lon": (("y", "x"), grid), "code": ("station", [1, 2])},
    )
    found = meaning(written(tmp_path / "a.zarr", data))
    assert isinstance(found, Dataset)
    assert (found.variables, set(found.coordinates)) == (("sst",), {"code", "nav_lat", "nav_lon"})


def test_coordinates_alone_make_a_dataset_of_xarray(tmp_path: Path) -> None:
    data = xr.Dataset({"air": (("t", "x"), np.zeros((2, 3)))}, {"x": [1.0, 2, 3]})
    assert meaning_facts(written(tmp_path / "a.zarr", data))[0] == (
        "convention",
        "xarray dataset, 1 variable on t 2 × x 3",
    )


def test_other_groups_are_no_datasets(tmp_path: Path) -> None:
    hierarchy = zc.create(tmp_path / "a.zarr")
    for name, names in (("named", ("y", "x")), ("unnamed", None)):
        hierarchy.create_array(f"/{name}", shape=(2, 3), dtype="int8", dimension_names=names)
    hierarchy.create_array("/g/x", shape=(3,), dtype="int8", dimension_names=("x",))
    assert meaning(hierarchy["/"]) is None
    assert isinstance(meaning(hierarchy["/g"]), Dataset)
    assert meaning(zc.create(MemoryStore())["/"]) is None


def test_a_broken_array_is_named(tmp_path: Path) -> None:
    written(tmp_path / "a.zarr", xr.Dataset(coords={"x": [1.0, 2]}))
    (tmp_path / "a.zarr" / "b").mkdir()
    (tmp_path / "a.zarr" / "b" / "zarr.json").write_text("{")
    found = meaning(zc.open_hierarchy(tmp_path / "a.zarr")["/"])
    assert isinstance(found, Dataset)
    assert found.broken == ("b",)


class Counting(MemoryStore):
    """Counts requests for documents."""

    requests = 0

    def get(self, *args: Any, **options: Any) -> Any:
        self.requests += 1
        return super().get(*args, **options)


def test_many_children_are_not_requested() -> None:
    store = Counting()
    hierarchy = zc.create(store)
    for number in range(200):
        hierarchy.create_array(f"/{number}", shape=(1,), dtype="int8", dimension_names=(str(number),))
    assert isinstance(meaning(zc.open_hierarchy(store)["/"]), Dataset)
    hierarchy.create_array("/more", shape=(1,), dtype="int8", dimension_names=("more",))
    group = zc.open_hierarchy(store)["/"]
    store.requests = 0
    assert meaning(group) is None
    assert store.requests == 0


def test_a_store_that_cannot_list_says_nothing(tmp_path: Path) -> None:
    from zarrcore.stores.wrapper.interface import WrapperStore

    class Unlisted(WrapperStore):
        def list_dir(self, prefix: str) -> Any:
            raise zc.errors.ListingUnsupportedError("no listing")

        list_prefix = list_dir

    store = MemoryStore()
    zc.create(store).create_array("/x", shape=(1,), dtype="int8", dimension_names=("x",))
    assert meaning_facts(zc.open_hierarchy(Unlisted(store))["/"]) == []
