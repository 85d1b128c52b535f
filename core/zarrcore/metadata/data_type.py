"""Data types: a name in the document, a NumPy dtype in memory.

Accepted specification, "Data types", and the zarr-extensions registry. In memory every type is little-endian or has no
byte order; how the bytes lie in a chunk is the affair of the ``bytes`` codec. Version 2's dtypes map onto the
same names, so that nothing downstream knows of two systems.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata.json_document import JsonObject, describe
from zarrcore.metadata.named_configuration import NamedConfiguration, integers, parse_named_configuration

_CORE = {
    "bool": "|b1",
    **{f"int{8 * n}": f"<i{n}" for n in (1, 2, 4, 8)},
    **{f"uint{8 * n}": f"<u{n}" for n in (1, 2, 4, 8)},
    **{f"float{8 * n}": f"<f{n}" for n in (2, 4, 8)},
    **{f"complex{8 * n}": f"<c{n}" for n in (8, 16)},
}
_CORE_NAMES = {np.dtype(code): name for name, code in _CORE.items()}
_RAW_BITS = re.compile(r"r([1-9][0-9]*)")
_TIME_UNITS = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "μs", "ns", "ps", "fs", "as", "generic"}
_MAX_ITEM_BYTES = 1 << 28


@dataclass(frozen=True, slots=True)
class DataType:
    """A data type by its version 3 name."""

    name: str
    """The identifier, for instance ``float32`` or ``numpy.datetime64``."""
    configuration: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The parameters by name; empty for core types."""
    dtype: np.dtype[Any] = field(default=np.dtype("V1"), compare=False)
    """The type in memory, little-endian."""

    def document(self) -> str | JsonObject:
        """As it stands in a metadata document."""
        return (
            NamedConfiguration(self.name, self.configuration).document() if self.configuration else self.name
        )


def parse_data_type(value: Any, member: str = "data_type") -> DataType:
    """The data type that a version 3 document names.

    Raises:
        MetadataError: neither a name nor an object with a name, or a broken configuration.
        UnsupportedError: a name we do not know.

    >>> parse_data_type("uint16").dtype
    dtype('uint16')
    """
    named = parse_named_configuration(value, member)
    dtype = _dtype(named, member)
    return DataType(named.name, named.configuration, dtype)


def _dtype(named: NamedConfiguration, member: str) -> np.dtype[Any]:
    name, configuration = named.name, named.configuration
    if name in _CORE:
        return np.dtype(_CORE[name])
    if raw := _RAW_BITS.fullmatch(name):
        bits = int(raw[1])
        if bits % 8:
            raise MetadataError(f"expected a multiple of 8 bits, found {bits}", member=member)
        return np.dtype(f"V{item_bytes(bits // 8, member)}")
    match name:
        case "numpy.datetime64" | "numpy.timedelta64":
            return _time_dtype(name, configuration, member)
        case "fixed_length_utf32":
            nbytes = _length(configuration, member)
            if nbytes % 4:
                raise MetadataError(
                    f"expected a multiple of 4, found {nbytes}", member=f"{member}.length_bytes"
                )
            return np.dtype(f"<U{nbytes // 4}")
        case "null_terminated_bytes":
            return np.dtype(f"S{_length(configuration, member)}")
        case "raw_bytes":
            return np.dtype(f"V{_length(configuration, member)}")
        case "struct" | "structured":
            return _struct_dtype(configuration, member)
        case "subarray":
            inner = parse_data_type(configuration.get("data_type"), f"{member}.data_type").dtype
            shape = integers(configuration.get("shape"), f"{member}.shape", minimum=1)
            item_bytes(math.prod(shape) * inner.itemsize, member)
            return np.dtype((inner, shape))
        case _:
            raise UnsupportedError("data type", name)


def _length(configuration: Mapping[str, Any], member: str) -> int:
    value = configuration.get("length_bytes")
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise MetadataError(
            f"expected a number of bytes, found {describe(value)}", member=f"{member}.length_bytes"
        )
    return item_bytes(value, member)


def item_bytes(nbytes: int, member: str) -> int:
    """An element's size, checked.

    Raises:
        MetadataError: elements of no bytes, or of more than 256 MiB.
    """
    if not 1 <= nbytes <= _MAX_ITEM_BYTES:
        raise MetadataError(
            f"elements of {nbytes:,} bytes, where 1 byte to 256 MiB are allowed", member=member
        )
    return nbytes


def _time_dtype(name: str, configuration: Mapping[str, Any], member: str) -> np.dtype[Any]:
    unit, scale = configuration.get("unit"), configuration.get("scale_factor", 1)
    if not isinstance(unit, str) or unit not in _TIME_UNITS:
        raise MetadataError(f"expected a unit of time, found {describe(unit)}", member=f"{member}.unit")
    if isinstance(scale, bool) or not isinstance(scale, int) or not 1 <= scale < 2**31:
        raise MetadataError(
            f"expected a positive integer, found {describe(scale)}", member=f"{member}.scale_factor"
        )
    code = "M8" if name.endswith("datetime64") else "m8"
    return np.dtype(f"<{code}" if unit == "generic" else f"<{code}[{scale}{unit}]")


def _struct_dtype(configuration: Mapping[str, Any], member: str) -> np.dtype[Any]:
    fields = configuration.get("fields")
    if not isinstance(fields, list) or not fields:
        raise MetadataError(
            f"expected an array of fields, found {describe(fields)}", member=f"{member}.fields"
        )
    parts: list[tuple[str, np.dtype[Any]]] = []
    for position, item in enumerate(fields):
        where = f"{member}.fields[{position}]"
        # The registry's spelling is an object; zarr-python's first one a pair.
        if isinstance(item, dict):
            name, data_type = item.get("name"), item.get("data_type")
        elif isinstance(item, list) and len(item) == 2:
            name, data_type = item
        else:
            raise MetadataError(f"expected a name and a data type, found {describe(item)}", member=where)
        if not isinstance(name, str):
            raise MetadataError(f"expected a string, found {describe(name)}", member=f"{where}.name")
        parts.append((name, parse_data_type(data_type, f"{where}.data_type").dtype))
    try:
        dtype = np.dtype(parts)
    except (TypeError, ValueError) as error:
        raise MetadataError(str(error), member=f"{member}.fields") from error
    item_bytes(dtype.itemsize, member)
    return dtype


def data_type_of(dtype: np.dtype[Any]) -> DataType:
    """The data type of version 3 that holds the values of a NumPy dtype, whatever its byte order.

    Raises:
        UnsupportedError: a dtype that has no counterpart, for instance Python objects.

    >>> data_type_of(np.dtype(">f4")).name
    'float32'
    """
    dtype = dtype.newbyteorder("<")
    if dtype in _CORE_NAMES:
        return DataType(_CORE_NAMES[dtype], {}, dtype)
    named = _named_configuration_of(dtype)
    return DataType(named.name, named.configuration, dtype)


def _named_configuration_of(dtype: np.dtype[Any]) -> NamedConfiguration:
    if dtype.subdtype is not None:
        inner, shape = dtype.subdtype
        return NamedConfiguration(
            "subarray", {"data_type": data_type_of(inner).document(), "shape": list(shape)}
        )
    if dtype.names is not None and dtype.fields is not None:
        fields = [
            {"name": name, "data_type": data_type_of(dtype.fields[name][0]).document()}
            for name in dtype.names
        ]
        return NamedConfiguration("struct", {"fields": fields})
    match dtype.kind:
        case "M" | "m":
            unit, scale = np.datetime_data(dtype)
            name = "numpy.datetime64" if dtype.kind == "M" else "numpy.timedelta64"
            return NamedConfiguration(name, {"unit": unit, "scale_factor": scale})
        case "U":
            return NamedConfiguration("fixed_length_utf32", {"length_bytes": dtype.itemsize})
        case "S":
            return NamedConfiguration("null_terminated_bytes", {"length_bytes": dtype.itemsize})
        case "V":
            return NamedConfiguration("raw_bytes", {"length_bytes": dtype.itemsize})
        case _:
            raise UnsupportedError("data type", dtype.str)
