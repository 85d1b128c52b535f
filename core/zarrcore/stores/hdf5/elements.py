"""Types of HDF5 in the terms of Zarr v3, and values as JSON.

What Zarr's types cannot express is refused with a sentence, which becomes that of a broken node.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

import numpy as np

from zarrcore.stores.hdf5.datatype import Datatype, Kind, Padding
from zarrcore.stores.hdf5.heaps.global_heaps import LONGER_THAN_ITS_OBJECT, GlobalHeaps
from zarrcore.stores.hdf5.heaps.room import Room
from zarrcore.stores.hdf5.packed_numbers import converted_number, numbers, packed_number, standard_float
from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, unsigned
from zarrcore.typing import AnyArray

_BOOLEAN: Final = {("FALSE", 0), ("TRUE", 1)}
_REFERENCES: Final = {0: "object references", 1: "region references"}
_TITLES: Final = {
    Kind.INTEGER: "integers",
    Kind.FLOAT: "floating-point numbers",
    Kind.TIME: "times",
    Kind.TEXT: "texts",
    Kind.BITS: "bit fields",
    Kind.OPAQUE: "opaque elements",
    Kind.COMPOUND: "compound elements",
    Kind.REFERENCE: "references",
    Kind.ENUM: "enumerations of numbers with unusual bits",
    Kind.VARIABLE: "elements of variable length",
    Kind.ARRAY: "arrays",
    Kind.COMPLEX: "complex numbers",
}
_MAX_ITEM: Final = 1 << 20
_VALUE_NBYTES: Final = 8
"""At least so much is counted for a value, however short it is: it is an object of Python."""
_LIST_NBYTES: Final = 64
"""Of a list, whatever it holds: lists of lists that lead to one place may be billions of empty ones."""
_NUMBER_NBYTES: Final = 2
"""The least that a number takes in a list of JSON."""


class UnshownError(ValueError):
    """Something of a file that cannot be shown as Zarr; the message is a sentence that says why."""


class Elements(NamedTuple):
    """The elements of a dataset in the terms of Zarr v3."""

    data_type: Any
    """The member ``data_type``."""
    codec: dict[str, Any]
    """The array → bytes codec."""
    inner_shape: tuple[int, ...] = ()
    """The dimensions of an array type, which follow those of the dataset."""
    is_variable: bool = False
    """Whether the bytes of a chunk only refer to elements, or to parts of them, which are elsewhere in the file."""


def elements_of(kind: Datatype) -> Elements:
    """A type in the terms of Zarr v3.

    Raises:
        UnshownError: there is no counterpart.
    """
    inner: tuple[int, ...] = ()
    while kind.kind is Kind.ARRAY and kind.base is not None:
        inner += kind.shape
        kind = kind.base
    if is_elsewhere(kind):
        return Elements(_data_type(kind), {"name": "vlen-utf8"}, inner, True)
    data_type = _data_type(kind)
    needs = kind.kind is Kind.COMPOUND or (kind.kind is Kind.TEXT and _cuts(kind)) or packed_number(kind)
    if needs and not _is_complex(kind):
        return Elements(
            data_type,
            {"name": "hdf5.elements", "configuration": {"stored": _stored(kind)}},
            inner,
            any(parts_elsewhere(kind)),
        )
    order = "big" if _first(kind).big_endian else "little"
    return Elements(data_type, {"name": "bytes", "configuration": {"endian": order}}, inner)


def is_elsewhere(kind: Datatype) -> bool:
    """Whether a stored element only refers to its value: text or an array of variable length, or a reference."""
    return kind.kind is Kind.VARIABLE or _is_reference(kind)


def parts_elsewhere(kind: Datatype, start: int = 0) -> Iterator[tuple[int, Datatype]]:
    """Where in a stored element the parts are that only refer to their values, and the type of each."""
    if is_elsewhere(kind):
        yield start, kind
    elif kind.kind is Kind.ARRAY and kind.base is not None:
        for at, part in parts_elsewhere(kind.base):
            for number in range(math.prod(kind.shape)):
                yield start + number * kind.base.nbytes + at, part
    for field in kind.fields:
        yield from parts_elsewhere(field.type, start + field.offset)


def _check_items(kind: Datatype | None) -> None:
    """Check that the items of a variable-length array can be shown as JSON, at any depth.

    Raises:
        UnshownError: they cannot.
    """
    if kind is None:
        return
    if kind.kind in (Kind.VARIABLE, Kind.REFERENCE, Kind.COMPLEX) or converted_number(kind):
        _data_type(kind)
    elif kind.kind is Kind.ARRAY:
        _check_items(kind.base)
    elif kind.kind is Kind.COMPOUND:
        for field in kind.fields:
            _check_items(field.type)
    else:
        stored_dtype(kind)


def _is_reference(kind: Datatype) -> bool:
    """Whether it is a reference to an object or a region; there are others since HDF5 1.12."""
    return kind.kind is Kind.REFERENCE and kind.bits & 15 in _REFERENCES


def references_in(kind: Datatype, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The references in elements of a type: the names of their fields, and whether they are references to regions."""
    while kind.kind in (Kind.ARRAY, Kind.VARIABLE) and kind.base is not None:
        kind = kind.base
    if _is_reference(kind):
        yield above, bool(kind.bits & 15)
    for field in kind.fields:
        yield from references_in(field.type, (*above, field.name))


def _first(kind: Datatype) -> Datatype:
    return kind.fields[0].type if kind.fields else kind


def _cuts(kind: Datatype) -> bool:
    return kind.padding == Padding.SPACES or (kind.padding == Padding.NUL_TERMINATED and kind.nbytes > 1)


def _is_complex(kind: Datatype) -> bool:
    if kind.kind is Kind.COMPLEX:
        return True
    if kind.kind is not Kind.COMPOUND or len(kind.fields) != 2:
        return False
    real, imaginary = kind.fields
    return (
        (real.name, imaginary.name) in (("r", "i"), ("real", "imag"))
        and real.type == imaginary.type
        and real.type.kind is Kind.FLOAT
        and real.type.nbytes in (4, 8)
        and (real.offset, imaginary.offset, kind.nbytes) == (0, real.type.nbytes, 2 * real.type.nbytes)
    )


def is_boolean(kind: Datatype) -> bool:
    """Whether an enumeration is the one that h5py writes for Booleans."""
    return kind.kind is Kind.ENUM and kind.nbytes == 1 and set(kind.members) == _BOOLEAN


def _data_type(kind: Datatype) -> Any:
    if kind.nbytes > _MAX_ITEM:
        raise UnshownError(
            f"the dataset has elements of {kind.nbytes:,} bytes; at most {_MAX_ITEM:,} are read"
        )
    if is_boolean(kind):
        return "bool"
    if _is_complex(kind):
        part = kind.base or kind.fields[0].type
        if (name := standard_float(part)) not in ("float32", "float64"):
            raise _without_counterpart(_title(kind))
        return "complex64" if name == "float32" else "complex128"
    match kind.kind:
        case Kind.INTEGER | Kind.BITS:
            if packed := packed_number(kind):
                return np.dtype(packed.dtype).name
            precision = unsigned(kind.properties, 2, 2)
            if kind.nbytes not in (1, 2, 4, 8) or precision != 8 * kind.nbytes:
                raise _without_counterpart(f"integers of {precision} bits in {kind.nbytes} bytes")
            return f"{'int' if kind.is_signed else 'uint'}{8 * kind.nbytes}"
        case Kind.ENUM if kind.base is not None:
            return _data_type(kind.base)
        case Kind.FLOAT:
            return _float(kind)
        case Kind.TEXT:
            return {"name": "null_terminated_bytes", "configuration": {"length_bytes": kind.nbytes}}
        case Kind.OPAQUE:
            return _opaque(kind)
        case Kind.COMPOUND:
            fields = [{"name": field.name, "data_type": _field_type(field.type)} for field in kind.fields]
            return {"name": "struct", "configuration": {"fields": fields}}
        case Kind.VARIABLE | Kind.REFERENCE if is_elsewhere(kind):
            _check_items(None if kind.is_text else kind.base)
            return "string"
    raise _without_counterpart(_title(kind))


def _float(kind: Datatype) -> str:
    if name := standard_float(kind):
        return name
    if packed := packed_number(kind):
        return np.dtype(packed.dtype).name
    raise UnshownError(
        f"the dataset holds floating-point numbers of {kind.nbytes} bytes that no type of IEEE 754 up to binary64 can hold"
    )


def _opaque(kind: Datatype) -> dict[str, Any]:
    if kind.tag.startswith("NUMPY:"):
        try:
            dtype = np.dtype(kind.tag[6:])
        except (TypeError, ValueError):
            dtype = np.dtype("V1")
        if dtype.kind in "Mm" and dtype.itemsize == kind.nbytes and dtype.byteorder != ">":
            unit, factor = np.datetime_data(dtype)
            name = "numpy.datetime64" if dtype.kind == "M" else "numpy.timedelta64"
            return {"name": name, "configuration": {"unit": unit, "scale_factor": factor}}
    return {"name": "raw_bytes", "configuration": {"length_bytes": kind.nbytes}}


def _field_type(kind: Datatype) -> Any:
    if kind.kind is Kind.ARRAY and kind.base is not None:
        return {
            "name": "subarray",
            "configuration": {"data_type": _field_type(kind.base), "shape": list(kind.shape)},
        }
    packed = converted_number(kind)
    return _data_type(kind) if packed is None else np.dtype(packed.dtype).name


def _stored(kind: Datatype) -> Any:
    """How elements are stored, for the codec ``hdf5.elements``."""
    if packed := converted_number(kind):
        return {"number": [*packed]}
    if is_elsewhere(kind):
        return {"elsewhere": kind.nbytes}
    if kind.kind is Kind.TEXT:
        return {"text": kind.nbytes, "padding": kind.padding}
    if kind.kind is Kind.ARRAY and kind.base is not None:
        return {"array": _stored(kind.base), "shape": list(kind.shape)}
    if kind.kind is Kind.COMPOUND and not _is_complex(kind):
        fields = [[field.name, field.offset, _stored(field.type)] for field in kind.fields]
        return {"nbytes": kind.nbytes, "fields": fields}
    return stored_dtype(kind).str


def stored_dtype(kind: Datatype) -> np.dtype[Any]:
    """The NumPy dtype of stored elements of a fixed size.

    Raises:
        UnshownError: there is none.
    """
    order = ">" if _first(kind).big_endian else "<"
    if is_boolean(kind):
        return np.dtype("?")
    if converted_number(kind):
        raise UnshownError(
            "the dataset holds numbers of unusual bits in a compound type, which zarrscope does not read"
        )
    if _is_complex(kind):
        return np.dtype(f"{order}c{kind.nbytes}")
    match kind.kind:
        case Kind.INTEGER | Kind.BITS | Kind.ENUM:
            _data_type(kind)
            return np.dtype(f"{order}{'i' if kind.is_signed else 'u'}{kind.nbytes}")
        case Kind.FLOAT:
            _float(kind)
            return np.dtype(f"{order}f{kind.nbytes}")
        case Kind.TEXT:
            return np.dtype(f"S{kind.nbytes}")
        case Kind.OPAQUE:
            return np.dtype(f"V{kind.nbytes}")
        case Kind.ARRAY if kind.base is not None:
            return np.dtype((stored_dtype(kind.base), kind.shape))
        case Kind.COMPOUND:
            return np.dtype(
                {
                    "names": [field.name for field in kind.fields],
                    "formats": [stored_dtype(field.type) for field in kind.fields],
                    "offsets": [field.offset for field in kind.fields],
                    "itemsize": kind.nbytes,
                }
            )
    raise _without_counterpart(_title(kind))


def _without_counterpart(what: str) -> UnshownError:
    return UnshownError(f"the dataset holds {what}, for which Zarr has no data type")


def _title(kind: Datatype) -> str:
    """The elements of a type, in the plural."""
    if kind.kind is Kind.REFERENCE:
        return _REFERENCES.get(kind.bits & 15, "references")
    if _is_complex(kind):
        return f"complex numbers of {kind.nbytes} bytes"
    return _TITLES[kind.kind]


def text_of(data: bytes, padding: int) -> bytes:
    """A fixed text without its padding."""
    if padding == Padding.NUL_TERMINATED:
        return data.split(b"\0")[0]
    return data.rstrip(b" " if padding == Padding.SPACES else b"\0")


def fill_value_of(kind: Datatype, data: bytes, heaps: GlobalHeaps) -> Any:
    """A fill value as JSON; None for the one that a type has by default.

    Raises:
        BrokenFileError, UnshownError: it is broken, or of a type without a counterpart.
    """
    while kind.kind is Kind.ARRAY and kind.base is not None:
        item = data[: kind.base.nbytes]
        if item * (len(data) // max(1, len(item))) != data:
            raise UnshownError(
                "the dataset has an array type with a fill value of several values, which Zarr cannot express"
            )
        kind, data = kind.base, item
    if not data:
        return None
    if kind.kind is Kind.VARIABLE:
        return variable(kind, data, heaps, Room(_MAX_ITEM, "the values of a fill value"))
    if kind.kind is Kind.REFERENCE:
        return heaps.references.text(kind, data)
    if len(data) != kind.nbytes:
        raise BrokenFileError("a fill value has a wrong size")
    if packed := converted_number(kind):
        return _converted_json(kind, numbers(np.frombuffer(data, "u1").reshape(1, -1), packed))
    if kind.kind is Kind.FLOAT:
        return _float_json(data, kind.big_endian)
    if _is_complex(kind):
        half, big = len(data) // 2, _first(kind).big_endian
        return [_float_json(data[:half], big), _float_json(data[half:], big)]
    if kind.kind is Kind.TEXT:
        return base64.standard_b64encode(text_of(data, kind.padding)).decode()
    if kind.kind is Kind.COMPOUND:
        return _compound_fill_value(kind, data, heaps)
    dtype = stored_dtype(kind)
    if kind.kind is Kind.OPAQUE:
        if _opaque(kind)["name"] == "raw_bytes":
            return base64.standard_b64encode(data).decode()
        return int.from_bytes(data, "little", signed=True)
    return np.frombuffer(data, dtype)[0].item()


def _compound_fill_value(kind: Datatype, data: bytes, heaps: GlobalHeaps) -> Any:
    """The bytes of a fill value, or its fields by name if some have variable length."""
    if not any(parts_elsewhere(kind)):
        return base64.standard_b64encode(_element_bytes(kind, data)).decode()
    return {
        field.name: _field_fill_value(field.type, data[field.offset :][: field.type.nbytes], heaps)
        for field in kind.fields
    }


def _field_fill_value(kind: Datatype, data: bytes, heaps: GlobalHeaps) -> Any:
    if kind.kind is not Kind.ARRAY or kind.base is None:
        found = fill_value_of(kind, data, heaps)
        return list_text(found) if isinstance(found, list) and kind.kind is Kind.VARIABLE else found
    if any(parts_elsewhere(kind)):
        items = range(0, len(data), kind.base.nbytes)
        return [_field_fill_value(kind.base, data[at:][: kind.base.nbytes], heaps) for at in items]
    return base64.standard_b64encode(_element_bytes(kind, data)).decode()


def _element_bytes(kind: Datatype, data: bytes) -> bytes:
    """A stored element in the bytes that it has in Zarr: little-endian, without gaps, numbers of unusual bits converted."""
    data = data[: kind.nbytes]
    if packed := converted_number(kind):
        return numbers(np.frombuffer(data, "u1").reshape(1, -1), packed).tobytes()
    if kind.kind is Kind.ARRAY and kind.base is not None:
        size = kind.base.nbytes
        return b"".join(_element_bytes(kind.base, data[at : at + size]) for at in range(0, len(data), size))
    if kind.kind is Kind.COMPOUND and not _is_complex(kind):
        return b"".join(_element_bytes(field.type, data[field.offset :]) for field in kind.fields)
    if kind.kind is Kind.TEXT:
        return text_of(data, kind.padding).ljust(kind.nbytes, b"\0")
    dtype = stored_dtype(kind)
    return np.frombuffer(data, dtype).astype(dtype.newbyteorder("<")).tobytes()


def _float_json(data: bytes, is_big: bool) -> Any:
    number = np.frombuffer(data, f"{'>' if is_big else '<'}f{len(data)}")[0]
    return float(number) if math.isfinite(number) else "0x" + (data if is_big else data[::-1]).hex()


def _converted_json(kind: Datatype, number: AnyArray) -> Any:
    """A number of unusual bits, converted. The bytes of a NaN of ``float32`` are too many for ``bfloat16``."""
    value = number[0].item()
    if kind.kind is not Kind.FLOAT or math.isfinite(value):
        return value
    if standard_float(kind) is None:
        return _float_json(number.tobytes(), False)
    return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"


def characters_of(kind: Datatype, text: bytes) -> str:
    """The characters of a text. One that is marked as ASCII is UTF-8 if it can be, else Latin-1."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("utf-8", "replace") if kind.is_utf8 else text.decode("latin-1")


def variable(kind: Datatype, data: bytes, heaps: GlobalHeaps, room: Room) -> Any:
    """An element of variable length, from its place in a global heap: text, or a list of its items."""
    if kind.is_text:
        text = next(heaps.texts(data, 1))
        room.take(len(text))
        return characters_of(kind, text)
    if kind.base is None:
        raise BrokenFileError("a type of variable length has no base")
    found = _items(kind.base, data, heaps)
    room.take(_LIST_NBYTES + len(found))
    items = _numbers(kind.base, found, len(found) // kind.base.nbytes)
    if items is not None:
        room.take(_VALUE_NBYTES * len(items))
        return items.tolist()
    return [
        json_of(kind.base, found[i : i + kind.base.nbytes], heaps, room)
        for i in range(0, len(found), kind.base.nbytes)
    ]


def _numbers(kind: Datatype, data: bytes, count: int) -> AnyArray | None:
    """The first numbers of some data, if NumPy has their type: one by one, millions would take minutes."""
    if kind.kind in (Kind.INTEGER, Kind.FLOAT):
        with suppress(UnshownError):
            return np.frombuffer(data, stored_dtype(kind), count)
    return None


def number_type(kind: Datatype) -> np.dtype[Any] | None:
    """The type of NumPy that holds the values of a type of numbers; None for other types."""
    if kind.kind not in (Kind.INTEGER, Kind.FLOAT):
        return None
    with suppress(UnshownError):
        packed = converted_number(kind)
        return np.dtype(packed.dtype) if packed else stored_dtype(kind).newbyteorder("=")
    return None


def list_text(items: list[Any]) -> str:
    """A variable-length array as JSON, in which texts stay legible."""
    return json.dumps(items, ensure_ascii=False)


def _items(base: Datatype, data: bytes, heaps: GlobalHeaps) -> bytes:
    """The bytes of the items of an element of variable length."""
    count, address, index = unsigned(data, 0, 4), unsigned(data, 4, 8), unsigned(data, 12, 4)
    if not count or address in (0, UNDEFINED):
        return b""
    found = heaps.object(address, index)
    if len(found) < count * base.nbytes:
        raise BrokenFileError(LONGER_THAN_ITS_OBJECT)
    return found[: count * base.nbytes]


def json_of(kind: Datatype, data: bytes, heaps: GlobalHeaps, room: Room) -> Any:
    """One element as JSON, for attributes."""
    room.take(max(kind.nbytes, _VALUE_NBYTES))
    if packed := converted_number(kind):
        return numbers(np.frombuffer(data[: kind.nbytes], "u1").reshape(1, -1), packed)[0].item()
    match kind.kind:
        case Kind.VARIABLE:
            return variable(kind, data, heaps, room)
        case Kind.TEXT:
            return characters_of(kind, text_of(data, kind.padding))
        case Kind.REFERENCE:
            text: str | None = (
                heaps.references.text(kind, data[: kind.nbytes]) if _is_reference(kind) else None
            )
            room.take(len(text or ""))
            return text
        case Kind.OPAQUE | Kind.TIME:
            return base64.standard_b64encode(data).decode()
        case Kind.ARRAY if kind.base is not None:
            return array_json(kind.base, kind.shape, data, heaps, room)
        case Kind.COMPOUND if not _is_complex(kind):
            room.take(sum(len(field.name) for field in kind.fields))
            return {
                field.name: json_of(
                    field.type, data[field.offset : field.offset + field.type.nbytes], heaps, room
                )
                for field in kind.fields
            }
    try:
        value = np.frombuffer(data, stored_dtype(kind))[0].item()
    except UnshownError:
        return base64.standard_b64encode(data).decode()
    return [value.real, value.imag] if isinstance(value, complex) else value


def array_json(kind: Datatype, shape: tuple[int, ...], data: bytes, heaps: GlobalHeaps, room: Room) -> Any:
    """The elements of an attribute as nested JSON arrays."""
    count = math.prod(shape)
    if len(data) < count * kind.nbytes:
        raise BrokenFileError("the elements of an attribute end early")
    items = _numbers(kind, data, count)
    if items is not None:
        room.take(_NUMBER_NBYTES * count)
        return items.reshape(shape).tolist()
    values = [json_of(kind, data[i * kind.nbytes : (i + 1) * kind.nbytes], heaps, room) for i in range(count)]
    for length in reversed(shape[1:]):
        values = [values[i : i + length] for i in range(0, len(values), length)] if length else []
    return values if shape else values[0]
