"""Data types and fill values of Zarr v2 and v3: MetadataError or UnsupportedError, or those of NumPy, written and read back."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from tests.proofs.fuzz.documents import document_of
from tests.proofs.fuzz.nodes import same_element
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats.v2.parse import parse_dtype
from zarrcore.metadata.data_type import data_type_of, parse_data_type, with_byte_order
from zarrcore.metadata.fill_value import fill_value_document, parse_fill_value, zero
from zarrcore.metadata.json_document import format_json, parse_json_object

_NUMBERS = [
    "bool",
    "int8",
    "uint16",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex_float64",
]
_SMALL = [
    "bfloat16",
    "int2",
    "uint4",
    "float4_e2m1fn",
    "float6_e3m2fn",
    "float8_e8m0fnu",
    "complex_float16",
    "complex_float8_e4m3",
]
_STRUCT = {
    "name": "struct",
    "configuration": {"fields": [{"name": "a", "data_type": "int4"}, {"name": "b", "data_type": "r24"}]},
}
EXAMPLES: list[dict[str, Any]] = [
    *({"type": name, "fill": 1} for name in _NUMBERS),
    *({"type": name, "fill": "NaN"} for name in _SMALL),
    {"type": "float64", "fill": "0x7ff8000000000001"},
    {"type": "r16", "fill": [1, 2]},
    {
        "type": {"name": "numpy.timedelta64", "configuration": {"unit": "us", "scale_factor": 7}},
        "fill": "NaT",
    },
    {"type": {"name": "null_terminated_bytes", "configuration": {"length_bytes": 3}}, "fill": "YWI="},
    {"type": {"name": "fixed_length_utf32", "configuration": {"length_bytes": 12}}, "fill": "é"},
    {"type": {"name": "raw_bytes", "configuration": {"length_bytes": 2}}, "fill": "AAE="},
    {"type": _STRUCT, "fill": {"a": -1, "b": [0, 1, 2]}},
    {"type": {"name": "subarray", "configuration": {"data_type": "int8", "shape": [2]}}, "fill": 0},
    {
        "type": {"name": "structured", "configuration": {"fields": [["a", _STRUCT], ["b", "complex64"]]}},
        "fill": "AAAAAAAAAAAAAAAA",
    },
    {
        "type": {"name": "zarrs.optional", "configuration": {"name": "float32", "configuration": {}}},
        "fill": [1.5],
    },
    {
        "type": {"name": "optional", "configuration": {"name": "zarrs.optional", "configuration": _STRUCT}},
        "fill": [None],
    },
    {"type": "string", "fill": "é"},
    {"type": "bytes", "fill": [1, 2]},
    {"type": {"name": "float128", "fallback": ["r128", "x"]}, "fill": None},
    *({"dtype": name, "fill": 0} for name in ("<f4", ">c16", "|S3", ">U2", "<M8[25s]", "|V5", "|b1")),
    {"dtype": [["a", ">i4"], ["b", "<f4", [2]], ["c", [["d", "|S1"], ["e", ">M8[D]"]]]], "fill": None},
]
MAX_LENGTH = 80
WORDS = (
    *_NUMBERS,
    *_SMALL,
    *(
        "type",
        "dtype",
        "fill",
        "name",
        "configuration",
        "fields",
        "data_type",
        "shape",
        "length_bytes",
        "unit",
        "scale_factor",
    ),
    *(
        "fallback",
        "struct",
        "subarray",
        "optional",
        "Y",
        "M",
        "ns",
        "as",
        "μs",
        "generic",
        "r8",
        "r7",
        "NaT",
        "+Infinity",
        "0x8000",
    ),
    *(
        "<i4",
        ">f8",
        "|u1",
        "<M8",
        "<m8[as]",
        "<M8[2147483647Y]",
        "<M8[0s]",
        "|V0",
        "(3,)<i2",
        "int4",
        "float8_e5m2",
        "a\0b",
    ),
)


def check(data: bytes) -> None:
    """What is accepted has NumPy's element, and its spelling is read back bit for bit."""
    try:
        document = parse_json_object(document_of(data, EXAMPLES, WORDS))
    except MetadataError:
        return
    _check_dtype(document.get("dtype"))
    try:
        data_type = parse_data_type(document.get("type"))
    except (MetadataError, UnsupportedError):
        return
    text = format_json(data_type.document())
    again = parse_data_type(json.loads(text))
    assert again == data_type or b"NaN" in text or b"Infinity" in text  # which JSON has only as words
    assert again.dtype == data_type.dtype
    for element in (zero(data_type.dtype), _filled(document.get("fill"), data_type)):
        if element is None:
            continue
        assert element.shape == data_type.dtype.shape
        spelled = json.loads(format_json({"fill": fill_value_document(element, data_type)}))["fill"]
        if spelled is not None:
            assert same_element(parse_fill_value(spelled, data_type), element), f"{spelled!r} for {element!r}"
    with contextlib.suppress(UnsupportedError):  # NumPy has fewer types
        assert data_type_of(data_type.dtype).dtype == data_type.dtype


def _filled(value: Any, data_type: Any) -> Any:
    try:
        element = parse_fill_value(value, data_type)
    except MetadataError:
        return None
    dtype = data_type.dtype
    if type(value) is int and dtype.kind in "iu" and dtype.isbuiltin == 1:
        assert int(element) == value
    elif type(value) is float and dtype.kind == "f" and dtype.isbuiltin == 1:
        with np.errstate(over="ignore"):
            assert same_element(element, np.array(value, dtype)) or value != value
    elif isinstance(value, str) and dtype.kind == "T":
        assert str(element) == value
    return element


def _check_dtype(value: Any) -> None:
    """A dtype of Zarr v2 is NumPy's own, and has a data type of Zarr v3."""
    try:
        dtype = parse_dtype(value)
    except (MetadataError, UnsupportedError):
        return
    if isinstance(value, str) and dtype.isbuiltin == 1:
        assert np.dtype(value) == dtype
    with contextlib.suppress(UnsupportedError):
        data_type = data_type_of(dtype)
        assert data_type.dtype == with_byte_order(dtype, "<")
        assert parse_data_type(data_type.document()).dtype.itemsize == dtype.itemsize


def examples() -> Iterable[bytes]:
    """Each of `EXAMPLES`."""
    return [bytes([number]) for number in range(len(EXAMPLES))]
