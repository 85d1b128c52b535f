"""Zarr v3 documents: those that are read, those that are refused, and the words of the errors."""

import contextlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.metadata.documents import JSON
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats import Format
from zarrcore.metadata import ArrayMetadata

ARRAY = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [10, 20],
    "data_type": "float32",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [5, 5]}},
    "chunk_key_encoding": {"name": "default"},
    "fill_value": "NaN",
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
}


def parse(**members: object) -> ArrayMetadata:
    document = {name: value for name, value in {**ARRAY, **members}.items() if value is not ...}
    node = Format.V3.parse((json.dumps(document).encode(),))
    assert isinstance(node, ArrayMetadata)
    return node


def test_the_specifications_example() -> None:
    node = parse()
    assert node.shape == (10, 20)
    assert node.chunk_grid.chunk_shape == (5, 5)
    assert node.chunk_key_encoding.encode((1, 2)) == "c/1/2"
    assert np.isnan(node.fill_value)


@pytest.mark.parametrize(
    ("members", "kind", "words"),
    [
        ({"shape": ...}, MetadataError, "shape: the member is missing"),
        ({"shape": [10, -1]}, MetadataError, r"shape\[1\]: expected at least 0, found -1"),
        ({"shape": "ten"}, MetadataError, "expected an array of integers, found the string 'ten'"),
        ({"shape": [10, 20, 30]}, MetadataError, "expected 3 lengths, one per dimension of shape, found 2"),
        ({"shape": [2**40, 2**40]}, MetadataError, "cannot be addressed"),
        ({"shape": [0, 2**63]}, MetadataError, "cannot be addressed"),
        ({"shape": [1] * 100}, MetadataError, "dimension"),
        (
            {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [0, 5]}}},
            MetadataError,
            "length of 0",
        ),
        ({"chunk_grid": {"name": "hexagonal"}}, UnsupportedError, "chunk grid 'hexagonal' is not supported"),
        ({"chunk_key_encoding": {"name": "fancy"}}, UnsupportedError, "chunk key encoding 'fancy'"),
        ({"data_type": "float99"}, UnsupportedError, "data type 'float99'"),
        ({"data_type": 7}, MetadataError, "data_type: expected an object with a name, found the number 7"),
        ({"fill_value": "seven"}, MetadataError, "fill_value: expected an element of type float32"),
        ({"codecs": {}}, MetadataError, "codecs: expected an array"),
        ({"codecs": [{"name": "mystery"}]}, UnsupportedError, "codec 'mystery' is not supported"),
        ({"codecs": [{"name": "numcodecs.pickle"}]}, UnsupportedError, "never decoded"),
        ({"dimension_names": ["y"]}, MetadataError, "dimension_names: expected an array of 2"),
        ({"attributes": [1]}, MetadataError, "attributes: expected an object"),
        ({"storage_transformers": 5}, MetadataError, "storage_transformers: expected an array"),
        (
            {"data_type": {"name": "raw_bytes", "configuration": {"length_bytes": 0}}},
            MetadataError,
            "of 0 bytes",
        ),
        (
            {"data_type": {"name": "numpy.datetime64", "configuration": {"unit": []}}},
            MetadataError,
            "a unit of time",
        ),
        ({"fill_value": {"a": 1}}, MetadataError, "fill_value"),
        ({"storage_transformers": [{"name": "magic"}]}, UnsupportedError, "storage transformer 'magic'"),
        ({"novelty": {"a": 1}}, UnsupportedError, "member 'novelty' is unknown and may not be ignored"),
        ({"node_type": "tree"}, MetadataError, "expected 'array' or 'group'"),
        ({"zarr_format": 4}, MetadataError, "zarr_format: expected 3, found the number 4"),
    ],
)
def test_errors_of_broken_documents_say_what_and_where(
    members: dict, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        parse(**members)


def test_extensions_that_may_be_ignored_are_ignored() -> None:
    assert parse(novelty={"must_understand": False, "a": 1}).shape == (10, 20)


def test_short_names_of_version_3_1() -> None:
    assert [codec.name for codec in parse(codecs=["bytes", "crc32c"]).codecs] == ["bytes", "crc32c"]


@pytest.mark.parametrize("codecs", [..., [], [{"name": "gzip", "configuration": {"level": 1}}]])
def test_documents_before_july_2023_mean_the_bytes_codec(codecs: object) -> None:
    assert "bytes" in [codec.name for codec in parse(codecs=codecs).codecs]
    assert parse(codecs=codecs).codecs[0].name == "bytes"


@given(st.dictionaries(st.sampled_from([*ARRAY, "attributes", "dimension_names", "x"]), JSON, max_size=4))
def test_any_document_gives_metadata_or_our_error(members: dict) -> None:
    with contextlib.suppress(MetadataError, UnsupportedError):
        parse(**members)
