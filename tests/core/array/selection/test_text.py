"""Selections as text."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.array import parse_selection
from zarrcore.errors import SelectionError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("...", (...,)),
        ("3", (3,)),
        ("3,", (3,)),
        ("-1, ::2", (-1, slice(None, None, 2))),
        ("[3,:,0:100]", (3, slice(None), slice(0, 100))),
        ("3,_,0-100", (3, slice(None), slice(0, 100))),
        ("5-,0-9-2", (slice(5, None), slice(0, 9, 2))),
        ("-5:-1", (slice(-5, -1),)),
        ("t=3,y=0:100", (3, slice(None), slice(0, 100), slice(None))),
        ("x=-1", (slice(None), slice(None), slice(None), -1)),
    ],
)
def test_spellings_of_selections_are_parsed(text: str, expected: tuple) -> None:
    assert parse_selection(text, ["t", "z", "y", "x"]) == expected


@pytest.mark.parametrize(
    "text",
    ["a", "1,,2", "1:2:3:4", "0:9:0", "1.5", "None", "t=1,2", "q=1", "t=1,t=2", "t=...", "[1", "9" * 30],
)
def test_text_that_is_not_a_selection_is_refused(text: str) -> None:
    with pytest.raises(SelectionError):
        parse_selection(text, ["t", "z", "y", "x"])


@pytest.mark.parametrize("text", ["2020-02-15", "t=2020-02-15", "2020-02", "9-3"])
def test_a_date_is_not_a_range(text: str) -> None:
    with pytest.raises(SelectionError, match="ends before it begins; select by index"):
        parse_selection(text, ["t"])


def test_a_range_with_colons_may_be_empty_as_in_numpy() -> None:
    assert parse_selection("9:3") == (slice(9, 3),)
    assert parse_selection("3-3") == (slice(3, 3),)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(SelectionError, match=r"found 'q'; the names are t, x$"):
        parse_selection("q=1", ["t", None, "x"])


def test_names_for_unnamed_dimensions_are_refused() -> None:
    with pytest.raises(SelectionError, match="have no names"):
        parse_selection("t=1")


@given(st.text(max_size=20))
def test_any_text_gives_a_selection_or_a_selection_error(text: str) -> None:
    with contextlib.suppress(SelectionError):
        assert isinstance(parse_selection(text, ["t", None]), tuple)
