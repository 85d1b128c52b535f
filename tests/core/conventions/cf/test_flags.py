"""The meanings of flags, for the three kinds of flags of CF."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.conventions.cf import flag_meaning
from zarrcore.conventions.cf.flags import flags_of

# CF conventions 3.5, examples 3.3, 3.4 and 3.5.
STATUS = {"flag_values": [0, 1, 2, 3], "flag_meanings": "good bad missing unknown"}
SENSOR = {"flag_masks": [1, 2, 4, 8], "flag_meanings": "low_battery processor_fault memory_fault disk_fault"}
BOTH = {
    "flag_masks": [1, 2, 12, 12, 12],
    "flag_values": [1, 2, 4, 8, 12],
    "flag_meanings": "low_battery hardware_fault offline_mode calibration_mode maintenance_mode",
}


@pytest.mark.parametrize(
    ("attributes", "value", "expected"),
    [
        (STATUS, 1, "bad"),
        (STATUS, 9, ""),
        (SENSOR, 0, ""),
        (SENSOR, 9, "low_battery, disk_fault"),
        (BOTH, 13, "low_battery, maintenance_mode"),
        (BOTH, 6, "hardware_fault, offline_mode"),
        ({"flag_masks": [1, 2], "flag_meanings": "one"}, 1, ""),
        ({"flag_masks": [1, "a"], "flag_meanings": "a b"}, 1, ""),
        ({"flag_masks": [1, 1], "flag_meanings": "a b"}, 1, ""),
        ({"flag_masks": [0, 1], "flag_meanings": "never always"}, 1, "always"),
        ({}, 1, ""),
    ],
)
def test_meanings(attributes: dict[str, Any], value: int, expected: str) -> None:
    assert flag_meaning(attributes, value) == expected


@given(st.integers(0, 255))
def test_bits_are_told_one_by_one(value: int) -> None:
    attributes = {
        "flag_masks": [1 << bit for bit in range(8)],
        "flag_meanings": " ".join(map(str, range(8))),
    }
    bits = ", ".join(str(bit) for bit in range(8) if value >> bit & 1)
    assert flag_meaning(attributes, value) == bits


def test_values_and_masks_that_do_not_fit_the_meanings_are_ignored() -> None:
    assert flags_of(STATUS) == {0: "good", 1: "bad", 2: "missing", 3: "unknown"}
    assert flags_of({"flag_values": [0], "flag_meanings": "good bad"}) == {}
    assert flags_of({"flag_values": ["0"], "flag_meanings": "good"}) == {}
