"""Names with configurations, in long and in short form."""

from __future__ import annotations

from typing import Any

import pytest

from zarrcore.errors import MetadataError
from zarrcore.metadata.named_configuration import NamedConfiguration, integers, parse_named_configuration


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("bytes", NamedConfiguration("bytes")),
        ({"name": "bytes"}, NamedConfiguration("bytes")),
        ({"name": "ä", "configuration": {"a": [1]}}, NamedConfiguration("ä", {"a": [1]})),
        ({"name": "x", "must_understand": False}, NamedConfiguration("x", {}, must_understand=False)),
        ("", NamedConfiguration("")),
    ],
)
def test_a_name_is_read_and_written(value: Any, expected: NamedConfiguration) -> None:
    assert parse_named_configuration(value, "codecs[0]") == expected
    assert parse_named_configuration(expected.document(), "codecs[0]") == expected


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "codecs[0]: expected an object with a name, found null"),
        ([], "codecs[0]: expected an object with a name, found an array of 0"),
        ({}, "codecs[0].name: expected a string, found null"),
        ({"name": 5}, "codecs[0].name: expected a string, found the number 5"),
        ({"name": "a", "configuration": None}, "codecs[0].configuration: expected an object, found null"),
        (
            {"name": "a", "must_understand": 0},
            "codecs[0].must_understand: expected true or false, found the number 0",
        ),
        ({"name": "a", "level": 5}, "codecs[0].level: the specification does not define this member"),
    ],
)
def test_an_error_names_the_member_and_what_it_is(value: Any, said: str) -> None:
    with pytest.raises(MetadataError) as caught:
        parse_named_configuration(value, "codecs[0]")
    assert str(caught.value) == said


def test_empty_configurations_are_only_written_where_readers_demand_them() -> None:
    assert NamedConfiguration("bytes").document() == {"name": "bytes"}
    assert NamedConfiguration("numcodecs.zlib").document() == {"name": "numcodecs.zlib", "configuration": {}}
    assert "must_understand" not in NamedConfiguration("bytes").document()
    assert NamedConfiguration("x", must_understand=False).document()["must_understand"] is False


def test_changing_a_document_changes_no_configuration() -> None:
    named = NamedConfiguration("transpose", {"order": [1, 0]})
    named.document()["configuration"]["order"].reverse()
    assert named.configuration == {"order": [1, 0]}


def test_integers_may_be_written_as_whole_floats() -> None:
    found = integers([3.0, 0, 10**30], "shape", minimum=0)
    assert found == (3, 0, 10**30)
    assert {type(number) for number in found} == {int}
    assert integers([], "shape", minimum=1) == ()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (5, "shape: expected an array of lengths, found the number 5"),
        ("12", "shape: expected an array of lengths, found the string '12'"),
        ([1, True], "shape[1]: expected an integer, found true"),
        ([1.5], "shape[0]: expected an integer, found the number 1.5"),
        ([float("inf")], "shape[0]: expected an integer"),
        ([None], "shape[0]: expected an integer, found null"),
        ([1, 0], "shape[1]: expected at least 1, found 0"),
        ([-2.0], "shape[0]: expected at least 1, found -2"),
        (
            [1, 2**128],
            "shape[1]: expected less than 2¹²⁸, found the number 340282366920938463463374607431768211456",
        ),
    ],
)
def test_other_numbers_are_refused_with_their_place(value: Any, said: str) -> None:
    with pytest.raises(MetadataError) as caught:
        integers(value, "shape", minimum=1, what="lengths")
    assert str(caught.value).startswith(said)
