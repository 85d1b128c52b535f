"""The contract of all codecs: an encoded chunk decodes, within the bounds that the codec names, and nothing else does."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.campaigns import ALL
from tests.core.codecs.cases import BROKEN, CASES, Case, encoded, spec_of
from zarrcore.codecs import Pipeline, completed
from zarrcore.codecs.registry import make_codec
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration

each_case = pytest.mark.parametrize("case", CASES, ids=str)


@each_case
@settings(max_examples=20 if ALL else 5)
@given(data=st.data())
def test_encoded_chunks_decode(case: Case, data: st.DataObject) -> None:
    array = data.draw(case.arrays)
    if case.name == "numcodecs.fletcher32" and not array.size:
        return
    before = array.tobytes()
    pipeline = Pipeline(case.codecs, spec_of(array))
    decoded = pipeline.decode(encoded(pipeline, array))
    assert array.tobytes() == before, "the caller's array is not touched"
    assert decoded.dtype == array.dtype
    assert decoded.shape == array.shape
    if not case.exact:
        array, decoded = decoded, pipeline.decode(encoded(pipeline, decoded))
    assert decoded.tobytes() == array.tobytes()


@each_case
def test_strides_and_byte_order_of_the_chunk_do_not_matter(case: Case) -> None:
    array = case.array()
    pipeline = Pipeline(case.codecs, spec_of(array))
    expected = encoded(pipeline, array)
    assert encoded(pipeline, np.array(array, order="F")) == expected
    assert encoded(pipeline, array.astype(array.dtype.newbyteorder(">"))) == expected
    apart = np.empty((*(2 * length for length in array.shape), 2), array.dtype)[..., 0]
    apart = apart[(*(slice(None, None, 2) for _ in array.shape), ...)]
    apart[...] = array
    assert encoded(pipeline, apart) == expected


@each_case
def test_completed_codecs_are_plain_json_and_mean_the_same(case: Case) -> None:
    array = case.array()
    spec = spec_of(array)
    done = completed(case.codecs, spec)
    assert completed(done, spec) == done
    chunk = encoded(Pipeline(case.codecs, spec), array)
    assert encoded(Pipeline(done, spec), array) == chunk
    if case.unwritten:
        return
    documents = json.loads(json.dumps([codec.document() for codec in done], allow_nan=False))
    assert documents == [codec.document() for codec in done]
    assert not {"endian", "numcodecs.gzip", "numcodecs.zstd", "numcodecs.blosc"} & {
        codec.name for codec in done
    }


@each_case
def test_truncated_chunks_are_codec_errors(case: Case) -> None:
    array = case.array()
    pipeline = Pipeline(case.codecs, spec_of(array))
    chunk = encoded(pipeline, array)
    for keep in {0, 1, 3, len(chunk) // 2, len(chunk) - 5, len(chunk) - 1}:
        if 0 <= keep < len(chunk):
            with pytest.raises(CodecError):
                pipeline.decode(chunk[:keep])


@each_case
@settings(max_examples=30 if ALL else 5)
@given(garbage=st.binary(max_size=120), position=st.integers(0, 10_000), value=st.integers(0, 255))
def test_garbage_and_altered_bytes_give_an_array_or_a_codec_error(
    case: Case, garbage: bytes, position: int, value: int
) -> None:
    array = case.array()
    pipeline = Pipeline(case.codecs, spec_of(array))
    damaged = bytearray(encoded(pipeline, array))
    damaged[position % len(damaged)] = value
    for chunk in (garbage, bytes(damaged)):
        with contextlib.suppress(CodecError, UnsupportedError):  # N5 has blocks that hold no array
            assert pipeline.decode(chunk).shape == array.shape


# Shards may hold more than their chunks need. Two chunks of numcodecs.packbits do not make a larger one. zfp does not say where a
# chunk ends.
@pytest.mark.parametrize(
    "case",
    [
        case
        for case in CASES
        if case.array().ndim and case.name not in ("sharding_indexed", "numcodecs.packbits", "zfp")
    ],
    ids=str,
)
def test_more_than_the_chunk_holds_is_refused(case: Case) -> None:
    array = case.array()
    larger = np.concatenate([array, array])
    chunk = encoded(Pipeline(case.codecs, spec_of(larger)), larger)
    with pytest.raises(CodecError):
        Pipeline(case.codecs, spec_of(array)).decode(chunk)


@each_case
def test_a_chunk_of_another_shape_or_type_is_not_encoded(case: Case) -> None:
    array = case.array()
    pipeline = Pipeline(case.codecs, spec_of(array))
    with pytest.raises(CodecError, match="expected a chunk of shape"):
        pipeline.encode(np.concatenate([array.reshape(-1), array.reshape(-1)]))
    with pytest.raises(CodecError, match="expected a chunk of"):
        pipeline.encode(np.zeros(array.shape, "<u2" if array.dtype != "<u2" else "<u4"))


@each_case
def test_unknown_parameters_are_refused(case: Case) -> None:
    array = case.array()
    with pytest.raises(MetadataError, match="surprise"):
        Pipeline(case.chain({**case.configuration, "surprise": 1}), spec_of(array))


@pytest.mark.parametrize(("name", "configuration"), BROKEN, ids=str)
def test_parameters_out_of_range_are_refused(name: str, configuration: dict[str, Any]) -> None:
    with pytest.raises(MetadataError):
        make_codec(NamedConfiguration(name, configuration), "codecs[0]")


@pytest.mark.parametrize(
    ("name", "configuration"),
    [
        ("zstd", {"level": 23}),  # numcodecs took the nearest level, so documents may hold any
        ("zstd", {"level": -200_000}),
        ("numcodecs.lzma", {"format": 0}),  # which liblzma only reads
        ("numcodecs.lzma", {"preset": 10}),
    ],
)
def test_parameters_that_are_read_but_not_written(name: str, configuration: dict[str, Any]) -> None:
    array = np.arange(4, dtype="u1")
    spec = spec_of(array)
    named = [NamedConfiguration("bytes"), NamedConfiguration(name, configuration)]
    assert Pipeline(named, spec)
    with pytest.raises(MetadataError, match=name):
        completed(named, spec)
