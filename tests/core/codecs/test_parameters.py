"""Checks of codec parameters: which values are taken, and what the errors say."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from zarrcore.codecs import parameters
from zarrcore.errors import MetadataError
from zarrcore.metadata import NamedConfiguration


@pytest.mark.parametrize("value", [0, -5, 9, 2**70])
def test_an_integer_is_taken_as_it_is(value: int) -> None:
    assert parameters.integer({"level": value}, "level") == value


def test_limits_of_integers_belong_to_them() -> None:
    for value in (1, 9):
        assert parameters.integer({"level": value}, "level", minimum=1, maximum=9) == value
    assert parameters.integer({}, "level", 5, minimum=1, maximum=9) == 5
    with pytest.raises(MetadataError, match="expected at least 1, found 0"):
        parameters.integer({"level": 0}, "level", minimum=1)
    with pytest.raises(MetadataError, match="expected at most 9,999, found 10,000"):
        parameters.integer({"level": 10_000}, "level", maximum=9999)


def test_numbers_are_finite() -> None:
    for value in (0, -1.5, 10**300):
        assert parameters.number({"scale": value}, "scale") == value


def test_a_choice_and_a_truth_value_have_defaults() -> None:
    assert parameters.choice({}, "shuffle", ("a", "b"), "b") == "b"
    assert parameters.choice({"shuffle": "a"}, "shuffle", ("a", "b"), "b") == "a"
    assert parameters.boolean({}, "checksum", True) is True
    assert parameters.boolean({"checksum": False}, "checksum", True) is False


REFUSED: list[tuple[Callable[[dict[str, Any]], object], list[Any]]] = [
    (lambda given: parameters.integer(given, "x"), [None, "5", 1.0, True, [], {}]),
    (lambda given: parameters.number(given, "x"), [None, "5", True, math.inf, -math.inf, math.nan, 10**400]),
    (lambda given: parameters.boolean(given, "x", True), [None, 0, 1, "true"]),
    (lambda given: parameters.choice(given, "x", ("a", "b"), None), [None, "c", "A", "", 1, ["a"]]),
    (lambda given: parameters.codecs(given, "x"), [None, "zstd", {"name": "zstd"}, [1], [{}], [{"name": 1}]]),
    (lambda given: parameters.dtype(given, "x"), [None, "O", "|S0", "(2,3)<i4", "nothing", 5, [["a", "|O"]]]),
]


@pytest.mark.parametrize(
    ("check", "values"), REFUSED, ids=["integer", "number", "boolean", "choice", "codecs", "dtype"]
)
def test_other_values_are_refused_with_the_name_of_the_parameter(
    check: Callable[[dict[str, Any]], object], values: list[Any]
) -> None:
    for value in values:
        with pytest.raises(MetadataError) as caught:
            check({"x": value})
        assert str(caught.value.member).startswith("x")
        assert "\n" not in str(caught.value)


def test_a_missing_parameter_without_a_default_is_refused() -> None:
    for check, _ in REFUSED:
        if check is not REFUSED[2][0]:
            with pytest.raises(MetadataError, match="expected"):
                check({})


def test_unknown_parameters_are_named() -> None:
    parameters.known({}, "level")
    parameters.known({"level": 1}, "level", "checksum")
    with pytest.raises(MetadataError, match="the codec does not have this parameter") as caught:
        parameters.known({"level": 1, "größe": 2}, "level")
    assert caught.value.member == "größe"


def test_codecs_are_read_in_either_spelling() -> None:
    given = {"codecs": ["bytes", {"name": "zstd", "configuration": {"level": 3}}]}
    assert parameters.codecs(given, "codecs") == (
        NamedConfiguration("bytes"),
        NamedConfiguration("zstd", {"level": 3}),
    )
    assert parameters.codecs({"codecs": []}, "codecs") == ()
    with pytest.raises(MetadataError) as caught:
        parameters.codecs({"codecs": ["bytes", 7]}, "codecs")
    assert "codecs[1]" in str(caught.value.member)


def test_types_of_fixed_size_are_read() -> None:
    assert parameters.dtype({"dtype": ">i4"}, "dtype") == np.dtype(">i4")
    assert parameters.dtype({"dtype": "<M8[ns]"}, "dtype") == np.dtype("<M8[ns]")
    record = [["a", "<i2"], ["b", "|S3"]]
    assert parameters.dtype({"dtype": record}, "dtype") == np.dtype([("a", "<i2"), ("b", "S3")])
