"""Identifiers of chunks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zarrcore.stores.precomputed.morton import morton_code, place_of

GRIDS = st.tuples(*[st.integers(1, 50)] * 3)


@given(GRIDS, st.data())
def test_codes_and_places_correspond(grid: tuple[int, int, int], data: st.DataObject) -> None:
    x, y, z = (data.draw(st.integers(0, count - 1)) for count in grid)
    assert place_of(morton_code((x, y, z), grid), grid) == (x, y, z)


@given(GRIDS, st.integers(0, 2**20))
def test_other_codes_have_no_place(grid: tuple[int, int, int], code: int) -> None:
    place = place_of(code, grid)
    assert place is None or morton_code(place, grid) == code
