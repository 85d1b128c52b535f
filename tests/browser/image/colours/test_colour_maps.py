"""Colour maps by name: their tables, their titles, and the one for labels."""

from __future__ import annotations

import numpy as np
import pytest

from zarrbrowser.image.colours.colour_maps import (
    COLOUR_MAPS,
    CYCLIC,
    LABELS,
    catalogue,
    is_known,
    lookup_table,
    title_of,
)


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
