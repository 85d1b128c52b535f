"""Nodes as text: facts, data types, JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.models.tree_columns import node_icon_name
from zarrbrowser.nodes.describe import array_facts, codec_facts, json_text, summary, type_name
from zarrcore.stores import MemoryStore


def test_an_array_is_described_with_units() -> None:
    facts = {
        fact.label: fact
        for fact in array_facts(FakeArray(np.zeros((64, 48), np.int16), ("y", "x"), (32, 48)), "Zarr v3")
    }
    assert facts["Shape"].text == "64 × 48"
    assert facts["Shape"].detail == "y × x"
    assert facts["Logical size"].text == "6.00 KiB"
    assert facts["Chunk shape"].detail == "3.00 KiB decoded"
    assert facts["Chunks"].text == "2"
    assert facts["Format"].text == "Zarr v3"
    assert [(fact.text, fact.detail) for fact in codec_facts(FakeArray(np.zeros(3)))] == [
        ("bytes", "endian: little")
    ]
    assert "int16" in summary(FakeArray(np.zeros((2, 2), np.int16)))


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"long_name": "surface temperature", "units": "kelvin"}, "surface temperature (K)"),
        ({"standard_name": "air_temperature", "long_name": 7}, "air temperature"),
        ({"units": "m s-1"}, "m s-1"),
        ({}, "2"),
    ],
)
def test_the_line_below_a_name_begins_with_the_quantity(attributes: dict[str, Any], words: str) -> None:
    array = FakeArray(np.zeros(2, np.int16))
    array.attributes = attributes
    assert summary(array).split("  ·  ")[0] == words


@pytest.mark.parametrize(
    ("dtype", "words"),
    [
        ("f4", "float32"), ("M8[ns]", "date and time (ns)"), ("m8[25s]", "time span (25 s)"), ("U3", "text, 3 characters"),
        ("S1", "text, 1 byte"), ("V2", "raw, 2 bytes"), ([("a", "i4"), ("b", "f8")], "structure of 2 fields"),
    ],
)  # fmt: skip
def test_data_types_are_described_in_words(dtype: Any, words: str) -> None:
    assert type_name(FakeArray(np.zeros((2,), dtype))) == words


def test_json_is_json_with_short_lists_on_one_line() -> None:
    document = {
        "shape": [1, 2, 3],
        "codecs": [{"name": "bytes"}],
        "empty": [],
        "text": "a [b]\n",
        "long": list(range(99)),
    }
    text = json_text(document)
    assert json.loads(text) == document
    assert '"shape": [1, 2, 3]' in text
    assert json_text(b"no json") == "no json"
    for depth in (950, 100_000):
        nested = "[" * depth + "]" * depth
        assert "".join(json_text(nested.encode()).split()) == nested
    assert json.loads(json_text(b'{"a": 1}')) == {"a": 1}


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ({"NX_class": "NXdetector"}, "NXdetector"),
        ({"NX_class": "NXentry", "default": "data"}, "NXentry"),
        ({"NX_class": "NXdata", "signal": "counts"}, "NXdata: counts"),
        ({"NX_class": "NXdata", "signal": 1}, "NXdata"),
    ],
)
def test_a_group_of_nexus_has_the_name_of_its_class(attributes: dict[str, Any], text: str) -> None:
    assert summary(FakeGroup({}, attributes)) == text


def test_a_group_with_levels_is_described_by_its_convention() -> None:
    assert summary(FakeGroup({}, {"multiscales": [{"datasets": []}]})).startswith("OME-NGFF image")
    assert node_icon_name(FakeGroup({}, {"multiscales": [{"datasets": []}]})) == "levels"


@pytest.mark.parametrize(
    ("format_", "dtype", "fill", "of_type", "of_fill"),
    [
        ("v2", "<f4", 1.5, 'stored as "<f4"', ""),
        ("v2", "|S3", b"ab", 'stored as "|S3"', 'stored as "YWI'),
        ("v2", "<f8", np.nan, 'stored as "<f8"', ""),
        ("v3", "float32", 1.5, "", ""),
        ("v3", "float32", np.array([0x7FC00001], "<u4").view("<f4")[0], "", 'stored as "0x7fc00001"'),
        ("n5", "uint8", 0, "", ""),
    ],
)
def test_codes_of_the_document_stand_beside_what_they_mean(
    format_: str, dtype: str, fill: Any, of_type: str, of_fill: str
) -> None:
    array = zarrcore.create(MemoryStore(), format=format_).create_array(
        "a", shape=(2,), dtype=dtype, fill_value=fill
    )
    facts = {fact.label: fact for fact in array_facts(array, "")}
    assert of_type in facts["Data type"].detail
    assert ("stored as" in facts["Data type"].detail) == bool(of_type)
    assert facts["Fill value"].detail.startswith(of_fill)
    assert bool(facts["Fill value"].detail) == bool(of_fill)
