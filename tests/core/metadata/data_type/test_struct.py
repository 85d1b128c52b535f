"""Records of named fields, and fields that are arrays."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type import data_type_of, parse_data_type
from zarrcore.metadata.data_type.struct import StructFamily, by_its_new_name


def test_structured_types_nest() -> None:
    dtype = np.dtype([("a", ">i4"), ("b", [("c", "<f8", (2, 3)), ("d", "S4")])])
    again = parse_data_type(json.loads(json.dumps(data_type_of(dtype).document())))
    assert again.dtype == dtype.newbyteorder("<")


def struct(*fields: Any) -> dict[str, Any]:
    return {"name": "struct", "configuration": {"fields": [*fields]}}


INNER = struct({"name": "ä", "data_type": "int8"}, {"name": "y", "data_type": "float16"})
RECORD = struct({"name": "a", "data_type": "uint16"}, {"name": "b", "data_type": INNER})


def test_fields_are_packed_in_their_order() -> None:
    data_type = parse_data_type(RECORD)
    assert data_type.dtype == np.dtype([("a", "<u2"), ("b", [("ä", "i1"), ("y", "<f2")])])
    element = StructFamily().parse({"b": {"y": 1.5, "ä": -1}, "a": 258}, data_type)
    assert element.tobytes() == b"\2\1\xff\0\x3e"
    assert StructFamily().spell(element, data_type) == {"a": 258, "b": {"ä": -1, "y": 1.5}}


def test_a_record_is_spelled_by_its_fields_or_its_bytes() -> None:
    data_type = parse_data_type(RECORD)
    for value, raw in (
        ({"a": 1}, b"\1\0\0\0\0"),
        ({"a": None, "b": {}}, bytes(5)),
        (0, bytes(5)),
        ([2, 1, 255, 0, 62], b"\2\1\xff\0\x3e"),
        ("AgH/AD4=", b"\2\1\xff\0\x3e"),
    ):
        assert StructFamily().parse(value, data_type).tobytes() == raw


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"c": 1}, "expected an element of type struct"),
        ({"a": 1 << 16}, "expected an element of type uint16"),
        ({"b": {"ä": 1, "z": 1}}, "expected an element of type struct"),
        ([1, 2], "expected 5 bytes, found 2"),
        ("", "expected 5 bytes, found 0"),
        (1, "expected an element of type struct"),
        (False, "expected an element of type struct"),
    ],
)
def test_other_spellings_of_a_record_are_refused(value: Any, words: str) -> None:
    with pytest.raises(MetadataError, match=words):
        StructFamily().parse(value, parse_data_type(RECORD))


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (struct(), r"^data_type.fields: expected an array of fields, found an array of 0"),
        ({"name": "struct"}, r"^data_type.fields: expected an array of fields, found null"),
        (struct("int8"), r"^data_type.fields\[0\]: expected a name and a data type, found the string 'int8'"),
        (struct(["a"]), r"fields\[0\]: expected a name and a data type"),
        (struct({"data_type": "int8"}), r"fields\[0\].name: expected a string, found null"),
        (struct({"name": "a"}), r"fields\[0\].data_type: "),
        (struct(["", "int8"]), r"fields\[0\].name: expected a name, found an empty string"),
        (struct(["a", "int8"], ["a", "int8"]), r"^data_type.fields: "),
        (struct(["a", "r2147483648"], ["b", "int8"]), "256 MiB"),
    ],
)
def test_fields_that_are_refused_are_named_by_their_place(document: Any, words: str) -> None:
    with pytest.raises(MetadataError, match=words):
        parse_data_type(document)


def test_a_field_may_be_an_array() -> None:
    subarray = {"name": "subarray", "configuration": {"data_type": "int16", "shape": [2, 2]}}
    data_type = parse_data_type(struct(["a", subarray]))
    assert data_type.dtype == np.dtype([("a", "<i2", (2, 2))])
    element = np.zeros((), data_type.dtype)
    element["a"] = [[1, 2], [3, 4]]
    spelled = StructFamily().spell(element, data_type)
    assert spelled == {"a": "AQACAAMABAA="}
    assert StructFamily().parse(spelled, data_type).tobytes() == element.tobytes()
    for shape in ([0], [-1], [1.5], 2, [1 << 40]):
        with pytest.raises(MetadataError):
            parse_data_type(
                struct(["a", {"name": "subarray", "configuration": {"data_type": "int16", "shape": shape}}])
            )


def test_unused_bits_of_fields_are_cleared() -> None:
    data_type = parse_data_type(struct(["a", "int4"], ["b", "uint8"]))
    assert StructFamily().parse([0xFF, 0xFF], data_type).tobytes() == b"\x0f\xff"


def test_old_names_are_replaced_in_fields_too() -> None:
    old = {"name": "structured", "configuration": {"fields": [["a", "int8"]]}}
    pair = {"name": "subarray", "configuration": {"data_type": old, "shape": [2]}}
    within = {"name": "structured", "configuration": {"fields": [["x", old], ["y", pair]]}}
    renamed = by_its_new_name(parse_data_type(within))
    text = json.dumps(renamed.document())
    assert "structured" not in text
    assert parse_data_type(json.loads(text)).dtype == parse_data_type(within).dtype
    assert by_its_new_name(parse_data_type("int8")).name == "int8"
    optional = {"name": "optional", "configuration": {"name": "int8", "configuration": {}}}
    assert by_its_new_name(parse_data_type(optional)).name == "zarrs.optional"
