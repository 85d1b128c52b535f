"""``struct``: records of named fields, packed; ``structured``, its older name; ``subarray``, a field that is an array.

Specification: the zarr-extensions registry, "struct" and "structured". ``subarray`` is a name of this project, for fields with
a shape in Zarr v2. So is a field of texts of variable length, ``string``, which only sources of other formats have (HDF5): in
memory it holds Python's strings, because NumPy's `numpy.dtypes.StringDType` cannot be a field.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata.data_type.fixed_length import parse_bytes, spell_bytes
from zarrcore.metadata.data_type.interface import DataType, DataTypeFamily, Element, item_bytes, no_element
from zarrcore.metadata.data_type.small_numbers import clear_unused_bits, has_unused_bits
from zarrcore.metadata.json_document import describe
from zarrcore.metadata.named_configuration import integers
from zarrcore.typing import AnyArray


class StructFamily(DataTypeFamily):
    """Records and arrays of other types."""

    names: ClassVar[tuple[str, ...]] = ("struct", "structured", "subarray")

    def dtype(self, name: str, configuration: Mapping[str, Any], member: str) -> np.dtype[Any]:
        if name == "subarray":
            inner = _of_field(_fixed(configuration.get("data_type"), f"{member}.data_type"))
            shape = integers(configuration.get("shape"), f"{member}.shape", minimum=1)
            item_bytes(math.prod(shape) * inner.itemsize, member)
            return _numpys((inner, shape), f"{member}.shape")
        parts = [(field, _of_field(data_type)) for field, data_type in _fields(configuration, member)]
        dtype = _numpys(parts, f"{member}.fields")
        item_bytes(dtype.itemsize, member)
        return dtype

    def parse(self, value: Any, data_type: DataType) -> AnyArray:
        dtype = data_type.dtype
        if dtype.names is not None and isinstance(value, dict):
            return _parse_fields(value, data_type)
        if type(value) is int and value == 0:
            return zeros((), dtype)
        if dtype.hasobject and dtype.subdtype is not None and isinstance(value, list):
            return _parse_items(value, data_type)
        raw = parse_bytes(value, data_type)
        if len(raw) != dtype.itemsize:
            raise MetadataError(f"expected {dtype.itemsize} bytes, found {len(raw)}", member="fill_value")
        element = np.frombuffer(raw, dtype)[:1].reshape(dtype.shape).copy()
        if has_unused_bits(dtype):
            clear_unused_bits(element)
        return element

    def spell(self, element: Element, data_type: DataType) -> Any:
        if data_type.name == "subarray":
            if element.dtype.hasobject:
                inner = _fixed(data_type.configuration["data_type"], "data_type")
                return [_spell_field(item, inner) for item in element.reshape(-1)]
            return spell_bytes(element.tobytes())
        return {
            name: _spell_field(element[name], field)
            for name, field in _fields(data_type.configuration, "data_type")
        }


def by_its_new_name(data_type: DataType) -> DataType:
    """The same type with ``struct`` for ``structured``, in its fields too: by the registry, the old name is only read.

    zarrs no longer reads its own older name ``optional``.
    """
    if data_type.name == "optional":
        return DataType("zarrs.optional", data_type.configuration, data_type.dtype)
    if data_type.name == "subarray":
        inner = _fixed(data_type.configuration["data_type"], "data_type")
        told = {**data_type.configuration, "data_type": by_its_new_name(inner).document()}
        return DataType(data_type.name, told, data_type.dtype)
    if data_type.name not in ("struct", "structured"):
        return data_type
    parts = [(name, by_its_new_name(field)) for name, field in _fields(data_type.configuration, "data_type")]
    fields = [{"name": name, "data_type": field.document()} for name, field in parts]
    return DataType("struct", {"fields": fields}, data_type.dtype)


def _numpys(parts: Any, member: str) -> np.dtype[Any]:
    try:
        dtype: np.dtype[Any] = np.dtype(parts)
    except (TypeError, ValueError) as error:
        raise MetadataError(str(error), member=member) from error
    return dtype


def _fields(configuration: Mapping[str, Any], member: str) -> Iterator[tuple[str, DataType]]:
    """Names and types of the fields, in their order.

    Raises:
        MetadataError: no fields, or fields that the specification does not allow.
        UnsupportedError: an unknown data type of a field.
    """
    fields = configuration.get("fields")
    if not isinstance(fields, list) or not fields:
        raise MetadataError(
            f"expected an array of fields, found {describe(fields)}", member=f"{member}.fields"
        )
    for position, item in enumerate(fields):
        where = f"{member}.fields[{position}]"
        # The registry spells a field as an object; zarr-python first wrote a pair.
        if isinstance(item, dict):
            name, data_type = item.get("name"), item.get("data_type")
        elif isinstance(item, list) and len(item) == 2:
            name, data_type = item
        else:
            raise MetadataError(f"expected a name and a data type, found {describe(item)}", member=where)
        if not isinstance(name, str):
            raise MetadataError(f"expected a string, found {describe(name)}", member=f"{where}.name")
        if not name:  # NumPy would choose another
            raise MetadataError("expected a name, found an empty string", member=f"{where}.name")
        yield name, _fixed(data_type, f"{where}.data_type")


def _fixed(value: Any, member: str) -> DataType:
    # Late, here and below: the registry imports this family, whose fields may be of any type of the registry.
    from zarrcore.metadata.data_type.registry import parse_field_type

    data_type = parse_field_type(value, member)
    if data_type.is_variable_length and data_type.name not in ("string", "struct", "subarray"):
        raise UnsupportedError("data type", data_type.name, "has no fixed size and cannot be a field")
    return data_type


def _of_field(data_type: DataType) -> np.dtype[Any]:
    return np.dtype(object) if data_type.name == "string" else data_type.dtype


def zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> AnyArray:
    """Structures whose numbers are zero and whose texts are empty.

    >>> zeros((), np.dtype([("a", "u1"), ("b", object)])).item()
    (0, '')
    """
    found: AnyArray = np.zeros(shape, dtype)
    for name in (found.dtype.names or ()) if dtype.hasobject else ():
        found[name] = zeros(shape, found.dtype[name])
    if found.dtype.kind == "O":
        found[...] = ""
    return found


def _parse_items(value: list[Any], data_type: DataType) -> AnyArray:
    from zarrcore.metadata.data_type.registry import family_of

    inner = _fixed(data_type.configuration["data_type"], "data_type")
    found: AnyArray = zeros((), data_type.dtype)
    if len(value) != found.size:
        raise no_element(value, data_type)
    for number, item in enumerate(value):
        if item is not None:
            found.reshape(-1)[number] = family_of(inner.name).parse(item, inner)[()]
    return found


def _parse_fields(value: dict[str, Any], data_type: DataType) -> AnyArray:
    from zarrcore.metadata.data_type.registry import family_of

    result = zeros((), data_type.dtype)
    for name, field in _fields(data_type.configuration, "data_type"):
        # The registry demands all fields. A missing one is undefined, like a fill value of null.
        if value.get(name) is not None:
            result[name] = family_of(field.name).parse(value[name], field)
    if value.keys() - set(data_type.dtype.names or ()):
        raise no_element(value, data_type)
    return result


def _spell_field(element: Any, data_type: DataType) -> Any:
    from zarrcore.metadata.data_type.registry import family_of

    return family_of(data_type.name).spell(np.asarray(element), data_type)
