"""References that VirtualiZarr writes."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
import pytest

import zarrcore as zc

virtualizarr = pytest.importorskip("virtualizarr", reason="VirtualiZarr needs Python 3.12")


@pytest.mark.filterwarnings("ignore:The 'fastparquet' engine")
@pytest.mark.parametrize("form", ["json", "parquet"])
def test_files_combined_along_a_dimension_are_one_array(files: Path, tmp_path: Path, form: str) -> None:
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore
    from virtualizarr.parsers import HDFParser

    with virtualizarr.open_virtual_mfdataset(
        [str(files / f"day{day}.nc") for day in range(2)],
        registry=ObjectStoreRegistry({"file://": LocalStore()}),
        parser=HDFParser(),
        combine="nested",
        concat_dim="time",
        data_vars="minimal",
        coords="minimal",
        compat="override",
        loadable_variables=[],
    ) as days:
        days.vz.to_kerchunk(str(tmp_path / "days"), format=form)
    expected = []
    for day in range(2):
        with netCDF4.Dataset(files / f"day{day}.nc") as file:
            file["air"].set_auto_maskandscale(False)
            expected.append(file["air"][...])
    with zc.open_hierarchy(tmp_path / "days") as hierarchy:
        assert np.array_equal(hierarchy["air"][...], np.concatenate(expected))
        assert hierarchy["time"][...].tolist() == [*range(6)]
