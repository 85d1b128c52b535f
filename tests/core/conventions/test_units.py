"""Symbols of units, as UDUNITS and OME name them."""

from __future__ import annotations

import pytest

from zarrcore.conventions import format_quantity, in_centimetres, is_length, power_of_ten, symbol


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("micrometer", "µm"),
        ("micrometre", "µm"),
        ("micron", "µm"),
        ("um", "µm"),
        ("angstrom", "Å"),
        ("kilometer", "km"),
        ("millisecond", "ms"),
        ("minute", "min"),
        ("degrees_north", "°N"),
        ("degC", "°C"),
        ("kelvin", "K"),
        ("1", ""),
        ("W m-2", "W m-2"),
        ("", ""),
    ],
)
def test_symbols(unit: str, expected: str) -> None:
    assert symbol(unit) == expected


@pytest.mark.parametrize(
    ("unit", "centimetres"),
    [("nanometer", 1e-7), ("Å", 1e-8), ("m", 100), ("kilometre", 1e5), ("picometer", 1e-10)],
)
def test_lengths(unit: str, centimetres: float) -> None:
    assert is_length(unit)
    assert in_centimetres(1, unit) == pytest.approx(centimetres)
    assert 10.0 ** (power_of_ten(unit) + 2) == pytest.approx(centimetres)


@pytest.mark.parametrize("unit", ["second", "degrees_north", "parsec", "K", ""])
def test_what_a_scale_bar_cannot_use(unit: str) -> None:
    assert not is_length(unit)


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (0.325, "micrometer", "0.325 µm"),
        (50.5, "degrees_north", "50.5°N"),
        (2, "", "2"),
        (1e-9, "m", "1e-09 m"),
    ],
)
def test_quantities(value: float, unit: str, expected: str) -> None:
    assert format_quantity(value, unit) == expected
