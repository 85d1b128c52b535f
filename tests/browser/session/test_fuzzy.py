"""Fuzzy search."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.session.fuzzy import best, score

TITLES = [
    "Open folder",
    "Export",
    "Export figure",
    "Copy as Python: zarr",
    "Series of points, along any axis",
    "Copy path",
]


def test_letters_in_order_are_enough() -> None:
    assert [TITLES[one] for one in best("exf", TITLES)] == ["Export figure"]
    assert [TITLES[one] for one in best("figure export", TITLES)] == ["Export figure"]
    assert best("xyz", TITLES) == []
    assert best("  ", TITLES) == list(range(len(TITLES)))


def test_neighbours_beginnings_and_short_titles_come_first() -> None:
    assert [TITLES[one] for one in best("ex", TITLES)][:2] == ["Export", "Export figure"]
    assert TITLES[best("py", TITLES)[0]] in ("Copy path", "Copy as Python: zarr")
    assert TITLES[best("copy p", TITLES)[0]] == "Copy path"


@given(st.text(max_size=12), st.text(max_size=30))
def test_what_fits_has_the_letters_in_order(query: str, text: str) -> None:
    found = score(query, text)
    for word in query.lower().split():
        letters = iter(text.lower())
        is_there = all(letter in letters for letter in word)
        assert is_there or found is None
    if query.strip() and query.strip().lower() in text.lower():
        assert found is not None
