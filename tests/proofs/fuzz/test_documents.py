"""Documents that bytes choose: the same bytes make the same document, and each kind of change occurs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.proofs.fuzz.documents import Choices, changed_document, copied, document_of

EXAMPLES = [{"a": [1, {"b": None}], "c": "text"}, {"d": True}]


@given(st.binary(max_size=80))
def test_any_bytes_make_a_document_and_leave_the_examples_alone(data: bytes) -> None:
    before = json.dumps(EXAMPLES)
    first, second = (json.dumps(changed_document(Choices(data), EXAMPLES, ("word",))) for _ in range(2))
    assert first == second
    assert json.dumps(EXAMPLES) == before


def test_no_bytes_are_the_first_example_and_text_is_itself() -> None:
    assert json.loads(document_of(b"", EXAMPLES)) == EXAMPLES[0]
    assert json.loads(document_of(b"\1", EXAMPLES)) == EXAMPLES[1]
    assert document_of(b"{no json", EXAMPLES) == b"{no json"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (b"\0\1", {"d": True}),
        (b"\0\0", {"d": None}),
        (b"\2\0", {"d": {"d": True}}),
        (b"\3\0\5", {"d": "text"}),
        (b"\4", {"d": [True]}),
        (b"\5\xfe\xff", {"d": -2}),
        (b"\6\2ab", {"d": "ab"}),
        (b"\7\3", {"d": [True, True, True]}),
        (b"\x08", {}),
    ],
)
def test_changes_of_every_kind(change: bytes, expected: object) -> None:
    assert changed_document(Choices(b"\1\1" + change), EXAMPLES) == expected


def test_choices_run_out() -> None:
    choices = Choices(b"\5abc")
    assert choices.below(4) == 1
    assert choices.take(2) == b"ab"
    assert not choices.is_over
    assert choices.rest() == b"c"
    assert choices.is_over
    assert choices.pick("xyz") == "x"
    assert choices.below(1000) == 0


def test_a_copy_is_as_deep_as_that_of_python() -> None:
    part: list[object] = [1]
    document = {"a": part, "b": [part, ({"c": []},)]}
    made = copied(document)
    assert made == document
    assert made["a"] is made["b"][0]  # a part that occurs twice is changed at both places
    made["a"].append(2)
    made["b"][1][0]["c"].append(3)
    assert document == {"a": [1], "b": [[1], ({"c": []},)]}
