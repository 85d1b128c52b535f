"""Stored numbers of NXdata groups with factors and offsets: corrected = (stored + offset) × factor, as the manual has it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import xarray as xr

from tests.core.conventions.nexus.files import DATA, opened
from zarrcore.conventions import NexusData, meaning
from zarrcore.conventions.nexus.scaling import scaling_of
from zarrcore.errors import ZarrError

PLAIN = {"counts": (4,), "x": (4,)}


@pytest.mark.parametrize(
    ("arrays", "of_signal", "of_axis"),
    [
        ({}, None, None),
        ({"counts_scaling_factor": 0.5}, (0.5, 0.0), None),
        ({"counts_offset": np.int16(-3)}, (1.0, -3.0), None),
        ({"counts_offset": 10.0, "counts_scaling_factor": [0.5]}, (0.5, 5.0), None),
        ({"x_offset": 2.0, "x_scaling_factor": 3.0}, None, (3.0, 6.0)),
        ({"offset": 2.0, "scaling_factor": 3.0}, (3.0, 6.0), None),
        ({"offset": 2.0, "counts_scaling_factor": 3.0}, (3.0, 0.0), None),
        ({"x_offset": (4,), "counts_offset": "far"}, None, None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_old", [False, True])
def test_factors_and_offsets(
    tmp_path: Path,
    arrays: dict[str, Any],
    of_signal: tuple[float, float] | None,
    of_axis: tuple[float, float] | None,
    is_old: bool,
) -> None:
    group = {} if is_old else {"signal": "counts", "axes": "x"}
    of_arrays = {"counts": {"signal": 1, "axes": "x"}} if is_old else {}
    with opened(tmp_path / "a.nxs", group, of_arrays, **PLAIN, **arrays) as hierarchy:
        data = hierarchy[DATA]
        assert scaling_of(data["counts"], hierarchy.node) == of_signal
        assert scaling_of(data["x"], hierarchy.node) == of_axis
        found = meaning(data)
        assert isinstance(found, NexusData)
        assert (found.scale, found.offset) == (of_signal or (1.0, 0.0))


def test_an_axis_may_be_called_offset(tmp_path: Path) -> None:
    arrays = {"counts": (1,), "offset": [7.0]}
    with opened(tmp_path / "a.nxs", {"signal": "counts", "axes": "offset"}, **arrays) as hierarchy:
        assert scaling_of(hierarchy[DATA]["counts"], hierarchy.node) is None


def test_a_factor_that_cannot_be_opened_is_not_a_missing_one(tmp_path: Path) -> None:
    opened(tmp_path / "a.nxs", {"signal": "counts", "axes": "x"}, **PLAIN).close()
    with h5py.File(tmp_path / "a.nxs", "a") as file:
        file[DATA]["x_scaling_factor"] = h5py.SoftLink("/nowhere")
    import zarrcore

    with zarrcore.open_hierarchy(tmp_path / "a.nxs") as hierarchy, pytest.raises(ZarrError, match="nowhere"):
        scaling_of(hierarchy[DATA]["x"], hierarchy.node)


def test_xarray_applies_them_unless_it_is_told_not_to(tmp_path: Path) -> None:
    stored, x = np.arange(4, dtype="i2"), np.array([1, 2, 3, 5], "i4")
    arrays = {"counts": stored, "counts_offset": 10.0, "counts_scaling_factor": 0.5, "other": stored}
    attributes = {"signal": "counts", "axes": ["x"]}
    opened(tmp_path / "a.nxs", attributes, x=x, x_scaling_factor=3.0, **arrays).close()
    options: dict[str, Any] = {"engine": "zarrscope", "group": DATA}
    with xr.open_dataset(tmp_path / "a.nxs", **options) as found:
        np.testing.assert_array_equal(found.counts, (stored + 10.0) * 0.5)
        np.testing.assert_array_equal(found.x, x * 3.0)
        assert found.other.dtype == "i2"
        with warnings.catch_warnings(
            action="ignore", category=xr.SerializationWarning
        ):  # of integers without NaN
            found.to_zarr(tmp_path / "copy.zarr", group=DATA, consolidated=False)
        with xr.open_dataset(tmp_path / "copy.zarr", **options) as copy:
            xr.testing.assert_identical(copy, found)
    with xr.open_dataset(tmp_path / "a.nxs", mask_and_scale=False, **options) as found:
        np.testing.assert_array_equal(found.counts, stored)
