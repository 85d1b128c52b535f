"""xarray's engine on all test hierarchies, compared with xarray's own engine for Zarr, which reads with zarr-python."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import xarray as xr
import zarr

from tests.conftest import Written
from zarrcore.interop.xarray import ZarrscopeBackend


class Named(NamedTuple):
    """A test hierarchy whose arrays have names for all dimensions, with the arrays that xarray's engine for Zarr opens."""

    path: Path
    groups: dict[str, list[str]]
    """The names of the arrays of each group."""


@pytest.fixture(scope="module")
def named(hierarchy: Written, tmp_path_factory: pytest.TempPathFactory) -> Named:
    root = tmp_path_factory.mktemp("named") / "a.zarr"
    shutil.copytree(hierarchy.path, root)
    groups: dict[str, list[str]] = {}
    for path in hierarchy.expected:
        folder = root / path.strip("/")
        _name_dimensions(folder)
        if _xarray_opens(folder):
            groups.setdefault(path.rpartition("/")[0], []).append(folder.name)
        else:
            shutil.rmtree(folder)  # it would keep xarray's engine from opening the whole group
    return Named(root, groups)


def _name_dimensions(folder: Path) -> None:
    """Names that no other array of the group has, as the shapes differ."""
    document = folder / "zarr.json"
    if document.exists():
        told = json.loads(document.read_text())
        told["dimension_names"] = [f"{folder.name}_{axis}" for axis in range(len(told["shape"]))]
    else:
        shape = json.loads((folder / ".zarray").read_text())["shape"]
        document = folder / ".zattrs"
        told = json.loads(document.read_text()) if document.exists() else {}
        told["_ARRAY_DIMENSIONS"] = [f"{folder.name}_{axis}" for axis in range(len(shape))]
    document.write_text(json.dumps(told))


def _xarray_opens(folder: Path) -> bool:
    """Whether zarr-python opens the array, and xarray handles its type: it does not decode records and raw bytes."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return zarr.open_array(folder, mode="r").dtype.kind != "V"
    except (TypeError, ValueError):
        return False


@contextmanager
def _both(path: Path, **options: Any) -> Iterator[tuple[xr.Dataset, xr.Dataset]]:
    ours = {name: value for name, value in options.items() if name != "consolidated"}
    with (
        warnings.catch_warnings(action="ignore"),
        xr.open_dataset(path, engine="zarr", **options) as expected,
        xr.open_dataset(path, engine=ZarrscopeBackend, **ours) as found,
    ):
        yield found, expected


# These read all test hierarchies with two libraries.


def test_stored_elements_are_those_of_the_zarr_engine(named: Named) -> None:
    for group, names in named.groups.items():
        with _both(named.path, group=group, consolidated=False, decode_cf=False) as (found, expected):
            assert {*expected.data_vars} == {*names}
            xr.testing.assert_identical(found.load(), expected.load())
            for name in names:
                ours, theirs = (one[name].dtype.newbyteorder("=") for one in (found, expected))
                # zarr-python makes wider texts of those that are stored as big-endian.
                assert ours == theirs or (name, ours.kind, theirs.kind) == ("text-big", "U", "U")
    assert sum(map(len, named.groups.values())) > 80


def test_decoded_elements_are_those_of_the_zarr_engine_with_consolidated_metadata(named: Named) -> None:
    with warnings.catch_warnings(action="ignore"):
        zarr.consolidate_metadata(named.path)
    for group, names in named.groups.items():
        with _both(named.path, group=group, consolidated=True) as (found, expected):
            assert {*expected.data_vars} == {*names}
            xr.testing.assert_identical(found.load(), expected.load())
