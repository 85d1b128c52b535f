"""The class for a data type's name, and the data type for a NumPy dtype. A new data type is a module and a line in `_OTHERS`.

Classes load when a document first names them. Other packages add theirs through the entry-point group
``zarrscope.data_types``: the entry's name is the data type's, its object a `DataTypeFamily` class.
"""

from __future__ import annotations

import importlib
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

from zarrcore.errors import UnsupportedError
from zarrcore.extensions import load_extension
from zarrcore.metadata.data_type.fixed_length import RAW_BITS
from zarrcore.metadata.data_type.interface import (
    DataType,
    DataTypeFamily,
    is_small_number,
    with_byte_order,
)
from zarrcore.metadata.data_type.numbers import CORE_NAMES, NumberFamily
from zarrcore.metadata.named_configuration import NamedConfiguration, parse_named_configuration

_PACKAGE = "zarrcore.metadata.data_type"
_OTHERS = {
    "numpy.datetime64": "time:TimeFamily",
    "numpy.timedelta64": "time:TimeFamily",
    "r8": "fixed_length:FixedLengthFamily",  # and all of its kind
    "raw_bytes": "fixed_length:FixedLengthFamily",
    "null_terminated_bytes": "fixed_length:FixedLengthFamily",
    "fixed_length_utf32": "fixed_length:FixedLengthFamily",
    "struct": "struct:StructFamily",
    "structured": "struct:StructFamily",
    "subarray": "struct:StructFamily",
    "zarrs.optional": "optional:OptionalFamily",
    "optional": "optional:OptionalFamily",
    "string": "variable_length:StringFamily",
    "bytes": "variable_length:BytesFamily",
    "variable_length_bytes": "variable_length:BytesFamily",
}
_SMALL = ("bfloat16", "int2", "int4", "uint2", "uint4", "float4_", "float6_", "float8_", "complex_")


def parse_data_type(value: Any, member: str = "data_type") -> DataType:
    """The data type that a Zarr v3 document names, or the first known one of its ``fallback``.

    Raises:
        MetadataError: neither a name nor an object with a name, or a broken configuration.
        UnsupportedError: an unknown name without a known fallback.

    >>> parse_data_type("uint16").dtype
    dtype('uint16')
    >>> parse_data_type({"name": "float128", "fallback": ["float96", "r128"]}).name
    'r128'
    """
    data_type = parse_field_type(value, member)
    if data_type.dtype.subdtype is not None:
        raise UnsupportedError("data type", data_type.name, "is only valid for a field")
    return data_type


def parse_field_type(value: Any, member: str) -> DataType:
    """The same for a field of a structured type, which can be an array too.

    Raises:
        As `parse_data_type`.
    """
    if not isinstance(value, dict) or "fallback" not in value:
        return _parse(value, member)
    try:
        return _parse({name: part for name, part in value.items() if name != "fallback"}, member)
    except UnsupportedError:
        fallback = value["fallback"]
        alternatives = [] if fallback is None else fallback if isinstance(fallback, list) else [fallback]
        for alternative in alternatives:
            with suppress(UnsupportedError):
                return parse_field_type(alternative, f"{member}.fallback")
        raise


def _parse(value: Any, member: str) -> DataType:
    named = parse_named_configuration(value, member)
    dtype = family_of(named.name).dtype(named.name, named.configuration, member)
    return DataType(named.name, named.configuration, dtype)


def family_of(name: str) -> DataTypeFamily:
    """The definition of a data type.

    Raises:
        UnsupportedError: neither zarrcore nor an installed package has a class for the name.
    """
    return _load("r8" if RAW_BITS.fullmatch(name) else name)


def data_type_names() -> list[str]:
    """The names of zarrcore's own data types."""
    return [*NumberFamily.names, *_OTHERS]


@cache
def _load(name: str) -> DataTypeFamily:
    found: Any
    if name in NumberFamily.names:
        found = NumberFamily
    elif name in _OTHERS:
        found = _ours(_OTHERS[name])
    else:
        found = _ours("small_numbers:SmallNumberFamily") if name.startswith(_SMALL) else None
        if found is None or name not in found.names:
            found = load_extension("zarrscope.data_types", name)
    if found is None:
        raise UnsupportedError("data type", name)
    if not (isinstance(found, type) and issubclass(found, DataTypeFamily)):
        raise UnsupportedError(
            "data type", name, f"is registered with {found!r}, which is not a data type class"
        )
    return found()


def _ours(place: str) -> type[DataTypeFamily]:
    module, _, attribute = place.partition(":")
    family: type[DataTypeFamily] = getattr(importlib.import_module(f"{_PACKAGE}.{module}"), attribute)
    return family


def data_type_of(dtype: np.dtype[Any]) -> DataType:
    """The Zarr v3 data type for the values of a NumPy dtype in any byte order.

    Raises:
        UnsupportedError: a dtype that has no counterpart, for instance Python objects.

    >>> data_type_of(np.dtype(">f4")).name
    'float32'
    """
    dtype = with_byte_order(dtype, "<")
    if dtype.kind == "T":
        return DataType("string", {}, np.dtypes.StringDType())
    if dtype in CORE_NAMES:
        return DataType(CORE_NAMES[dtype], {}, dtype)
    named = _named_configuration_of(dtype)
    return DataType(named.name, named.configuration, dtype)


def usual_document(data_type: DataType) -> Any:
    """The data type in a document, by the one of its names that zarrcore writes: formats and writers have several.

    >>> usual_document(parse_data_type("r24"))
    {'name': 'raw_bytes', 'configuration': {'length_bytes': 3}}
    """
    if not data_type.is_variable_length:
        with suppress(UnsupportedError):  # a dtype that only another package's type has
            return data_type_of(data_type.dtype).document()
    return "bytes" if data_type.name == "variable_length_bytes" else data_type.document()


def _named_configuration_of(dtype: np.dtype[Any]) -> NamedConfiguration:
    if dtype.subdtype is not None:
        inner, shape = dtype.subdtype
        return NamedConfiguration(
            "subarray", {"data_type": data_type_of(inner).document(), "shape": list(shape)}
        )
    if dtype.names is not None and dtype.fields is not None:
        parts = [(name, data_type_of(dtype.fields[name][0])) for name in dtype.names]
        fields = [{"name": name, "data_type": part.document()} for name, part in parts]
        return NamedConfiguration("struct", {"fields": fields})
    if is_small_number(dtype):
        from zarrcore.metadata.data_type.small_numbers import small_number_name  # late: it loads ml_dtypes

        name = small_number_name(dtype)
        if name is None:
            raise UnsupportedError("data type", dtype.name)
        return NamedConfiguration(name)
    return _flexible(dtype)


def _flexible(dtype: np.dtype[Any]) -> NamedConfiguration:
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
