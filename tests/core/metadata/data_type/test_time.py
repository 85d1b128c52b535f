"""Datetimes and timedeltas: units, and spellings of their elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.data_type.time import TimeFamily, not_a_time

FAMILY = TimeFamily()


def time(kind: str = "datetime64", **configuration: Any) -> dict[str, Any]:
    return {"name": f"numpy.{kind}", "configuration": configuration}


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (time(unit="s", scale_factor=1), "<M8[s]"),
        (time(unit="μs", scale_factor=10), "<M8[10us]"),
        (time("timedelta64", unit="D", scale_factor=(1 << 31) - 1), "<m8[2147483647D]"),
        (time("timedelta64", unit="generic", scale_factor=1), "<m8"),
        (time(unit="ns"), "<M8[ns]"),
    ],
)
def test_a_unit_and_its_multiple_make_a_dtype(document: Any, code: str) -> None:
    assert parse_data_type(document).dtype == np.dtype(code)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (time(scale_factor=1), "data_type.unit: expected a unit of time, found null"),
        (time(unit="S", scale_factor=1), "unit: expected a unit of time, found the string 'S'"),
        (time(unit="s/0"), "unit: expected a unit of time"),
        (time(unit=["s"]), "unit: expected a unit of time"),
        (time(unit="s", scale_factor=0), "scale_factor: expected a positive integer, found the number 0"),
        (time(unit="s", scale_factor=1 << 31), "scale_factor: expected a positive integer"),
        (time(unit="s", scale_factor=True), "scale_factor: expected a positive integer, found true"),
        (time(unit="s", scale_factor=1.0), "scale_factor: expected a positive integer"),
    ],
)
def test_other_units_and_multiples_are_refused(document: Any, words: str) -> None:
    with pytest.raises(MetadataError, match=words):
        parse_data_type(document)


@pytest.mark.parametrize("kind", ["datetime64", "timedelta64"])
def test_an_element_is_a_count_or_nat(kind: str) -> None:
    data_type = parse_data_type(time(kind, unit="ms", scale_factor=5))
    for value in (0, -1, (1 << 63) - 1, 1 - (1 << 63)):
        element = FAMILY.parse(value, data_type)
        assert (element.dtype, int(element.view("<i8"))) == (data_type.dtype, value)
        assert FAMILY.spell(element, data_type) == value
    for value in ("NaT", -(1 << 63)):
        element = FAMILY.parse(value, data_type)
        assert np.isnat(element)
        assert FAMILY.spell(element, data_type) == "NaT"
    for value in (1 << 63, 0.5, "nat", "2020-01-01", True, [0]):
        with pytest.raises(MetadataError, match="fill_value"):
            FAMILY.parse(value, data_type)


def test_nat_has_the_type_that_was_asked_for() -> None:
    for code in ("<M8[s]", "<m8"):
        element = not_a_time(np.dtype(code))
        assert (element.dtype, element.shape, bool(np.isnat(element))) == (np.dtype(code), (), True)
