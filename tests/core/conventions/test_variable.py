"""Summaries of variables and datasets."""

from __future__ import annotations

import pytest

from zarrcore.conventions import Axis, Dataset, Variable


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        (Variable("CF", "v", "", "", (), ()), "CF variable v"),
        (Variable("CF", "v", "", "1", (Axis(None),), (1200,)), "CF variable v on 1,200"),
        (Variable("CF", "x", "", "m", (Axis("x"),), (1,), True), "CF coordinate variable x in m, 1 value"),
    ],
)
def test_variables(variable: Variable, expected: str) -> None:
    assert variable.summary == expected


def test_only_known_facts_are_shown() -> None:
    assert Variable("CF", "v", "", "", (Axis("y"), Axis("t", "t")), (1, 1)).facts() == []
    axes = (Axis("level", "vertical", "hPa"), Axis("x"))
    found = Variable("CF", "v", "", "", axes, (1, 1), valid_range=(0, 2.5), missing=(-1, 300))
    assert found.facts() == [
        ("missing", "-1, 300"),
        ("valid range", "0 to 2.5"),
        ("axes", "level  vertical  hPa"),
    ]


def test_a_dataset() -> None:
    found = Dataset("CF 1.8", "", ("a",), (), {"x": 2000}, ("b",))
    assert found.summary == "CF 1.8 dataset, 1 variable on x 2,000"
    assert found.facts() == [("variables", "a"), ("broken", "b")]
