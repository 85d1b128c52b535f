"""Elements in an HDF5 file: their type, and their conversion.

If HDF5 has the type, the bytes of the dataset are those of the array. Otherwise the type is one that readers know and that
holds each value exactly, and the attribute ``_zarrscope_data_type`` names the original type:

* numbers of ml_dtypes become the next wider ones: ``float32``, ``complex64``, ``int8``, ``uint8``;
* texts in UTF-32 become UTF-8, which never needs more than the same four bytes for a character;
* dates and durations become 64-bit integers with ``units`` (CF conventions, "Time Coordinate"), NaT their ``_FillValue``.

NetCDF-4 has fewer types, and its programs ignore the conventions of h5py (enumerations for booleans, compounds for complex
numbers). For NetCDF-4, ``float16`` becomes ``float32``, a boolean ``int8`` with ``dtype = "bool"``, as in xarray, and elements
with parts get a dimension for them: ``ri`` for complex numbers, ``stringN`` for texts, ``bytesN`` for raw bytes.

Texts of variable length, also in fields, become HDF5's own, in UTF-8, and bytes of variable length sequences of ``uint8``, which
NetCDF-4 does not have: see `texts`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from zarrcore.array import Array
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.body import ArrayBody
from zarrcore.filetypes.hdf5.datatype import BYTES, HEAP_ITEM, HEAP_ITEM_NBYTES, TEXT, with_texts
from zarrcore.filetypes.plan import Box, BoxPlan, BytesPlan, ElementBytes
from zarrcore.filetypes.raw import RawFile
from zarrcore.metadata import DataType
from zarrcore.metadata.data_type import is_small_number, with_parts
from zarrcore.typing import AnyArray

DATA_TYPE_ATTRIBUTE: Final = "_zarrscope_data_type"
_CF_UNITS: Final = {
    "D": "days",
    "h": "hours",
    "m": "minutes",
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
}
_BYTES: Final = ("variable_length_bytes", "bytes")
_NAT: Final = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Stored:
    """A data type in a file."""

    dtype: np.dtype[Any]
    """The type of one element, with its size in the file."""
    is_converted: bool = False
    """Whether elements differ from those of the array in more than the name of their type."""
    parts: tuple[str, np.dtype[Any], int] | None = None
    """For an element with several parts: the name of their dimension, the type of each, and their number."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """Attributes that describe it to readers."""
    variable: bytes | None = None
    """For elements of variable length: the datatype message; ``dtype`` is that of their references."""

    @property
    def file_dtype(self) -> np.dtype[Any]:
        """The dataset's type."""
        return self.dtype if self.parts is None else self.parts[1]

    @property
    def file_shape(self) -> tuple[int, ...]:
        """The dimensions of the dataset after those of the array."""
        return () if self.parts is None else (self.parts[2],)

    @property
    def is_utf8(self) -> bool:
        """Whether elements are text."""
        return self.is_converted and self.dtype.kind == "S"


def stored(data_type: DataType, *, netcdf: bool, has_texts: bool = False) -> Stored:
    """The form of elements of a type in a file.

    Args:
        data_type: the type.
        netcdf: whether only types of NetCDF-4 are used.
        has_texts: whether elements may have variable length.

    Raises:
        UnsupportedError: a file cannot hold them.
    """
    dtype = data_type.dtype
    if data_type.is_variable_length:
        return _of_variable_length(data_type, netcdf=netcdf, has_texts=has_texts)
    if netcdf and (dtype.names is not None or dtype.subdtype is not None):
        raise UnsupportedError("data type", data_type.name, "has no counterpart in NetCDF")
    as_hdf5 = _as_hdf5(dtype)
    found = _as_netcdf(as_hdf5) if netcdf else as_hdf5
    if found.dtype == dtype and found.parts is None:
        return found
    document = data_type.document()
    told = document if isinstance(document, str) else json.dumps(document)
    return replace(found, attributes={**found.attributes, DATA_TYPE_ATTRIBUTE: told})


def _of_variable_length(data_type: DataType, *, netcdf: bool, has_texts: bool) -> Stored:
    if not has_texts:
        raise UnsupportedError(
            "data type",
            data_type.name,
            "has elements of variable length, which only a file that is written as a whole holds:"
            " use zarrscope cat --as hdf5, or export the node",
        )
    if data_type.dtype.names is not None and not netcdf:
        how = with_references(data_type.dtype)
        return Stored(how, variable=with_texts(data_type.dtype, how))
    references = np.dtype(f"V{HEAP_ITEM_NBYTES}")
    if data_type.dtype.kind == "T":
        return Stored(references, variable=TEXT)
    if data_type.name in _BYTES and not netcdf:
        return Stored(references, variable=BYTES, attributes={DATA_TYPE_ATTRIBUTE: data_type.name})
    raise UnsupportedError(
        "data type", data_type.name, f"has no counterpart in {'NetCDF' if netcdf else 'HDF5'}"
    )


def _as_hdf5(dtype: np.dtype[Any]) -> Stored:
    if dtype.kind in "mM":
        return Stored(np.dtype("<i8"), attributes=_time_attributes(dtype))
    if dtype.kind == "U":
        return Stored(np.dtype(f"S{dtype.itemsize}"), is_converted=True)
    if is_small_number(dtype):
        return Stored(np.dtype(_wider(dtype.name)), is_converted=True)
    return Stored(with_parts(dtype, _plain))


def with_references(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype with references to a global heap for its objects, packed."""
    if dtype.subdtype is not None:
        return np.dtype((with_references(dtype.base), dtype.shape))
    if dtype.names is not None:
        return np.dtype([(name, with_references(dtype[name])) for name in dtype.names])
    return HEAP_ITEM if dtype.hasobject else _plain(dtype)


def _wider(name: str) -> str:
    if "complex" in name:
        return "<c8"
    if "float" in name:
        return "<f4"
    return "u1" if name.startswith("u") else "i1"


def _plain(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """A part of a dtype, or another type of the same bytes if HDF5 lacks it."""
    if dtype.kind in "mM":
        return np.dtype("<i8")
    return np.dtype(f"V{dtype.itemsize}") if dtype.kind == "U" or is_small_number(dtype) else dtype


def _as_netcdf(found: Stored) -> Stored:
    dtype = found.dtype
    match dtype.kind:
        case "b":
            return replace(found, dtype=np.dtype("i1"), attributes={"dtype": "bool"})
        case "f" if dtype.itemsize == 2:
            return replace(found, dtype=np.dtype("<f4"), is_converted=True)
        case "c":
            return replace(found, parts=("ri", np.dtype(f"<f{dtype.itemsize // 2}"), 2))
        case "S":
            attributes = {"_Encoding": "utf-8"} if found.is_utf8 else {}
            parts = f"string{dtype.itemsize}", np.dtype("S1"), dtype.itemsize
            return replace(found, parts=parts, attributes=attributes)
        case "V":
            return replace(found, parts=(f"bytes{dtype.itemsize}", np.dtype("u1"), dtype.itemsize))
    return found


def _time_attributes(dtype: np.dtype[Any]) -> dict[str, Any]:
    unit, count = np.datetime_data(dtype)
    if count != 1 or unit not in _CF_UNITS:
        return {"_FillValue": np.int64(_NAT)}
    told = {"units": _CF_UNITS[unit], "_FillValue": np.int64(_NAT)}
    if dtype.kind == "M":
        told |= {"units": f"{_CF_UNITS[unit]} since 1970-01-01", "calendar": "proleptic_gregorian"}
    return told


def converted(values: AnyArray, how: Stored) -> AnyArray:
    """Elements in their form in the file."""
    if not how.is_converted:
        return values.view(how.dtype)
    if how.is_utf8:
        return np.asarray(np.strings.encode(values, "utf-8", "replace"), how.dtype)
    with np.errstate(all="ignore"):
        return values.astype(how.dtype)


def elements_file(array: Array, how: Stored) -> RawFile:
    """The bytes of a dataset."""
    return ConvertedFile(array, how) if how.is_converted else RawFile(array)


class ConvertedFile(RawFile):
    """The elements of an array, in another type."""

    def __init__(self, array: Array, how: Stored) -> None:
        super().__init__(array)
        self._how = how
        self.body = _ConvertedBody(array, how)
        self.size = self.body.nbytes

    def _with_array(self, array: Array) -> ConvertedFile:
        return ConvertedFile(array, self._how)


class _ConvertedBody(ArrayBody):
    def __init__(self, array: Array, how: Stored) -> None:
        super().__init__(array)
        self._how = how
        self.nbytes = array.size * how.dtype.itemsize
        self.slab_nbytes = self.slab_nbytes // array.itemsize * how.dtype.itemsize

    def plan(self, offset: int, nbytes: int) -> BytesPlan:
        return ElementBytes(self.shape, self._how.dtype, offset, nbytes, self._plan_converted)

    def _plan_converted(self, box: Box) -> BoxPlan:
        return _ConvertedBox(self.plan_box(box), self.array.dtype, self._how)


class _ConvertedBox:
    """A box of elements that are converted after they are read."""

    __slots__ = ("_dtype", "_how", "_plan", "is_ready", "prefetch")

    def __init__(self, plan: BoxPlan, dtype: np.dtype[Any], how: Stored) -> None:
        self._plan = plan
        self._dtype = dtype
        self._how = how
        self.is_ready = plan.is_ready
        self.prefetch = plan.prefetch

    def read_into(self, out: AnyArray) -> None:
        values = np.empty(out.shape, self._dtype)
        self._plan.read_into(values)
        out[...] = converted(values, self._how)
