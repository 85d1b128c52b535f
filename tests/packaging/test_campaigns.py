"""Which tests are campaigns, and how many examples properties have."""

from __future__ import annotations

import itertools

import pytest
from _pytest.mark import ParameterSet
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.campaigns import ALL, EXAMPLES, sample

CASES = list(itertools.product("abc", (1, 2), ({"x": 1}, None, [])))
tried = 0


def is_kept(case: ParameterSet) -> bool:
    return not any(mark.name == "campaign" for mark in case.marks)


@pytest.mark.parametrize("count", [0, 5, 18])
def test_a_sample_has_each_value_of_each_axis(count: int) -> None:
    cases = sample(CASES, count)
    assert [case.values for case in cases] == CASES
    kept = [case.values for case in cases if is_kept(case)]
    assert max(count, 3) <= len(kept) <= max(count, 5)
    for axis, values in enumerate(zip(*CASES, strict=True)):
        assert all(value in [case[axis] for case in kept] for value in values)
    assert kept == [case.values for case in sample(CASES, count) if is_kept(case)], "the sample is fixed"


def test_a_key_names_the_axes() -> None:
    slow = pytest.mark.timeout(900)
    cases = sample(
        [*range(100), pytest.param(7, 3, marks=slow)], key=lambda number, other=0: (number % 2, other)
    )
    kept = [case.values for case in cases if is_kept(case)]
    assert {number % 2 for number, *_ in kept} == {0, 1}
    assert (7, 3) in kept
    assert slow in cases[-1].marks


@pytest.mark.campaign
def test_campaigns_are_deselected() -> None:
    assert ALL


@settings(max_examples=60, database=None)
@given(st.integers())
def test_properties_are_shortened(number: int) -> None:
    global tried
    tried += 1


def test_a_shortened_property_was_tried() -> None:
    assert tried == (60 if ALL else EXAMPLES)
