"""Copies of a part of arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
import zarr
from hypothesis import given
from hypothesis import strategies as st

import zarrcore as zc
from tests.command import run_inside
from tests.core.array.counting_store import CountingStore
from tests.core.operations.copy.copying import DATA, read_by_tensorstore
from tests.core.operations.copy.test_resume import Stopping
from zarrcore.errors import SelectionError
from zarrcore.operations.copy import Part, execute, plan_copy
from zarrcore.stores.memory import MemoryStore


@pytest.fixture
def climate(tmp_path: Path) -> tuple[Path, xr.Dataset]:
    """A dataset that xarray wrote: variables of two and of three dimensions, and coordinates."""
    values = np.random.default_rng(1).random((40, 18, 36), "f4")
    dataset = xr.Dataset(
        {
            "tas": (("time", "lat", "lon"), values, {"units": "K"}),
            "height": (("lat", "lon"), np.arange(18 * 36).reshape(18, 36)),
        },
        {"time": np.arange(40), "lat": np.linspace(-85, 85, 18), "lon": np.arange(36) * 10.0},
    )
    return tmp_path / "climate.zarr", dataset


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_all_arrays_with_a_dimension_are_cut(climate: tuple[Path, xr.Dataset], zarr_format: Any) -> None:
    path, dataset = climate
    dataset.to_zarr(
        path, encoding={"tas": {"chunks": (7, 5, 9)}}, zarr_format=zarr_format, consolidated=False
    )
    target = path.with_name("part.zarr")
    result = run_inside("copy", path, target, "--select", "time=3:30:4, lon=-1", "--quiet")
    assert (result.status, result.stderr) == (0, "")
    with xr.open_zarr(target, consolidated=False) as found:
        xr.testing.assert_identical(found.load(), dataset.isel(time=slice(3, 30, 4), lon=[-1]))


def sides(length: int) -> st.SearchStrategy[int | slice]:
    ends = st.none() | st.integers(-length - 2, length + 2)
    steps = st.none() | st.integers(1, 4)
    return st.integers(-length, length - 1) | st.builds(slice, ends, ends, steps)


@pytest.fixture(scope="session")
def unchanged(_source: Path) -> Path:
    """A hierarchy that examples share."""
    return _source


@given(sides(DATA.shape[0]), sides(DATA.shape[1]), st.sampled_from(["/a", "/g/s"]), st.booleans())
def test_a_part_of_one_array_is_what_numpy_selects(
    unchanged: Path, rows: int | slice, columns: int | slice, name: str, is_n5: bool
) -> None:
    values = zarr.open_array(f"{unchanged}{name}", mode="r")[...]
    kept = [slice(side, side + 1 or None) if isinstance(side, int) else side for side in (rows, columns)]
    target = MemoryStore()
    result = zc.copy(f"{unchanged}#{name}", target, select=(rows, columns), format="n5" if is_n5 else None)
    found = zc.open_array(target)
    np.testing.assert_array_equal(found[...], np.asarray(values)[tuple(kept)])
    assert result.nbytes == found.nbytes
    assert is_n5 or found.attributes == dict(zarr.open_array(f"{unchanged}{name}").attrs)


def test_chunks_are_no_larger_than_the_part(source: Path, tmp_path: Path) -> None:
    zc.copy(f"{source}#/a", tmp_path / "part.zarr", select="3:5,:")
    assert zc.open_array(tmp_path / "part.zarr").chunks == (2, 12)
    np.testing.assert_array_equal(read_by_tensorstore(tmp_path / "part.zarr"), zc.open(source)["a"][3:5])


def test_only_the_chunks_of_the_part_are_read(source: Path) -> None:
    store = CountingStore(source, remote=True)
    zc.copy(zc.open_hierarchy(store)["a"], MemoryStore(), select={"x": slice(0, 12), "y": 7})
    assert set(store.chunk_requests()) == {"a/c/1/0"}


def test_a_part_is_resumed_and_is_not_another_part(source: Path) -> None:
    hierarchy, store = zc.open_hierarchy(source), Stopping()
    plan = plan_copy(hierarchy, part=Part("y=5:,x=12:"), memory_nbytes=4000)
    store.left = 3
    with pytest.raises(zc.UnreachableError):
        execute(plan, hierarchy, store)
    store.left = 10**9
    with pytest.raises(zc.NodeExistsError):
        execute(plan_copy(hierarchy, part=Part("y=4:23,x=12:")), hierarchy, store)
    result = execute(plan, hierarchy, store)
    assert result.resumed_nbytes > 0
    np.testing.assert_array_equal(zc.open(store)["a"][...], zc.open(source)["a"][5:, 12:])


def test_levels_are_cut_along_what_they_have_in_common() -> None:
    source = zc.create(MemoryStore())
    source.attributes["multiscales"] = []
    for level, size in enumerate((8, 4)):
        source.create_array(str(level), data=np.arange(3 * size).reshape(3, size), dimension_names=["t", "x"])
    target = MemoryStore()
    zc.copy(source, target, select={"t": 1})
    assert zc.open(target)["1"][...].tolist() == [[4, 5, 6, 7]]
    plan = plan_copy(source, part=Part("t=1"))
    assert plan.notes == ("/: multiscales say where the whole is, and are copied as they are",)
    with pytest.raises(SelectionError, match="'x' has 8 elements in /0, and 4 in /1: copy one array"):
        zc.copy(source, MemoryStore(), select={"x": slice(2)})


@pytest.mark.parametrize("version", ["0.3", "0.4", "0.5"])
@pytest.mark.parametrize(
    ("select", "left"),
    [("c=1:2", [1]), ("c=2", [2]), ("c=-1", []), ("c=::2", [0, 2]), ("c=3:", []), ("x=2", [0, 1, 2])],
)
def test_the_channels_of_an_image_are_cut_with_its_elements(
    version: str, select: str, left: list[int]
) -> None:
    """The last of four channels has no settings."""
    axes: list[Any] = ["c", "x"]
    if version != "0.3":
        axes = [{"name": "c", "type": "channel"}, {"name": "x", "type": "space"}]
    told = [{"label": str(number), "color": "FFFFFF"} for number in range(3)]
    metadata: dict[str, Any] = {
        "multiscales": [{"axes": axes, "datasets": [{"path": "0"}]}],
        "omero": {"channels": told, "name": "n"},
    }
    metadata = {"ome": metadata, "other": 1} if version == "0.5" else metadata
    source = zc.create(MemoryStore())
    source.attributes.update(metadata)
    source.create_array("0", data=np.arange(16).reshape(4, 4), dimension_names=["c", "x"])
    target = MemoryStore()
    zc.copy(source, target, select=select)
    found = dict(zc.open(target).attributes)
    omero = found.get("ome", found)["omero"]
    assert omero == {"channels": [told[number] for number in left], "name": "n"}
    assert dict(source.attributes) == metadata
    assert found.keys() == metadata.keys()


@pytest.mark.parametrize(
    ("path", "select", "why"),
    [
        ("/", "3", "by position is for one array"),
        ("/a", "::-1", "its step is positive"),
        ("/a", "3,4,5", "3 indices for an array of 2 dimensions"),
        ("/a", "99", "indices must be in"),
        ("/a", "z=3", "has a dimension 'z'"),
        ("/a", "x=3,x=4", "selected twice"),
        ("/a", "x=3,4", "expected NAME=SELECTION"),
    ],
)
def test_a_selection_that_does_not_fit_is_one_sentence(
    source: Path, tmp_path: Path, path: str, select: str, why: str
) -> None:
    result = run_inside("copy", f"{source}#{path}", tmp_path / "part.zarr", "--select", select)
    assert result.status == 2
    assert why in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "part.zarr").exists()
