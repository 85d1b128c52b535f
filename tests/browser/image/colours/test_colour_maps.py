"""Colour maps by name: their tables, their titles, and the one for labels."""

from __future__ import annotations

import numpy as np
import pytest

from zarrbrowser.image.colours.colour_maps import (
    COLOUR_MAPS,
    CYCLIC,
    DIVERGING,
    LABELS,
    catalogue,
    is_known,
    lookup_table,
    title_of,
)
from zarrbrowser.session.state import Session
from zarrcore.typing import AnyArray


@pytest.mark.parametrize("name", COLOUR_MAPS)
def test_each_map_of_the_menu_has_its_own_table(name: str) -> None:
    table = lookup_table(name)
    assert (table.shape, table.dtype) == ((256, 3), np.uint8)
    assert is_known(name)
    assert name == "gray" or not np.array_equal(table, lookup_table("gray")), "an unknown name would be gray"


def test_gray_is_even_and_its_inverse_runs_the_other_way() -> None:
    assert np.array_equal(lookup_table("gray"), np.repeat(np.arange(256)[:, None], 3, axis=1))
    assert np.array_equal(lookup_table("gray_r"), lookup_table("gray")[::-1])


def test_the_cyclic_map_ends_where_it_begins() -> None:
    table = lookup_table(CYCLIC).astype(int)
    steps = np.abs(np.diff(table, axis=0)).max()
    assert np.abs(table[0] - table[-1]).max() <= steps


def test_neighbouring_labels_have_very_different_colours_and_none_is_gray() -> None:
    table = lookup_table(LABELS).astype(int)
    assert len(np.unique(table, axis=0)) > 200
    assert np.abs(np.diff(table, axis=0)).max(axis=1).min() > 40
    assert (table.max(axis=1) - table.min(axis=1)).min() > 80
    assert table.max(axis=1).min() >= 200, "bright on a dark background"


@pytest.mark.parametrize("name", ["", "mud", "gray:", "ünknown"])
def test_an_unknown_name_is_drawn_in_gray(name: str) -> None:
    assert not is_known(name)
    assert np.array_equal(lookup_table(name), lookup_table("gray"))


def test_maps_outside_the_menu_are_known_and_titled_by_their_own_name() -> None:
    every = catalogue()
    assert every["haline"] == "sequential"
    assert is_known("haline")
    assert title_of("haline") == "haline"
    assert title_of("cmocean:ice") == "Ice"
    assert title_of("cmocean:haline") == "haline", "without the name of its collection"
    assert list(every.values()) == sorted(every.values()), "maps of one kind are together"


_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
_DEFICIENCIES = {
    "protanopia": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    "deuteranopia": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
}
"""Linear RGB as it looks to people without one kind of cones: Viénot, Brettel and Mollon 1999."""


def linear(table: AnyArray) -> AnyArray:
    parts = table / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def least_difference(name: str, deficiency: str) -> float:
    """How much the colours of opposite values differ at least, outside the middle third: 0 to 1, without lightness."""
    seen = linear(lookup_table(name)) @ np.array(_DEFICIENCIES[deficiency]).T
    shares = seen / seen.sum(axis=1, keepdims=True)
    return float(np.abs(shares[:85] - shares[:-86:-1]).max(axis=1).min())


@pytest.mark.parametrize(
    "name", [Session().colour_map, "viridis", "magma", "inferno", "cividis", "cmocean:ice", "cmocean:thermal"]
)
def test_more_is_lighter_in_the_default_and_the_even_maps(name: str) -> None:
    assert (np.diff(linear(lookup_table(name)) @ _LUMINANCE) > -1e-3).all()


@pytest.mark.parametrize("deficiency", _DEFICIENCIES)
def test_differences_have_signs_for_colour_blind_people(deficiency: str) -> None:
    assert least_difference(DIVERGING, deficiency) > 3 * least_difference("colorbrewer:RdYlGn", deficiency)
