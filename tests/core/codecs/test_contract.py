"""What every codec promises: what it encodes decodes, within the bounds it names, and nothing else does."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.codecs.cases import BROKEN, CASES, LITTLE, Array, Case, spec_of
from zarrcore.codecs import ArraySpec, BytesToBytesCodec, Pipeline, completed, registry
from zarrcore.codecs.array_to_bytes.bytes import BytesCodec
from zarrcore.codecs.interface import Buffer
from zarrcore.codecs.registry import make_codec
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration

each_case = pytest.mark.parametrize("case", CASES, ids=str)


def encoded(pipeline: Pipeline, array: Array) -> bytes:
    """The encoded array, after checking what the pipeline said of its size."""
    data = bytes(pipeline.encode(array))
    assert len(data) <= pipeline.max_encoded_nbytes
    assert pipeline.encoded_nbytes in (None, len(data))
    return data


@each_case
@settings(max_examples=20)
@given(data=st.data())
def test_encoded_chunks_decode(case: Case, data: st.DataObject) -> None:
    array = data.draw(case.arrays())
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
@settings(max_examples=30)
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


# Shards may hold more than their chunks need, two chunks of numcodecs.packbits are no larger one, and zfp does not tell where
# a chunk ends.
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


def test_blosc_defaults_follow_the_elements() -> None:
    def parameters(dtype: str) -> tuple[Any, ...]:
        spec = ArraySpec((4,), np.dtype(dtype), np.zeros((), dtype))
        done = completed([NamedConfiguration("bytes"), NamedConfiguration("blosc")], spec)[1].configuration
        return done["typesize"], done["shuffle"]

    assert parameters("<f8") == (8, "shuffle")
    assert parameters("u1") == (1, "bitshuffle")
    assert parameters("S300") == (1, "bitshuffle")


@pytest.mark.parametrize(
    ("name", "configuration", "values"),
    [
        ("numcodecs.delta", {"dtype": "<i4", "astype": "|i1"}, [0, 1000]),
        ("numcodecs.astype", {"encode_dtype": "|u1", "decode_dtype": "<i4"}, [0, 256]),
        ("numcodecs.astype", {"encode_dtype": "|u1", "decode_dtype": "<f4"}, [0, np.nan]),
        ("numcodecs.fixedscaleoffset", {"offset": 0, "scale": 10, "dtype": "<f4", "astype": "|i1"}, [0, 20]),
        (
            "numcodecs.fixedscaleoffset",
            {"offset": 0, "scale": 10, "dtype": "<f4", "astype": "<i4"},
            [0, np.inf],
        ),
        ("numcodecs.fixedscaleoffset", {"offset": 9, "scale": 10, "dtype": "<u2", "astype": "<u2"}, [0, 9]),
    ],
)
def test_values_that_a_filter_would_lose_are_refused(
    name: str, configuration: dict[str, Any], values: list[float]
) -> None:
    array = np.array(values, configuration.get("dtype") or configuration["decode_dtype"])
    pipeline = Pipeline(
        [NamedConfiguration(name, configuration), NamedConfiguration("bytes")], spec_of(array)
    )
    with pytest.raises(CodecError, match=name):
        pipeline.encode(array)


class BackwardsCodec(BytesToBytesCodec):
    """As a third party might bring it: it only decodes."""

    names = ("backwards",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> BackwardsCodec:
        return cls()

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        return bytes(encoded)[::-1]


def test_a_codec_that_only_decodes_says_so_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        registry, "codec_class", {"bytes": BytesCodec, "backwards": BackwardsCodec}.__getitem__
    )
    array = np.arange(4, dtype="u1")
    codecs = [NamedConfiguration("bytes"), NamedConfiguration("backwards")]
    pipeline = Pipeline(codecs, spec_of(array))
    assert pipeline.decode(b"\3\2\1\0").tolist() == array.tolist()
    with pytest.raises(UnsupportedError, match="'backwards' can be read but not written"):
        pipeline.encode(array)
    with pytest.raises(UnsupportedError, match="'backwards' can be read but not written"):
        completed(codecs, spec_of(array))


def test_threads_encode_side_by_side() -> None:
    array = np.arange(30_000, dtype="<i4").reshape(100, 300)
    chains = [[LITTLE, NamedConfiguration("zstd", {"level": level})] for level in (1, 9, 3)]
    chains += [[LITTLE, NamedConfiguration("blosc")], [LITTLE, NamedConfiguration("gzip", {"level": 4})]]
    pipelines = [Pipeline(chain, spec_of(array)) for chain in chains]
    alone = [bytes(pipeline.encode(array)) for pipeline in pipelines]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda i: bytes(pipelines[i % 5].encode(array)), range(100)))
    # Blosc splits its blocks otherwise in the main thread, where it has threads of its own.
    for i, data in enumerate(together):
        assert data == alone[i % 5] or i % 5 == 3
        assert np.array_equal(pipelines[i % 5].decode(data), array)
