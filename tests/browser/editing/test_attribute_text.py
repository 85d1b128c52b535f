"""What is wrong with typed attributes, and where."""

from __future__ import annotations

import pytest

from zarrbrowser.editing.attribute_text import (
    are_same,
    attribute_text,
    attributes_in,
    has_non_finite,
    problem_of,
)
from zarrcore.errors import MetadataError


@pytest.mark.parametrize(
    ("text", "where", "reason"),
    [
        ('{"a": }', (1, 7), "Expected a value"),
        ('{\n  "a": 1\n  "b": 2\n}', (3, 3), "Expected a comma or a closing bracket."),
        ("{a: 1}", (1, 2), "Expected a name in quotation marks."),
        ('{"a": "b}', (1, 7), "This text has no closing quotation mark."),
        ('{"a": "\t"}', (1, 8), "must not contain a line break or a tab"),
        ('{"a": "\\q"}', (1, 8), "This is not an escape"),
        ('{"a": 1} x', (1, 10), "Expected the end of the text."),
        ('{"a": 1', (1, 8), "The text ends too early."),
        ("", (1, 1), "The text ends too early."),
        ('{"a": 1,\n "b": {"a": 1, "c": 1,\n "c": 2}}', (3, 2), 'The name "c" occurs twice in one object.'),
        ("[1]", (0, 0), "Expected a JSON object, found an array of 1."),
        ('{"a": ' + "[" * 200 + "]" * 200 + "}", (0, 0), "nested deeper than"),
    ],
)
def test_problems_have_a_place(text: str, where: tuple[int, int], reason: str) -> None:
    problem = problem_of(text)
    assert problem is not None
    assert reason in problem.reason
    assert (problem.line, problem.column) == where
    with pytest.raises(MetadataError):
        attributes_in(text)


def test_texts_without_a_problem() -> None:
    for attributes in ({}, {"a": {"a": [1, 2.5, None, True, "ü"]}, "b": {"a": 1}}):
        text = attribute_text(attributes)
        assert problem_of(text) is None
        assert attributes_in(text) == attributes


def test_numbers_that_json_does_not_have() -> None:
    assert has_non_finite(attributes_in('{"a": [{"b": -Infinity}]}'))
    assert not has_non_finite(attributes_in('{"a": [{"b": 1e308}]}'))


def test_equal_attributes() -> None:
    assert are_same({"a": 1, "b": [2]}, {"b": [2], "a": 1})
    assert not are_same({"a": True}, {"a": 1})
    assert are_same({"a": float("inf")}, {"a": "Infinity"})
