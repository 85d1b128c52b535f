"""The metadata of new arrays: defaults, and arguments that contradict one another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from zarr.codecs import GzipCodec

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats import Format
from zarrcore.hierarchy.new_array import (
    CHUNK_NBYTES,
    as_data_type,
    as_fill_value,
    as_lengths,
    default_chunk_shape,
    new_array_metadata,
)
from zarrcore.metadata import ArrayMetadata, NamedConfiguration
from zarrcore.metadata.data_type import parse_data_type


def new(known: Format = Format.V3, **wishes: Any) -> ArrayMetadata:
    defaults: dict[str, Any] = {
        "shape": (4, 6), "dtype": "int16", "chunks": None, "shards": None, "codecs": None,
        "fill_value": None, "chunk_key_encoding": None, "dimension_names": None, "attributes": {},
    }  # fmt: skip
    return new_array_metadata(known, **defaults | wishes)


@given(
    shape=st.lists(st.integers(0, 1 << 20), max_size=5).map(tuple), itemsize=st.sampled_from([1, 8, 1 << 23])
)
@settings(max_examples=30)
def test_a_default_chunk_has_at_most_4_mib_and_more_than_half_of_it_if_the_array_has(
    shape: tuple[int, ...], itemsize: int
) -> None:
    chunk = default_chunk_shape(shape, itemsize)
    nbytes = math.prod(chunk) * itemsize
    assert all(1 <= length <= max(1, whole) for length, whole in zip(chunk, shape, strict=True))
    assert nbytes <= CHUNK_NBYTES or set(chunk) <= {1}
    whole = math.prod(max(1, length) for length in shape) * itemsize
    assert nbytes == whole or nbytes > CHUNK_NBYTES // 2


def test_defaults_are_compressed_plain_bytes_filled_with_zero() -> None:
    metadata = new()
    assert [codec.name for codec in metadata.codecs] == ["bytes", "zstd"]
    assert metadata.codecs[1].configuration == {"level": 3, "checksum": True}
    assert (metadata.fill_value.item(), metadata.chunk_grid.document()["configuration"]) == (
        0,
        {"chunk_shape": [4, 6]},
    )
    assert new(Format.V2).chunk_key_encoding.separator == "."
    assert new(shape=()).shape == ()


def test_a_shard_has_inner_chunks_of_at_most_1_mib_that_divide_it() -> None:
    metadata = new(shape=(5000, 5000), shards=(3000, 1009))
    (sharding,) = metadata.codecs
    inner = sharding.configuration["chunk_shape"]
    assert sharding.name == "sharding_indexed"
    assert [length % part for length, part in zip((3000, 1009), inner, strict=True)] == [0, 0]
    assert math.prod(inner) * 2 <= 1 << 20
    assert new(shape=(1 << 30,), shards=(1_000_003,)).codecs[0].configuration["chunk_shape"] == [1]


def test_an_element_that_is_larger_than_a_chunk_is_one_chunk() -> None:
    assert default_chunk_shape((), CHUNK_NBYTES + 1) == ()
    assert default_chunk_shape((3,), CHUNK_NBYTES + 1) == (1,)
    large = {"name": "raw_bytes", "configuration": {"length_bytes": (1 << 20) + 1}}
    for shape in ((), (2,)):
        (sharding,) = new(shape=shape, dtype=large, shards=shape).codecs
        assert sharding.configuration["chunk_shape"] == [1] * len(shape)


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"chunks": (2,)}, "chunks: expected 2 lengths, found 1"),
        ({"chunks": (2, 0)}, "chunks: expected integers of at least 1"),
        ({"chunks": (2, 2), "shards": (4,)}, "shards: expected 2 lengths, found 1"),
        ({"shape": (-1, 2)}, "shape: expected integers of at least 0"),
        ({"shape": 5.0}, "shape: expected integers, one per dimension, found 5.0"),
        ({"dimension_names": ("y",)}, "dimension_names: expected 2 names, found 1"),
        ({"codecs": 5}, "codecs: expected a codec, or several in order, found 5"),
        ({"codecs": [5]}, r"codecs\[0\]: expected an object with a name"),
        ({"fill_value": [1]}, "fill_value: expected an element of type int16"),
    ],
)
def test_arguments_that_contradict_one_another_are_named(wishes: dict[str, Any], words: str) -> None:
    with pytest.raises(MetadataError, match=f"^{words}"):
        new(**wishes)


@pytest.mark.parametrize(
    ("known", "wishes", "words"),
    [
        (Format.N5, {"fill_value": 5}, "fill value '5' cannot be expressed in N5"),
        (
            Format.V2,
            {"chunks": (2, 2), "shards": (4, 4)},
            "'sharding_indexed' cannot be expressed in Zarr v2",
        ),
        (Format.N5, {"codecs": ["crc32c"]}, "crc32c"),
        (Format.V1, {}, "can be read but not written"),
        (Format.V3, {"codecs": ["mystery"]}, "mystery"),
    ],
)
def test_what_a_format_cannot_express_is_refused(known: Format, wishes: dict[str, Any], words: str) -> None:
    with pytest.raises(UnsupportedError, match=words):
        new(known, **wishes)


def test_codecs_are_names_objects_or_configurations() -> None:
    gzip = NamedConfiguration("gzip", {"level": 5})
    spelled = ("transpose", gzip.document(), gzip)
    for codecs in (gzip, gzip.document(), [gzip], [gzip.document()]):
        assert [codec.name for codec in new(codecs=codecs).codecs] == ["bytes", "gzip"]
    assert [codec.name for codec in new(codecs="crc32c").codecs] == ["bytes", "crc32c"]
    order = NamedConfiguration(spelled[0], {"order": [1, 0]})
    assert [codec.name for codec in new(codecs=[order, gzip]).codecs] == ["transpose", "bytes", "gzip"]


def test_lengths_are_whole_numbers_of_any_kind() -> None:
    assert as_lengths([np.int64(3), 2.0, True], "shape", 0) == (3, 2, 1)
    assert as_lengths(np.array([4, 0]), "shape", 0) == (4, 0)
    assert as_lengths(3, "shape", 0) == as_lengths(np.int64(3), "shape", 0) == (3,)
    assert as_lengths(3, "chunks", 1, ndim=2) == (3, 3)
    for value in ([1.5], ["a"], "x", [None], 3.0, [math.inf], [math.nan], [[1]]):
        with pytest.raises(MetadataError, match=r"^shape: expected integers"):
            as_lengths(value, "shape", 0)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (np.dtype(">i2"), "int16"),
        (float, "float64"),
        ("f4", "float32"),
        (">f4", "float32"),
        (str, "string"),
        (bytes, "variable_length_bytes"),
        ({"name": "r16"}, "r16"),
        ("bfloat16", "bfloat16"),
        (parse_data_type("int8"), "int8"),
        ([("a", "<i4")], "struct"),
    ],
)
def test_a_data_type_has_many_spellings(value: Any, name: str) -> None:
    assert as_data_type(value).name == name


def test_other_values_are_not_data_types() -> None:
    with pytest.raises(UnsupportedError, match="data type 'int3'"):
        as_data_type("int3")
    with pytest.raises(UnsupportedError, match="int3"):
        as_data_type({"name": "int3"})
    with pytest.raises(MetadataError, match="dtype: expected a data type, found 5"):
        as_data_type(5)
    with pytest.raises(UnsupportedError):
        as_data_type(object)


def test_a_fill_value_is_a_spelling_or_what_numpy_converts() -> None:
    float32, date = parse_data_type("float32"), as_data_type("<M8[D]")
    assert math.isnan(as_fill_value("NaN", float32).item())
    assert as_fill_value(np.float64(1.5), float32).item() == 1.5
    assert as_fill_value(np.datetime64("2020-01-02"), date) == np.datetime64("2020-01-02")
    assert as_fill_value(None, float32).item() == 0
    assert not as_fill_value(np.float32(1), float32).flags.writeable
    for value, words in (
        (np.zeros(2), "expected one element, found 2"),
        (object(), "expected an element of float32"),
    ):
        with pytest.raises(MetadataError, match=words):
            as_fill_value(value, float32)


class TestCompressorsAndFilters:
    @pytest.mark.parametrize(
        "compressors", ["gzip", ["gzip"], {"name": "gzip", "configuration": {"level": 5}}, GzipCodec(level=5)]
    )
    def test_a_compressor_in_any_form(self, compressors: Any) -> None:
        assert [codec.name for codec in new(compressors=compressors).codecs] == ["bytes", "gzip"]

    def test_none_at_all(self) -> None:
        for nothing in ((), []):
            assert [codec.name for codec in new(compressors=nothing, filters=nothing).codecs] == ["bytes"]

    def test_filters_come_first_and_leave_the_default_compressor(self) -> None:
        transpose = {"name": "transpose", "configuration": {"order": [1, 0]}}
        for filters in (transpose, [transpose]):
            names = [codec.name for codec in new(filters=filters).codecs]
            assert names == ["transpose", "bytes", "zstd"]
        chain = new(filters=transpose, compressors=["zstd", "crc32c"]).codecs
        assert [codec.name for codec in chain] == ["transpose", "bytes", "zstd", "crc32c"]

    def test_they_are_those_of_shards(self) -> None:
        (sharding,) = new(chunks=2, shards=6, compressors=()).codecs
        assert sharding.configuration["chunk_shape"] == [2, 2]
        assert [codec["name"] for codec in sharding.configuration["codecs"]] == ["bytes"]

    @pytest.mark.parametrize(
        ("wishes", "words"),
        [
            ({"compressors": "transpose"}, "compressors: expected bytes → bytes codecs, found 'transpose'"),
            ({"filters": ["gzip"]}, "filters: expected array → array codecs, found 'gzip'"),
            (
                {"codecs": "gzip", "compressors": ()},
                "codecs: give all codecs, or compressors and filters, not both",
            ),
            (
                {"codecs": "gzip", "filters": ()},
                "codecs: give all codecs, or compressors and filters, not both",
            ),
            ({"compressors": 5}, "compressors: expected a codec, or several in order, found 5"),
        ],
    )
    def test_the_wrong_kind_is_refused(self, wishes: dict[str, Any], words: str) -> None:
        with pytest.raises(MetadataError, match=f"^{words}"):
            new(**wishes)

    def test_a_filter_that_the_format_lacks_is_refused(self) -> None:
        with pytest.raises(UnsupportedError, match=r"'numcodecs\.delta' cannot be expressed in N5"):
            new(Format.N5, filters={"name": "numcodecs.delta", "configuration": {"dtype": "<i2"}})


def test_one_length_is_that_of_all_dimensions() -> None:
    assert new(shape=7).shape == (7,)
    assert new(chunks=3).chunk_grid == new(chunks=(3, 3)).chunk_grid
    assert new(chunks="auto").chunk_grid == new().chunk_grid
