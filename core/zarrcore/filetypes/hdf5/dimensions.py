"""Dimensions: the dimension names of each Zarr array become dimension scales that the arrays of a group share.

Specification: HDF5, "HDF5 Dimension Scales"; NetCDF-4, "The NetCDF-4 Format: Dimensions". In a group, a NetCDF dimension has one
length. In Zarr, a name may have several (the levels of a pyramid): the dimension of the second length is called ``y_512``.

A group also has the dimensions of the groups above it. NetCDF allows it to have other ones with these names. But xarray, which
reads a file as a tree of aligned datasets, refuses a name that has another length in a group above, so this dimension is also
called ``y_512``. If the lengths agree, the name stays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Final

from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.hdf5.names import file_name

NO_COORDINATE_PREFIX: Final = "_nc4_non_coord_"
"""NetCDF's prefix for a dataset that has the name of a dimension and is not its coordinate."""

Dimension = tuple[str, int]
"""The name of a dimension in the arrays, and its length."""
_Arrays = Mapping[str, tuple[tuple[str | None, ...] | None, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Dimensions:
    """The dimensions of a group's arrays."""

    of: Mapping[str, tuple[Dimension, ...]]
    """The dimensions of each array with named dimensions (for NetCDF, of all arrays), by its name; without coordinates."""
    names: Mapping[Dimension, str]
    """The name of each in the file: its coordinate's name, or one that no node has."""
    coordinates: Set[str]
    """The arrays that are coordinates of the dimensions of their names."""

    @property
    def lengths(self) -> dict[str, int]:
        """The dimensions by their names in the file."""
        return {name: length for (_, length), name in self.names.items()}


def group_dimensions(
    arrays: _Arrays,
    nodes: Iterable[str],
    *,
    netcdf: bool,
    above: Callable[[str], int | None] = lambda _: None,
) -> Dimensions:
    """The dimensions of a group.

    Args:
        arrays: the names of each array's dimensions and its shape, by its name in the file.
        nodes: the names in the file of all nodes in the group.
        netcdf: whether names are NetCDF's, and datasets may have its prefix, so that dimensions need not avoid their names.
        above: returns the length of the dimension with a name in a group above; None if there is none.
    """
    legal = {name: _legal_names(*array, netcdf=netcdf) for name, array in arrays.items()}
    of = {
        name: _dimensions(legal[name], shape)
        for name, (names, shape) in arrays.items()
        if netcdf or (names is not None and any(names))
    }
    candidates = _candidates(
        arrays, legal, {dimension for dimensions in of.values() for dimension in dimensions}
    )
    coordinates = {name for name, (_, length) in candidates.items() if above(name) in (None, length)}
    of |= {name: (candidates[name],) for name in sorted(candidates.keys() - coordinates)}
    # In order, so that the file has the same bytes in each process.
    called = {candidates[name]: name for name in sorted(coordinates)}
    taken = (set(nodes) - set(arrays) if netcdf else set(nodes)) | coordinates
    for name in coordinates & of.keys():
        del of[name]
    for dimension in (dimension for dimensions in of.values() for dimension in dimensions):
        if dimension not in called:
            called[dimension] = _free(dimension, taken, above)
            taken.add(called[dimension])
    return Dimensions(of, called, coordinates)


def _candidates(
    arrays: _Arrays, legal: Mapping[str, tuple[str | None, ...]], wanted: Set[Dimension]
) -> dict[str, Dimension]:
    """The arrays that have the name and length of a dimension, with that dimension: they may be its coordinates."""
    lines = {name: (name, shape[0]) for name, (_, shape) in arrays.items() if len(shape) == 1}
    return {
        name: line for name, line in lines.items() if line in wanted and legal[name] in ((None,), (name,))
    }


def _dimensions(names: tuple[str | None, ...], shape: tuple[int, ...]) -> tuple[Dimension, ...]:
    return tuple(
        (name or f"dim_{axis}", length) for axis, (name, length) in enumerate(zip(names, shape, strict=True))
    )


def _legal_names(
    names: tuple[str | None, ...] | None, shape: tuple[int, ...], *, netcdf: bool
) -> tuple[str | None, ...]:
    return tuple(_legal(name or "", netcdf=netcdf) for name in names or (None,) * len(shape))


def _legal(name: str, *, netcdf: bool) -> str | None:
    """The name of a dimension; None if it cannot be the name of a dataset."""
    try:
        legal = file_name(name.replace("/", "_"), netcdf=netcdf).decode()
    except UnsupportedError:
        return None
    return None if legal == "." else legal


def _free(dimension: Dimension, taken: Collection[str], above: Callable[[str], int | None]) -> str:
    name, length = dimension

    def is_free(called: str) -> bool:
        return called not in taken and above(called) in (None, length)

    if is_free(name):
        return name
    name = f"{name}_{length}"
    while not is_free(name):
        name += "_"
    return name
