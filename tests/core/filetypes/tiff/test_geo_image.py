"""Maps as GeoTIFF: north is up, selections and levels stay in place, as rioxarray and hand-computed grids say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import rioxarray  # noqa: F401 - for the accessor
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from rasterio.windows import Window
from rio_cogeo.cogeo import cog_validate

import zarrcore
from tests.core.filetypes.images import numbers, whole
from tests.core.filetypes.tiff.maps import array_in, opened, placed
from tests.core.filetypes.tiff.pyramids import halved
from zarrcore.array import ChunkCache
from zarrcore.errors import SelectionError
from zarrcore.filetypes import file_type

GRID = (10.0, 0.0, 500000.0, 0.0, -10.0, 4600000.0)


def geotiff(array: Any, selection: Any = ...) -> zarrcore.VirtualFile:
    return zarrcore.virtual_file(array, selection, "tif")


@pytest.mark.filterwarnings("ignore:The data type")  # of names of bands, by zarr-python before 3.2
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("ascending", [False, True])
def test_a_dataset_of_xarray_is_where_rioxarray_has_it(
    tmp_path: Path, zarr_format: int, ascending: bool
) -> None:
    """rioxarray has rows from south to north in the order of the array."""
    y = 4600000 - 10 * (np.arange(300) + 0.5)
    variable = xr.DataArray(
        numbers((2, 300, 200), "i2"),
        dims=("band", "y", "x"),
        coords={
            "band": ["B02", "B03"],
            "y": y[::-1] if ascending else y,
            "x": 500000 + 10 * (np.arange(200) + 0.5),
        },
    )
    variable = variable.rio.write_crs("EPSG:32633").rio.write_nodata(-999)
    dataset = variable.to_dataset(name="ndvi")
    dataset.to_zarr(tmp_path / "a.zarr", zarr_format=zarr_format, consolidated=False)
    with opened(geotiff(zarrcore.open_hierarchy(tmp_path / "a.zarr")["ndvi"])) as found:
        assert found.crs == variable.rio.crs
        assert found.bounds == variable.rio.bounds()
        assert found.transform[:6] == GRID
        assert found.nodata == variable.rio.nodata
        assert found.descriptions == ("B02", "B03")
        assert np.array_equal(found.read(), variable.values[:, ::-1] if ascending else variable.values)
        for east, north in ((500005, 4599995), (501995, 4597005), (501234, 4598765)):
            expected = variable.sel(x=east, y=north, method="nearest").values
            assert np.array_equal(next(found.sample([(east, north)])), expected)


def test_latitudes_and_longitudes() -> None:
    """Cells reach half a step beyond their coordinates."""
    hierarchy = zarrcore.create("memory://")
    array_in(
        hierarchy, "lat", np.linspace(-89.75, 89.75, 360), ["lat"], attributes={"units": "degrees_north"}
    )
    array_in(
        hierarchy, "lon", np.linspace(-179.75, 179.75, 720), ["lon"], attributes={"units": "degrees_east"}
    )
    data = numbers((360, 720), "f4")
    with opened(geotiff(array_in(hierarchy, "t", data, ["lat", "lon"]))) as found:
        assert found.crs.to_string() == "EPSG:4326"
        assert found.transform[:6] == pytest.approx((0.5, 0, -180, 0, -0.5, 90))
        assert np.array_equal(found.read(1), data[::-1])


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_every_cell_of_a_selection_stays_in_place(data: st.DataObject) -> None:
    """Whatever the order of the dimensions, the direction of the grid, and the selection."""
    shape = {"time": 2, "y": 7, "x": 9}
    names = data.draw(st.permutations([*shape]))
    elements = numbers(tuple(shape[name] for name in names), "i4") * 1000 + np.arange(126).reshape(
        [shape[name] for name in names]
    )
    right, down = (data.draw(st.sampled_from([-2.0, 0.5, 10.0])) for _ in "xy")
    hierarchy = zarrcore.create("memory://")
    x, y = 100 + right * np.arange(9), 50 + down * np.arange(7)
    placed(hierarchy, "", y, x)
    array = array_in(hierarchy, "a", elements, names, chunks=(2, 3, 4))
    steps = st.integers(1, 3) | st.integers(-3, -1)
    selection = tuple(
        slice(None, None, data.draw(steps))
        if name != "time"
        else data.draw(st.integers(0, 1) | st.just(slice(None)))
        for name in names
    )
    kept = dict(zip(names, selection, strict=True))
    expected = np.moveaxis(
        elements, [names.index(name) for name in ("time", "y", "x")], [0, 1, 2]
    )  # at original indices
    with opened(geotiff(array, selection)) as found:
        assert (found.transform.a > 0, found.transform.e < 0) == (True, True)
        times = range(2)[kept["time"]] if isinstance(kept["time"], slice) else [kept["time"]]
        assert found.count == len(times)
        read = found.read()
        rows, columns = range(7)[kept["y"]], range(9)[kept["x"]]
        assert found.shape == (len(rows), len(columns))
        for row in rows:
            for column in columns:
                line, pixel = found.index(x[column], y[row])
                assert read[:, line, pixel].tolist() == [expected[time, row, column] for time in times]


def test_a_rotated_grid_keeps_its_order() -> None:
    hierarchy = zarrcore.create("memory://")
    rotated = [7.0, 7.0, 0.0, 7.0, -7.0, 0.0]
    data = numbers((4, 6), "u1")
    array = array_in(hierarchy, "a", data, attributes={"spatial:transform": rotated})
    with opened(geotiff(array, (slice(1, None), slice(2, None)))) as found:
        assert np.array_equal(found.read(1), data[1:, 2:])
        assert found.transform[:6] == (7, 7, 21, 7, -7, 7)


LEVELS = halved((2, 1100, 1400), "u2", 4)


@pytest.fixture(scope="module")
def pyramid() -> zarrcore.Hierarchy:
    """Four levels whose rows go from south to north."""
    hierarchy = zarrcore.create("memory://")
    layout = [
        {"asset": str(n), "spatial:transform": [10.0 * 2**n, 0, 500000, 0, 10.0 * 2**n, 4600000]}
        for n in range(len(LEVELS))
    ]
    hierarchy["/"].attributes = {"multiscales": {"layout": layout}, "proj:code": "EPSG:32633"}
    for number, data in enumerate(LEVELS):
        array_in(hierarchy, str(number), data, ["band", "y", "x"], chunks=(1, 256, 256))
    return hierarchy


def test_coarser_levels_are_overviews(pyramid: zarrcore.Hierarchy) -> None:
    file = geotiff(pyramid["0"])
    with opened(file) as found:
        assert found.overviews(1) == [2, 4, 8]
        assert np.array_equal(found.read(), LEVELS[0][:, ::-1])
    for number, data in enumerate(LEVELS[1:]):
        with opened(file, overview_level=number) as found:
            assert np.array_equal(found.read(), data[:, ::-1])
            window = Window(3, 5, 70, 60)
            assert np.array_equal(found.read(2, window=window), data[1, ::-1][5:65, 3:73])


def test_programs_that_show_less_read_an_overview(pyramid: zarrcore.Hierarchy) -> None:
    store = zarrcore.stores.StatisticsStore(pyramid.store)
    file = geotiff(zarrcore.open_hierarchy(store, chunk_cache=ChunkCache(1 << 24))["0"])
    with opened(file) as found:
        before = store.statistics()["get"].requests
        read = found.read(1, out_shape=LEVELS[2].shape[1:])
        assert np.array_equal(read, LEVELS[2][0, ::-1])
    assert (
        store.statistics()["get"].requests - before == 4
    )  # chunks of that level; the first has 30 in a plane


@pytest.mark.parametrize("selection", [1, slice(1, None), slice(None, None, -1)])
def test_bands_of_a_selection_have_overviews(pyramid: zarrcore.Hierarchy, selection: Any) -> None:
    file = geotiff(pyramid["1"], selection)
    with opened(file, overview_level=0) as found:
        expected = LEVELS[2][selection].reshape(-1, *LEVELS[2].shape[1:])
        assert np.array_equal(found.read(), expected[:, ::-1])


@pytest.mark.parametrize("selection", [(0, slice(1, None)), (0, ..., slice(None, None, 2)), (..., 5)])
def test_a_part_of_the_rows_or_columns_has_none(pyramid: zarrcore.Hierarchy, selection: Any) -> None:
    with opened(geotiff(pyramid["0"], selection)) as found:
        assert found.overviews(1) == []


def test_a_pyramid_is_a_cloud_optimized_geotiff(pyramid: zarrcore.Hierarchy, tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    path.write_bytes(whole(pyramid["0"], "tif"))
    assert cog_validate(path, strict=True, quiet=True) == (True, [], [])
    path.write_bytes(whole(pyramid["0"], "tif", (slice(None), slice(600))))
    is_valid, errors, warnings = cog_validate(path, quiet=True)
    assert (is_valid, errors) == (True, [])
    assert "recommended to include internal overviews" in warnings[0]


def test_the_file_of_a_group_is_that_of_its_first_level(pyramid: zarrcore.Hierarchy) -> None:
    kind = file_type("geotiff")
    file, first = kind.of_group(pyramid["/"]), geotiff(pyramid["0"])
    assert (file.size, file.version) == (first.size, first.version)
    assert bytes(file.read(0, 4096)) == bytes(first.read(0, 4096))
    other = zarrcore.create("memory://").create_group("g")
    with pytest.raises(SelectionError, match="is not a multiscale image: name an array in it"):
        kind.of_group(other)


def test_the_version_changes_with_the_metadata() -> None:
    hierarchy = zarrcore.create("memory://")
    array = array_in(hierarchy, "a", np.zeros((4, 6)), ["y", "x"])
    before = geotiff(array).version
    hierarchy["/"].attributes = {"proj:code": "EPSG:32633"}
    assert geotiff(hierarchy["a"]).version != before


def test_gdal_copies_the_whole_file(pyramid: zarrcore.Hierarchy, tmp_path: Path) -> None:
    """As gdal_translate does."""
    from rasterio.shutil import copy

    (tmp_path / "a.tif").write_bytes(whole(pyramid["2"], "tif"))
    copy(tmp_path / "a.tif", tmp_path / "b.tif", driver="COG", compress="deflate")
    with rasterio.open(tmp_path / "b.tif") as found:
        assert np.array_equal(found.read(), LEVELS[2][:, ::-1])
        assert found.transform[:6] == (40, 0, 500000, 0, -40, 4600000 + 40 * LEVELS[2].shape[1])


@pytest.mark.parametrize(("dtype", "told", "shown"), [("i1", "true", "u1"), ("u2", "false", "i2")])
def test_integers_of_the_other_signedness(dtype: str, told: str, shown: str) -> None:
    hierarchy = zarrcore.create("memory://")
    data = numbers((5, 7), dtype)
    attributes = {"_Unsigned": told, "scale_factor": 0.5, "_FillValue": int(data[0, 0])}
    with opened(geotiff(array_in(hierarchy, "t", data, ["y", "x"], attributes=attributes))) as found:
        assert found.dtypes == (np.dtype(shown).name,)
        assert np.array_equal(found.read(1), data.view(shown))
        assert found.nodata == data.view(shown)[0, 0]
        assert found.scales == (0.5,)
