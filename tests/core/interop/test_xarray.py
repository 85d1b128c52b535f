"""xarray's engine, compared with xarray's own engines on files that xarray wrote."""

from __future__ import annotations

import pickle
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import xarray as xr
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.campaigns import ALL
from tests.core.formats.drafts.draft_arrays import VALUES, store_of
from tests.core.formats.drafts.draft_writer import DRAFTS, Array, write
from zarrcore.errors import HierarchyNotFoundError, NodeNotFoundError
from zarrcore.interop.xarray import ZarrscopeBackend
from zarrcore.stores import MemoryStore

ENGINE = ZarrscopeBackend


def dataset() -> xr.Dataset:
    """Variables with all that xarray decodes: masks, scales, times, text, coordinates."""
    random = np.random.default_rng(0)
    times = np.datetime64("2001-01-01") + np.arange(6).astype("m8[D]")
    data = {
        "temperature": (("time", "lat", "lon"), random.normal(280, 9, (6, 5, 8)), {"units": "K"}),
        "packed": (("time", "lat"), random.normal(0, 1, (6, 5))),
        "masked": (("lat", "lon"), np.where(random.random((5, 8)) < 0.3, np.nan, 1.5).astype("f4")),
        "count": (("lon",), np.arange(8, dtype="i2")),
        "flag": (("lon",), np.arange(8) % 2 == 0),
        "name": (("lat",), np.array(["a", "bb", "", "ünï", "e"])),
        "wave": (("lon",), np.exp(1j * np.arange(8))),
        "scalar": ((), 3.5),
    }
    coordinates = {
        "time": times,
        "lat": np.linspace(-10, 10, 5),
        "lon": np.arange(8.0),
        "height": ((), 2.0, {"units": "m"}),
        "cell": (("lat", "lon"), random.random((5, 8))),
    }
    return xr.Dataset(data, coordinates, {"title": "example", "levels": [1, 2, 3]})


ENCODING: dict[str, dict[str, Any]] = {
    "packed": {"dtype": "i2", "scale_factor": 0.01, "add_offset": 1.0, "_FillValue": -999},
    "masked": {"_FillValue": -1.0},
    "temperature": {"chunks": (2, 3, 4)},
}


def written(path: Path, zarr_format: int, **options: Any) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset().to_zarr(path, zarr_format=zarr_format, encoding=ENCODING, **options)
    return path


@pytest.mark.sampled(4)
@pytest.mark.parametrize("decoded", [True, False])
@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_dataset_is_identical_to_that_of_the_zarr_engine(
    tmp_path: Path, *, zarr_format: int, consolidated: bool, decoded: bool
) -> None:
    path = written(tmp_path / "a.zarr", zarr_format, consolidated=consolidated)
    options = {} if decoded else {"decode_cf": False}
    with (
        xr.open_dataset(path, engine="zarr", consolidated=consolidated, **options) as expected,
        xr.open_dataset(path, engine=ENGINE, **options) as found,
    ):
        xr.testing.assert_identical(found, expected)
        for name in expected.variables:
            assert found[name].encoding.get("preferred_chunks") == expected[name].encoding.get(
                "preferred_chunks"
            )
            assert found[name].dtype == expected[name].dtype


@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4", "scipy"])
def test_a_netcdf_file_is_identical_to_that_of_its_own_engine(tmp_path: Path, engine: str) -> None:
    source = dataset().drop_vars(["wave", "flag"] + ["name"] * (engine == "scipy"))
    encoding = {key: value for key, value in ENCODING.items() if key != "temperature"}
    source.to_netcdf(tmp_path / "a.nc", engine=engine, encoding=encoding)
    with (
        xr.open_dataset(tmp_path / "a.nc", engine=engine) as expected,
        xr.open_dataset(tmp_path / "a.nc", engine=ENGINE) as found,
    ):
        xr.testing.assert_identical(found, expected)
        assert found.time.dtype.kind == "M"


@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4", "scipy"])
def test_a_scale_of_float32_in_a_file_gives_float32(tmp_path: Path, engine: Any) -> None:
    values = np.arange(90, dtype="i2")
    attributes = {"scale_factor": np.float32(0.01)}
    source = xr.Dataset(
        {
            "a": ("x", values, attributes),
            "b": ("x", values, {**attributes, "add_offset": np.float32(2.5)}),
            "c": ("x", values, {**attributes, "add_offset": 2.6}),
        }
    )
    source.to_netcdf(tmp_path / "a.nc", engine=engine)
    with (
        xr.open_dataset(tmp_path / "a.nc", engine=engine) as expected,
        xr.open_dataset(tmp_path / "a.nc", engine=ENGINE) as found,
    ):
        xr.testing.assert_identical(found, expected)
        assert {name: one.dtype for name, one in found.items()} == {
            name: one.dtype for name, one in expected.items()
        }
        assert str(found.a.values[70]) == "0.7"


@pytest.mark.parametrize("engine", ["netcdf4", "scipy"])
def test_values_have_the_type_and_the_bits_of_any_scale_and_offset_of_a_file(
    tmp_path: Path, engine: Any
) -> None:
    random = np.random.default_rng(51)
    packing = ["f4", "f8", "i1", "i2", "i4", *(("u1", "i8") if engine == "netcdf4" else ()), ""]
    stored = ["i1", "i2", "i4", "f4", "f8", *(("u1", "u2", "u4", "i8") if engine == "netcdf4" else ())]
    variables = {}
    kinds = [*enumerate(product(stored, packing, packing))]
    for number, (dtype, *types) in kinds if ALL else kinds[::5]:  # with all pairs
        told = {
            name: np.dtype(kind).type(random.choice([0.1, 1.0, random.uniform(1, 100)]))
            for name, kind in zip(("scale_factor", "add_offset"), types, strict=True)
            if kind
        }
        variables[f"v{number}"] = ("x", random.integers(0, 100, 20).astype(dtype), told)
    xr.Dataset(variables).to_netcdf(tmp_path / "a.nc", engine=engine)
    with (
        np.errstate(over="ignore"),
        xr.open_dataset(tmp_path / "a.nc", engine=engine) as expected,
        xr.open_dataset(tmp_path / "a.nc", engine=ENGINE) as found,
    ):
        assert len(expected) == len(variables)
        for name, one in expected.items():
            assert found[name].dtype == one.dtype, one.encoding
            assert found[name].values.tobytes() == one.values.tobytes(), one.encoding


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_tree_is_identical_to_that_of_the_zarr_engine(tmp_path: Path, zarr_format: int) -> None:
    inner = dataset()[["temperature"]].isel(time=slice(0, 3))
    tree = xr.DataTree.from_dict({"/": dataset()[["count"]], "/a/b": inner, "/c": xr.Dataset(attrs={"x": 1})})
    tree.to_zarr(tmp_path / "a.zarr", zarr_format=zarr_format, consolidated=False)
    with (
        xr.open_datatree(tmp_path / "a.zarr", engine="zarr", consolidated=False) as expected,
        xr.open_datatree(tmp_path / "a.zarr", engine=ENGINE) as found,
    ):
        xr.testing.assert_identical(found, expected)
    groups = xr.open_groups(tmp_path / "a.zarr", engine=ENGINE, group="a")
    assert [*groups] == ["/", "/b"]
    xr.testing.assert_identical(
        groups["/b"], xr.open_dataset(tmp_path / "a.zarr", engine="zarr", consolidated=False, group="a/b")
    )


def test_xarray_knows_the_engine() -> None:
    assert isinstance(xr.backends.list_engines()["zarrscope"], ZarrscopeBackend)


INDEXERS = st.one_of(
    st.integers(-6, 5),
    st.builds(
        slice,
        st.none() | st.integers(-7, 7),
        st.none() | st.integers(-7, 7),
        st.sampled_from([None, 1, 2, 3, -1, -2]),
    ),
    st.lists(st.integers(-6, 5), min_size=1, max_size=5),
)


def is_usable(part: Any) -> bool:
    """Whether xarray itself can take it: it fails for descending slices without elements."""
    return not isinstance(part, slice) or (part.step or 1) > 0 or len(range(6)[part]) > 0


@settings(deadline=None, max_examples=60)
@given(st.tuples(*[INDEXERS.filter(is_usable)] * 3))
def test_a_selection_is_that_of_a_loaded_array(key: tuple[Any, ...]) -> None:
    hierarchy = zarrcore.create(MemoryStore())
    values = np.arange(6 * 6 * 6).reshape(6, 6, 6)
    hierarchy.create_array("/x", shape=values.shape, dtype="int64", chunks=(2, 4, 3))[...] = values
    lazy = xr.open_dataset(hierarchy, engine=ENGINE)["x"]
    whole = lazy.copy(data=values)
    selected = dict(zip(whole.dims, key, strict=True))
    xr.testing.assert_identical(lazy.isel(selected).load(), whole.isel(selected))
    arrays = {
        name: xr.DataArray(part, dims="points") for name, part in selected.items() if isinstance(part, list)
    }
    shortest = min(map(len, arrays.values()), default=0)
    arrays = {name: part[:shortest] for name, part in arrays.items()}
    pointwise = {**selected, **arrays}
    xr.testing.assert_identical(lazy.isel(pointwise).load(), whole.isel(pointwise))


def test_distant_indices_read_few_chunks(tmp_path: Path) -> None:
    asked: list[str] = []

    class Counting(MemoryStore):
        def get(self, key: str, *rest: Any, **options: Any) -> Any:
            asked.append(key)
            return super().get(key, *rest, **options)

    hierarchy = zarrcore.create(Counting())
    hierarchy.create_array("/x", shape=(100_000,), dtype="int32", chunks=(10,))[99_990:] = 7
    lazy = xr.open_dataset(hierarchy, engine=ENGINE)["x"]
    asked.clear()
    assert lazy.isel(phony_dim_0=[0, 99_999]).values.tolist() == [0, 7]
    assert len(asked) < 10


def test_variables_are_lazy_and_go_to_workers(tmp_path: Path) -> None:
    path = written(tmp_path / "a.zarr", 3)
    with xr.open_dataset(path, engine=ENGINE, chunks={}) as found:
        assert found.temperature.chunks == ((2, 2, 2), (3, 2), (4, 4))
        sent = pickle.loads(pickle.dumps(found))
        xr.testing.assert_identical(sent.compute(), xr.load_dataset(path, engine="zarr"))


def test_dimensions_without_names_get_some(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3)
    group.create_array("a", shape=(4, 4, 3), chunks=(2, 2, 2), dtype="i4")
    group.create_array("b", shape=(3,), chunks=(2,), dtype="i4", dimension_names=["x"])
    group.create_array("c", shape=(5,), chunks=(2,), dtype="i4", dimension_names=["x"])
    found = xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE)
    assert {name: found[name].dims for name in found} == {
        "a": ("phony_dim_0", "phony_dim_1", "phony_dim_2"),
        "b": ("x",),
        "c": ("x_c",),
    }


def test_a_group_keeps_clear_of_the_dimensions_above_it(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3)
    group.create_array("a", shape=(4,), chunks=(2,), dtype="i4", dimension_names=["x"])
    group.create_array("below/b", shape=(3, 2), chunks=(2, 2), dtype="i4", dimension_names=["x", None])
    tree = xr.open_datatree(tmp_path / "a.zarr", engine=ENGINE)
    assert tree["a"].dims == ("x",)
    assert tree["below/b"].dims == ("x_b", "phony_dim_0")
    assert xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE, group="below").b.dims == ("x", "phony_dim_0")


@pytest.mark.parametrize("day", DRAFTS)
def test_drafts_of_zarr_v3_open(day: str) -> None:
    array = Array(VALUES, (2, 4), attributes={"units": "m", "_FillValue": 7})
    with xr.open_dataset(store_of(write(day, {"/a": array})), engine=ENGINE) as found:
        assert found.a.attrs == {"units": "m"}
        assert found.a.dtype.kind == "f", "a masked integer"
        assert np.array_equal(found.a, np.where(VALUES == 7, np.nan, VALUES), equal_nan=True)


def test_n5_opens(tmp_path: Path) -> None:
    with zarrcore.create(tmp_path / "a.n5", format="n5") as hierarchy:
        made = hierarchy.create_array("/g/a", shape=(5, 6), dtype="int32", chunks=(2, 4))
        made[...] = VALUES
        made.attributes = {"units": "m", "axes": ["x", "y"]}
    with xr.open_dataset(tmp_path / "a.n5", engine=ENGINE, group="g", chunks={}) as found:
        assert np.array_equal(found.a, VALUES)
        assert found.a.attrs["units"] == "m"
        assert found.a.chunks == ((2, 2, 1), (4, 2))


def test_any_source_opens(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["group/x"] = np.arange(12.0).reshape(3, 4)
    with xr.open_dataset(tmp_path / "a.h5", engine=ENGINE, group="group") as found:
        assert np.array_equal(found.x, np.arange(12.0).reshape(3, 4))
    with xr.open_dataset(tmp_path / "a.h5", engine=ENGINE, group="/group/x") as found:
        assert [*found] == ["x"]
    with xr.open_dataset(tmp_path / "a.h5/group/x", engine=ENGINE, drop_variables="x") as found:
        assert [*found] == ["array"]
    with pytest.raises(NodeNotFoundError, match="absent"):
        xr.open_dataset(tmp_path / "a.h5", engine=ENGINE, group="absent")
    with pytest.raises(HierarchyNotFoundError):
        xr.open_dataset("memory://nothing-here", engine=ENGINE, storage_options={"timeout_s": 5})


def test_a_broken_array_is_left_out_with_a_warning(tmp_path: Path) -> None:
    path = written(tmp_path / "a.zarr", 3, consolidated=False)
    (path / "count/zarr.json").write_text("{")
    with pytest.warns(UserWarning, match=r"#/count is left out: "):
        found = xr.open_dataset(path, engine=ENGINE)
    assert "count" not in found
    assert "masked" in found
