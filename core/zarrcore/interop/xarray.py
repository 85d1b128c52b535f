"""xarray's engine ``zarrscope``: ``xarray.open_dataset(source, engine="zarrscope")`` and ``open_datatree``.

A group becomes a dataset as with xarray's own engine for Zarr, but of any format and source. xarray's conventions:
https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

import base64
import os
import struct
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import numpy as np
from xarray import Dataset, DataTree, Variable
from xarray.backends import AbstractDataStore, BackendArray, BackendEntrypoint, StoreBackendEntrypoint
from xarray.core import indexing

from zarrcore.array import Array
from zarrcore.conventions.nexus.axes import dimension_names
from zarrcore.conventions.nexus.scaling import scalings
from zarrcore.errors import ZarrError
from zarrcore.formats import Format
from zarrcore.hierarchy import (
    ArrayNode,
    BrokenNode,
    Collection,
    Group,
    Hierarchy,
    normalize_path,
    open_hierarchy,
)
from zarrcore.interop.xarray_encoding import encoding_of, unlimited_dimensions
from zarrcore.interop.xarray_grid import grid_coordinates
from zarrcore.stores import ReadableStore
from zarrcore.stores.hdf5.store import Hdf5Store
from zarrcore.stores.netcdf3.store import NetCDF3Store
from zarrcore.threads import at_once
from zarrcore.typing import AnyArray

_DIMENSIONS: Final = "_ARRAY_DIMENSIONS"
_FILL_VALUE: Final = "_FillValue"
_PACKING: Final = ("scale_factor", "add_offset")
_COORDINATE_MAX: Final = 1 << 20
"""Coordinates with more bytes are not kept."""
_ENDINGS: Final = (".zarr", ".zarr.zip", ".ozx", ".n5", ".nii", ".nii.gz", ".nrrd")
"""How the names of sources end that no engine of xarray reads, and those of Zarr, for an environment without zarr-python."""

Source = str | os.PathLike[str] | ReadableStore | Hierarchy


class ZarrscopeBackend(BackendEntrypoint):
    """Opens what zarrscope opens, for reading.

    Options, besides xarray's own for decoding:

    - ``group``: the path of a group. The path of an array gives a dataset of one variable.
    - ``storage_options``: fields of `zarrcore.stores.StoreOptions`, such as ``{"anonymous": True}``.
    """

    description = "Zarr, N5, HDF5, NetCDF, Icechunk and other hierarchies, read by zarrscope"
    open_dataset_parameters = (
        "filename_or_obj",
        "mask_and_scale",
        "decode_times",
        "concat_characters",
        "decode_coords",
        "drop_variables",
        "use_cftime",
        "decode_timedelta",
        "group",
        "storage_options",
    )
    supports_groups = True

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether to open a source for which no engine is named. xarray asks its own engines first.

        A path on this machine is looked into, unless it is a folder of several hierarchies. Of a URL, only the ending counts.
        """
        if isinstance(filename_or_obj, Hierarchy | ReadableStore):
            return True
        if not isinstance(filename_or_obj, str | os.PathLike):
            return False
        source = os.fspath(filename_or_obj)
        if "://" in source or "::" in source:
            return source.rstrip("/").lower().endswith(_ENDINGS)
        try:
            with open_hierarchy(source) as hierarchy:
                return not isinstance(hierarchy, Collection)
        except (ZarrError, OSError):
            return False

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        group: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
        **decoding: Any,
    ) -> Dataset:
        """The arrays of a group as variables, which are read on request.

        Args:
            filename_or_obj: a path, a URL, a store, or an open hierarchy, which stays open.
            group: as for the class.
            storage_options: as for the class.
            decoding: as in ``xarray.open_dataset``.

        Raises:
            NodeNotFoundError: there is no such group.
            HierarchyNotFoundError, StoreError: as `zarrcore.open`.
        """
        with _opened(filename_or_obj, storage_options) as (hierarchy, is_ours):
            dataset = _dataset(hierarchy[normalize_path(group or "/")], decoding)
            if is_ours:
                dataset.set_close(hierarchy.close)
            return dataset

    def open_groups_as_dict(
        self,
        filename_or_obj: Any,
        *,
        group: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
        **decoding: Any,
    ) -> dict[str, Dataset]:
        """The datasets of a group and of all groups below it, by their paths from there.

        Raises:
            As `open_dataset`.
        """
        with _opened(filename_or_obj, storage_options) as (hierarchy, is_ours):
            top = normalize_path(group or "/")
            datasets: dict[str, Dataset] = {}
            lengths: dict[str, dict[str, int]] = {}
            for node in hierarchy.walk(top):
                if isinstance(node, Group) or node.path == top:
                    path = normalize_path(node.path[len(top.rstrip("/")) :])
                    # A group inherits the dimensions of those above it, which come first.
                    inherited = {} if path == "/" else lengths[path.rpartition("/")[0] or "/"]
                    datasets[path] = _dataset(hierarchy[node.path], decoding, inherited)
                    lengths[path] = {**inherited, **_lengths(datasets[path])}
            if is_ours:
                for dataset in datasets.values():
                    dataset.set_close(hierarchy.close)  # closing twice is harmless
            return datasets

    def open_datatree(self, filename_or_obj: Any, **options: Any) -> DataTree:
        """A group and all groups below it.

        Raises:
            As `open_dataset`.
        """
        datasets = self.open_groups_as_dict(filename_or_obj, **options)
        tree = DataTree.from_dict(datasets)
        tree.set_close(datasets["/"].close)
        return tree


@contextmanager
def _opened(source: Source, options: Mapping[str, Any] | None) -> Iterator[tuple[Hierarchy, bool]]:
    """The hierarchy, and whether it was opened here. Then it is closed if there is an error."""
    if isinstance(source, Hierarchy):
        yield source, False
        return
    hierarchy = open_hierarchy(source, **(options or {}))
    try:
        yield hierarchy, True
    except BaseException:
        hierarchy.close()
        raise


def _dataset(
    node: Group | ArrayNode, decoding: Mapping[str, Any], inherited: Mapping[str, int] | None = None
) -> Dataset:
    dropped = decoding.get("drop_variables") or ()
    variables = _GroupVariables(node, inherited or {}, {dropped} if isinstance(dropped, str) else {*dropped})
    dataset = StoreBackendEntrypoint().open_dataset(variables, **decoding)
    further = [name for name in variables.further_coordinates if name in dataset.data_vars]
    return dataset.set_coords(further) if further else dataset


def _lengths(dataset: Dataset) -> dict[str, int]:
    return {str(name): length for name, length in dataset.sizes.items()}


class _GroupVariables(AbstractDataStore):
    """The arrays of a group, or a single array, as variables that are not decoded yet.

    Args:
        node: the group or array.
        inherited: the lengths of the dimensions of groups above it.
        dropped: names of variables that will not be read.
    """

    def __init__(self, node: Group | ArrayNode, inherited: Mapping[str, int], dropped: set[str]) -> None:
        self._node = node
        self._inherited = inherited
        self._dropped = dropped
        self.further_coordinates: tuple[str, ...] = ()
        """Coordinates besides those of dimensions, according to NeXus; known with the variables."""
        self._unlimited: set[str] | None = None

    def get_attrs(self) -> dict[str, Any]:
        if not isinstance(self._node, Group):
            return {}
        return {name: value for name, value in self._node.attributes.items() if not _is_nczarr(name)}

    def get_variables(self) -> dict[str, Variable]:
        arrays = {}
        for child in self._node.children() if isinstance(self._node, Group) else (self._node,):
            if isinstance(child, BrokenNode):
                warnings.warn(f"{child.uri} is left out: {child.error}", stacklevel=2)
            elif isinstance(child, ArrayNode):
                arrays[child.name or "array"] = child
        told: dict[str, tuple[str | None, ...]] = {}
        if isinstance(self._node, Group):
            told, self.further_coordinates = dimension_names(self._node, arrays)
        names = _Names(arrays, self._inherited, told)
        indexed = {name: array for name, array in arrays.items() if names.of(name) == (name,)}
        together = _Coordinates(
            {
                name: array
                for name, array in indexed.items()
                if name not in self._dropped and _is_distant(array)
            }
        )
        self._unlimited = unlimited_dimensions((names.of(name), array) for name, array in arrays.items())
        variables = {name: _variable(array, names.of(name), together) for name, array in arrays.items()}
        for name, scaling in scalings(self._node, arrays).items():
            packing = variables[name].attrs
            if not packing.keys() & {*_PACKING}:  # a copy by xarray has them already
                packing.update(zip(_PACKING, scaling, strict=True))
        return variables | grid_coordinates(arrays, names.of)

    def get_encoding(self) -> dict[str, Any]:
        """Known with the variables."""
        return {} if self._unlimited is None else {"unlimited_dims": self._unlimited}

    def get_dimensions(self) -> dict[str, int]:
        return {}


class _Names:
    """Names for all dimensions of a group's arrays, so that each name has one length, as a dataset demands.

    Args:
        arrays: the arrays.
        inherited: the lengths of the dimensions of groups above.
        by_convention: the names that a convention gives to dimensions of arrays without names.
    """

    def __init__(
        self,
        arrays: Mapping[str, ArrayNode],
        inherited: Mapping[str, int],
        by_convention: Mapping[str, tuple[str | None, ...]],
    ) -> None:
        self._lengths = dict(inherited)
        self._names: dict[str, tuple[str, ...]] = {}
        told: dict[str, tuple[str | None, ...]] = {}
        for name, array in arrays.items():
            known = array.dimension_names or by_convention.get(name, ())
            told[name] = known if len(known) == array.ndim else (None,) * array.ndim
        # The array of a dimension's coordinates decides its length.
        for name, array in arrays.items():
            if told[name] == (name,):
                self._lengths[name] = array.shape[0]
        for name, array in arrays.items():
            taken: list[str] = []
            for dimension, length in zip(told[name], array.shape, strict=True):
                taken.append(self._named(name, dimension, length, taken))
            self._names[name] = tuple(taken)

    def of(self, name: str) -> tuple[str, ...]:
        return self._names[name]

    def _named(self, array: str, dimension: str | None, length: int, taken: list[str]) -> str:
        """The name that is told; with the array's name if it has another length elsewhere, as in a multiscale image."""
        if dimension is not None:
            for name in (dimension, f"{dimension}_{array}"):
                if self._lengths.setdefault(name, length) == length:
                    return name
        number = 0  # as netCDF4 names dimensions without names
        while (name := f"phony_dim_{number}") in taken or self._lengths.setdefault(name, length) != length:
            number += 1
        return name


def _is_distant(array: ArrayNode) -> bool:
    return array.store.is_remote and array.dtype.itemsize * array.size <= _COORDINATE_MAX


class _Coordinates:
    """The coordinates that xarray makes indexes of, which are requested together when the first is needed, and kept.

    xarray reads them one after another, and of times also the first and the last: over a network, each takes a round trip.
    """

    def __init__(self, arrays: Mapping[str, ArrayNode]) -> None:
        self._arrays = dict(arrays)
        self._lock = threading.Lock()
        self._get: Callable[[str], AnyArray] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _Coordinates, (self._arrays,)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def read(self, name: str) -> AnyArray:
        """The elements of one of them."""
        with self._lock:
            if self._get is None:
                self._get = at_once(cache(lambda name: self._arrays[name].read(...)), [*self._arrays])
        return self._get(name)


def _is_nczarr(name: str) -> bool:
    return name.lower().startswith("_nc")


def _packing_as_stored(array: ArrayNode, store: Hdf5Store | NetCDF3Store) -> dict[str, np.generic]:
    """Scale and offset with the types that they have in a file, on which the type of unpacked values depends in xarray."""
    path = array.hierarchy.within(array.path)
    types = {name: store.attribute_type(path, name) for name in _PACKING if name in array.attributes}
    return {name: kind.type(array.attributes[name]) for name, kind in types.items() if kind is not None}


def _variable(array: ArrayNode, dimensions: tuple[str, ...], together: _Coordinates) -> Variable:
    attributes = dict(array.attributes)
    encoding = encoding_of(array, dimensions)
    format_name = array.hierarchy.format.name
    if format_name != Format.V3.name:
        attributes = {
            name: value for name, value in attributes.items() if name != _DIMENSIONS and not _is_nczarr(name)
        }
    if format_name in (Format.V2.name, "v1"):
        if array.metadata.fill_value_is_told:
            attributes[_FILL_VALUE] = array.fill_value
    else:
        encoding["fill_value"] = array.fill_value
        if isinstance(store := array.hierarchy.store, Hdf5Store | NetCDF3Store):
            attributes.update(_packing_as_stored(array, store))
        if _FILL_VALUE in attributes:
            attributes[_FILL_VALUE] = _fill_value(attributes[_FILL_VALUE], array.dtype)
    lazy = (
        _LazyCoordinate(array, together)
        if dimensions == (array.name,) and array.name in together
        else _LazyArray(array)
    )
    return Variable(dimensions, indexing.LazilyIndexedArray(lazy), attributes, encoding)


def _fill_value(told: Any, dtype: np.dtype[Any]) -> Any:
    """The attribute ``_FillValue`` as xarray writes it into Zarr v3: floats and bytes in base64."""
    try:
        if dtype.kind == "f" and isinstance(told, str):
            return struct.unpack("<d", base64.standard_b64decode(told))[0]
        if dtype.kind == "c" and isinstance(told, list):
            real, imaginary = (struct.unpack("<d", base64.standard_b64decode(part))[0] for part in told)
            return complex(real, imaginary)
        if dtype.kind == "S" and isinstance(told, str):
            return base64.standard_b64decode(told)
    except (ValueError, TypeError, struct.error):
        pass  # other writers store the value itself
    return bool(told) if dtype.kind == "b" else told


class _LazyArray(BackendArray):
    """An array whose elements are read when xarray indexes it."""

    def __init__(self, array: Array) -> None:
        self._array = array
        self.shape = array.shape
        self.dtype = array.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        read: Callable[[tuple[Any, ...]], Any]
        if isinstance(key, indexing.VectorizedIndexer):
            read = self._points
        elif isinstance(key, indexing.OuterIndexer):
            read = self._array.oindex.__getitem__
        else:
            read = self._array.read
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.VECTORIZED, read)

    def _points(self, key: tuple[Any, ...]) -> AnyArray:
        """Points: the dimensions of the index arrays first, then those of slices."""
        slices = sum(isinstance(part, slice) for part in key)
        arrays = np.broadcast_arrays(*(part for part in key if not isinstance(part, slice)))
        found: list[AnyArray] = []
        done = 0
        for part, length in zip(key, self.shape, strict=True):
            if isinstance(part, slice):
                done += 1
                found.append(np.arange(length)[part].reshape(-1, *(1,) * (slices - done)))
            else:
                found.append(arrays[len(found) - done].reshape(arrays[0].shape + (1,) * slices))
        return self._array.read_points(tuple(found))


class _LazyCoordinate(BackendArray):
    """A coordinate of a dimension, which is read with the others."""

    def __init__(self, array: ArrayNode, together: _Coordinates) -> None:
        self._name = array.name
        self._together = together
        self.shape = array.shape
        self.dtype = array.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        # In one dimension, all kinds of indexing are alike. What is kept must not change with the result.
        return np.array(self._together.read(self._name)[key.tuple])
