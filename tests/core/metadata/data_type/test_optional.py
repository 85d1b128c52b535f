"""Values that may be missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.data_type.optional import OptionalFamily, is_optional

FAMILY = OptionalFamily()


def optional(inner: Any) -> dict[str, Any]:
    inner = {"name": inner, "configuration": {}} if isinstance(inner, str) else inner
    return {"name": "zarrs.optional", "configuration": inner}


@pytest.mark.parametrize(
    ("inner", "value", "raw"),
    [
        ("int16", None, b"\0\0\0"),
        ("int16", [-2], b"\xfe\xff\1"),
        ("float32", ["NaN"], b"\0\0\xc0\x7f\1"),
        (optional("uint8"), None, b"\0\0\0"),
        (optional("uint8"), [None], b"\0\0\1"),
        (optional("uint8"), [[7]], b"\7\1\1"),
    ],
)
def test_an_element_and_its_absence_survive_their_spelling(inner: Any, value: Any, raw: bytes) -> None:
    data_type = parse_data_type(optional(inner))
    element = FAMILY.parse(value, data_type)
    assert (element.tobytes(), element.shape) == (raw, ())
    assert FAMILY.spell(element, data_type) == value


@pytest.mark.parametrize("value", [5, [], [1, 2], {}, "x", [["x"]], [1000]])
def test_a_value_is_an_array_of_one_element(value: Any) -> None:
    with pytest.raises(MetadataError, match="fill_value"):
        FAMILY.parse(value, parse_data_type(optional("int8")))


def test_a_value_in_an_array_may_be_undefined() -> None:
    data_type = parse_data_type(optional("int8"))
    assert FAMILY.parse([None], data_type).tobytes() == b"\0\1"


def test_values_without_a_fixed_size_and_arrays_are_not_supported() -> None:
    subarray = {"name": "subarray", "configuration": {"data_type": "int8", "shape": [2]}}
    for inner, name in (("string", "string"), (subarray, "subarray")):
        with pytest.raises(UnsupportedError, match=f"of {name} is not supported"):
            parse_data_type(optional(inner))


def test_the_error_of_an_inner_type_names_its_place() -> None:
    with pytest.raises(MetadataError, match=r"^data_type.configuration.name: expected a string, found null"):
        parse_data_type({"name": "optional"})
    with pytest.raises(UnsupportedError, match="int3"):
        parse_data_type(optional("int3"))


def test_only_a_record_of_a_value_and_its_validity_is_optional() -> None:
    assert is_optional(parse_data_type(optional("int8")).dtype)
    for fields in (
        [("is_valid", "?"), ("value", "i1")],
        [("value", "i1"), ("is_valid", "u1")],
        [("value", "i1")],
    ):
        assert not is_optional(np.dtype(fields))
    assert not is_optional(np.dtype("i1"))
