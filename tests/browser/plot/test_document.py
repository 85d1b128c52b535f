"""The columns of a plot in a document, which may come from others."""

from __future__ import annotations

from typing import Any

import pytest

from zarrbrowser.plot.curves import LINE_COLOURS
from zarrbrowser.plot.document import PlotChoice


@pytest.mark.parametrize(
    "choice",
    [
        PlotChoice(None, ("a",), None),
        PlotChoice("t", ("a", "b"), True, True, False),
        PlotChoice("t", ("a", "b"), False, False, True),
    ],
)
def test_a_choice_comes_back(choice: PlotChoice) -> None:
    assert PlotChoice.of({"cell": None, **choice.document()}) == choice


@pytest.mark.parametrize(
    "told",
    [
        None,
        "a",
        {},
        {"x": None, "y": 5, "log": [False, False]},
        {"x": None, "y": {"a": 1}, "log": [False, False]},
        {"x": None, "y": ["a"], "log": [False]},
        {"x": None, "y": ["a"], "log": None},
    ],
)
def test_a_malformed_choice_is_none(told: Any) -> None:
    assert PlotChoice.of({"plot": told}) is None


def test_parts_that_are_malformed_are_left_out() -> None:
    told = {"x": 7, "y": ["a", 5, None], "log": [1, 0], "points": "yes"}
    assert PlotChoice.of({"plot": told}) == PlotChoice(None, ("a",), None, True, False)
    many = {"x": None, "y": [str(one) for one in range(1000)], "log": [False, False]}
    found = PlotChoice.of({"plot": many})
    assert found is not None
    assert len(found.ys) == len(LINE_COLOURS)
