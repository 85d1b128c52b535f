"""Attributes as JSON."""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np
import pytest

from zarrcore.errors import MetadataError
from zarrcore.formats import Format, format_named
from zarrcore.metadata import (
    GroupMetadata,
)


class TestAttributes:
    @pytest.mark.parametrize("name", ["v3", "v2", "n5"])
    def test_numpy_values_become_json(self, name: str) -> None:
        class Colour(enum.StrEnum):
            RED = "red"

        given = {
            "scalar": np.float32(0.5),
            "array": np.arange(4, dtype="u1").reshape(2, 2),
            "flag": np.bool_(True),
            "text": np.str_("ä"),
            "pair": (1, (2, 3)),
            "colour": Colour.RED,
            "deep": {"er": [np.int64(2**53)]},
            "half": "\ud800",
        }
        written = format_named(name)
        node = written.parse(written.encode(GroupMetadata(given)))
        assert node is not None
        assert node.attributes == {
            "scalar": 0.5,
            "array": [[0, 1], [2, 3]],
            "flag": True,
            "text": "ä",
            "pair": [1, [2, 3]],
            "colour": "red",
            "deep": {"er": [2**53]},
            "half": "\ud800",
        }

    @pytest.mark.parametrize("name", ["v3", "v2", "n5"])
    def test_bare_nan_and_infinity_are_never_written(self, name: str) -> None:
        written = format_named(name)
        documents = written.encode(GroupMetadata({"a": [math.nan, -math.inf, np.float32("inf")]}))
        assert written.parse(documents) == GroupMetadata({"a": ["NaN", "-Infinity", "Infinity"]})

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"raw": b"abc"}, "attributes.raw: a value of type bytes has no JSON form"),
            ({"a": {"b": [1, {2, 3}]}}, r"attributes.a.b\[1\]: a value of type set"),
            ({"a": {1: 2}}, r"attributes.a: expected a string as name, found 1 \(int\)"),
            ({"c": np.complex64(1j)}, "attributes.c: a value of type complex64"),
            ({"t": np.datetime64("2020-01-01")}, "attributes.t: a value of type datetime64"),
            ({"o": np.array([object()])}, "attributes.o: a value of type ndarray"),
            ({"n": 10**5000}, "cannot be written as JSON"),
        ],
    )
    def test_attributes_that_are_not_json_are_named(self, given: dict[str, Any], words: str) -> None:
        for written in (Format.V3, Format.V2, Format.N5):
            with pytest.raises(MetadataError, match=words):
                written.encode(GroupMetadata(given))

    def test_attributes_that_would_not_read_back_are_not_written(self) -> None:
        deep: Any = 1
        for _ in range(200):
            deep = [deep]
        endless: dict[str, Any] = {}
        endless["self"] = endless
        for given in ({"a": deep}, endless):
            with pytest.raises(MetadataError, match="nested deeper"):
                Format.V3.encode(GroupMetadata(given))
