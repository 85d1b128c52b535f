"""Which tests are campaigns, and how many examples properties have."""

from __future__ import annotations

import itertools
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.campaigns import ALL, EXAMPLES, EXAMPLES_OF_A_CASE, are_campaigns, one_of_each

MATRIX = list(itertools.product("abc", (1, 2), ({"x": 1}, None, [])))
tried = Counter[str]()


def kept(mark: pytest.Mark) -> list[tuple[Any, ...]]:
    """The cases of `MATRIX` that are no campaigns."""
    items = [
        SimpleNamespace(
            nodeid=f"test_it[{number}]",
            callspec=SimpleNamespace(params=dict(zip(("letter", "number", "value"), case, strict=True))),
            get_closest_marker={"sampled": mark}.get,
        )
        for number, case in enumerate(MATRIX)
    ]
    return [case for case, is_campaign in zip(MATRIX, are_campaigns(items), strict=True) if not is_campaign]


@pytest.mark.parametrize(
    ("mark", "least", "most"),
    [
        (pytest.mark.sampled, 3, 4),
        (pytest.mark.sampled(7), 7, 7),
        (pytest.mark.sampled(99), 18, 18),
        (pytest.mark.sampled(axes=["number"]), 2, 2),
    ],
)
def test_a_sample_has_each_value_of_each_axis(mark: pytest.MarkDecorator, least: int, most: int) -> None:
    cases = kept(mark.mark)
    assert least <= len(cases) <= most
    for axis in [1] if mark.kwargs else range(3):
        assert all(
            value in [case[axis] for case in cases] for value in ("abc", (1, 2), ({"x": 1}, None, []))[axis]
        )
    assert kept(mark.mark) == cases, "the sample is fixed"


ran = list[str]()


@pytest.mark.parametrize("word", one_of_each(["a1", "b1", "a2", "b2", "a3"], kind=lambda word: word[0]))
def test_values_of_each_kind(word: str) -> None:
    ran.append(word)


def test_one_value_of_each_kind_was_tried() -> None:
    assert ran == (["a1", "b1", "a2", "b2", "a3"] if ALL else ["a1", "b1"])


@pytest.mark.campaign
def test_campaigns_are_deselected() -> None:
    assert ALL


@settings(max_examples=60, database=None)
@given(st.integers())
def test_properties_are_shortened(number: int) -> None:
    tried["alone"] += 1


@pytest.mark.parametrize("case", ["one", "other"])
@settings(max_examples=60, database=None)
@given(st.integers())
def test_properties_of_a_matrix_are_shortened_more(case: str, number: int) -> None:
    tried[case] += 1


def test_shortened_properties_were_tried() -> None:
    most = 60 if ALL else EXAMPLES_OF_A_CASE
    assert tried == {"alone": 60 if ALL else EXAMPLES, "one": most, "other": most}
