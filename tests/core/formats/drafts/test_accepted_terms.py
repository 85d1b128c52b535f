"""Documents of drafts with a chain of codecs, in the terms of accepted Zarr v3."""

from __future__ import annotations

from typing import Any

import pytest

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats.drafts.accepted_terms import in_accepted_terms, is_of_february_2023

REGULAR = {"name": "regular", "configuration": {"chunk_shape": [2, 3], "separator": "."}}
DOCUMENT: dict[str, Any] = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [4, 6],
    "data_type": "int32",
    "chunk_grid": REGULAR,
    "codecs": [],
    "fill_value": 7,
    "attributes": {"a": 1},
    "dimension_names": ["y", None],
}


def accepted(**members: Any) -> dict[str, Any]:
    return in_accepted_terms(DOCUMENT | members)


def test_the_separator_moves_from_the_grid_to_the_key_encoding() -> None:
    assert accepted() == {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4, 6],
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "codecs": [],
        "fill_value": 7,
        "attributes": {"a": 1},
        "dimension_names": ["y", None],
    }


def test_an_older_grid_has_its_parameters_beside_its_type() -> None:
    found = in_accepted_terms(DOCUMENT | {"chunk_grid": {"type": "regular", "chunk_shape": [2, 3]}}, "/")
    assert found["chunk_grid"] == {"name": "regular", "configuration": {"chunk_shape": [2, 3]}}
    assert found["chunk_key_encoding"]["configuration"] == {"separator": "/"}


def test_a_memory_layout_becomes_a_transpose_before_the_codecs() -> None:
    endian = {"name": "endian", "configuration": {"endian": "little"}}
    names = [codec["name"] for codec in accepted(chunk_memory_layout="F", codecs=[endian])["codecs"]]
    assert names == ["transpose", "endian"]
    assert accepted(chunk_memory_layout="F")["codecs"][0]["configuration"] == {"order": [1, 0]}
    assert accepted(chunk_memory_layout="F", shape=[4])["codecs"] == []
    with pytest.raises(
        MetadataError, match=r"^chunk_memory_layout: expected 'C' or 'F', found the string 'A'"
    ):
        accepted(chunk_memory_layout="A")


def test_elements_of_a_big_endian_type_are_stored_that_way_unless_a_codec_says_otherwise() -> None:
    big = {"name": "bytes", "configuration": {"endian": "big"}}
    gzip = {"name": "gzip", "configuration": {"level": 5}}
    found = accepted(data_type=">i4", chunk_memory_layout="F", codecs=[gzip])
    assert found["data_type"] == "int32"
    assert [codec["name"] for codec in found["codecs"]] == ["transpose", "bytes", "gzip"]
    assert found["codecs"][1] == big
    little = {"name": "endian", "configuration": {"endian": "little"}}
    told = accepted(data_type=">i4", codecs=[little, gzip])["codecs"]
    assert [codec["name"] for codec in told] == ["endian", "gzip"]


@pytest.mark.parametrize("key", ["type", "name", "codec"])
def test_a_codec_is_named_in_any_of_three_members(key: str) -> None:
    told = {key: "gzip", "configuration": {"level": 5}}
    assert accepted(codecs=[told])["codecs"] == [{"name": "gzip", "configuration": {"level": 5}}]
    assert accepted(codecs=["gzip"])["codecs"] == [{"name": "gzip"}]


def test_times_have_their_accepted_names() -> None:
    told = {"name": "datetime", "configuration": {"unit": "ns"}}
    expected = {"name": "numpy.datetime64", "configuration": {"scale_factor": 1, "unit": "ns"}}
    assert accepted(data_type=told)["data_type"] == expected
    fallback = {"name": "quaternion", "fallback": [">f4", told]}
    assert accepted(data_type=fallback)["data_type"]["fallback"] == ["float32", expected]


def test_bits_of_a_fill_value_are_read() -> None:
    assert (
        accepted(data_type="<u2", fill_value="0x0102")["fill_value"]
        == accepted(fill_value=0x0102)["fill_value"]
    )
    assert "fill_value" not in in_accepted_terms({k: v for k, v in DOCUMENT.items() if k != "fill_value"})


@pytest.mark.parametrize(
    ("members", "kind", "words"),
    [
        ({"chunk_grid": None}, MetadataError, "^chunk_grid: expected an object, found null"),
        ({"codecs": {}}, MetadataError, "^codecs: expected an array, found an object"),
        ({"codecs": [5]}, MetadataError, r"^codecs\[0\]: expected an object, found the number 5"),
        ({"codecs": [{}]}, MetadataError, r"codecs\[0\].type"),
        ({"data_type": "<f99"}, UnsupportedError, "<f99"),
        ({"data_type": "r12", "codecs": None}, MetadataError, "codecs"),
        ({"data_type": None}, MetadataError, "^data_type: "),
        ({"data_type": "int3", "fill_value": "0x0"}, UnsupportedError, "int3"),
    ],
)
def test_members_that_are_broken_are_named(
    members: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        accepted(**members)


def test_a_document_is_of_february_2023_if_its_grid_has_the_separator() -> None:
    assert is_of_february_2023(DOCUMENT)
    for change in (
        {"chunk_key_encoding": {"name": "default"}},
        {"zarr_format": 2},
        {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}}},
        {"chunk_grid": None},
        {"chunk_grid": {"configuration": []}},
    ):
        assert not is_of_february_2023(DOCUMENT | change)
