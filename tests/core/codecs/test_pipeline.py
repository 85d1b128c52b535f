"""Chains of codecs: their order, unknown codecs, threads."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.core.codecs.cases import LITTLE, spec_of
from tests.core.codecs.pipelines import VALUES, pipeline
from zarrcore.codecs import ArraySpec, BytesToBytesCodec, Pipeline, completed, registry
from zarrcore.codecs.array_to_bytes.bytes import BytesCodec
from zarrcore.codecs.bytes_to_bytes.gzip import GzipCodec
from zarrcore.codecs.interface import Buffer
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration


@pytest.mark.parametrize(
    "codecs",
    [
        (),
        ("zstd",),
        ("zstd", LITTLE),
        (LITTLE, LITTLE),
        (LITTLE, NamedConfiguration("transpose", {"order": [1, 0]})),
        (NamedConfiguration("transpose", {"order": [0, 0]}), LITTLE),
        (NamedConfiguration("transpose", {"order": [2, 1, 0]}), LITTLE),
        (NamedConfiguration("bytes", {"endian": "middle"}),),
        (NamedConfiguration("sharding_indexed", {"chunk_shape": [3, 100], "codecs": ["bytes"]}),),
        (NamedConfiguration("sharding_indexed", {"chunk_shape": [5], "codecs": ["bytes"]}),),
        (NamedConfiguration("sharding_indexed", {"chunk_shape": [5, 100], "codecs": []}),),
        (
            NamedConfiguration(
                "sharding_indexed", {"chunk_shape": [5, 100], "index_codecs": ["bytes", "gzip"]}
            ),
        ),
        (NamedConfiguration("sharding_indexed", {"chunk_shape": [5, 100], "index_location": "middle"}),),
    ],
)
def test_codecs_in_an_invalid_order_are_refused(codecs: tuple) -> None:
    with pytest.raises(MetadataError):
        pipeline(*codecs).decode(bytes(64))


def test_a_codec_that_need_not_be_understood_is_ignored() -> None:
    unknown = NamedConfiguration("mystery", {}, must_understand=False)
    assert np.array_equal(pipeline(LITTLE, unknown).decode(VALUES.tobytes()), VALUES)


def test_chunks_are_not_written_when_a_codec_is_ignored() -> None:
    unknown = NamedConfiguration("mystery", {}, must_understand=False)
    with pytest.raises(UnsupportedError, match="mystery"):
        pipeline(LITTLE, unknown).encode(VALUES)
    with pytest.raises(UnsupportedError, match="mystery"):
        pipeline(LITTLE, unknown).completed()


def test_an_unknown_codec_that_has_to_be_understood_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="mystery"):
        pipeline(LITTLE, "mystery")


def test_chunks_read_without_a_codec_must_still_be_complete() -> None:
    unknown = NamedConfiguration("mystery", {}, must_understand=False)
    with pytest.raises(CodecError):
        pipeline(LITTLE, unknown).decode(VALUES.tobytes() + b"\0\0\0\0")


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


def test_an_element_without_dimensions_keeps_zeros_at_its_end() -> None:
    array = np.array(b"a", "S4")
    pipeline = Pipeline(
        [NamedConfiguration("transpose", {"order": []}), NamedConfiguration("bytes")], spec_of(array)
    )
    found = np.empty((), "S4")
    pipeline.decode_into(b"b\0\0\0", found, ())
    assert found == np.array(b"b", "S4")


@pytest.mark.parametrize(
    "codecs",
    [
        [NamedConfiguration("v2_struct_bytes", {"dtype": [["b", "<i2"], ["c", ">i2"]]})],
        [NamedConfiguration("v2_struct_bytes", {"dtype": "<f4"})],
        [NamedConfiguration("v2_view", {"dtype": "<f4", "viewed_dtype": "<i2"}), NamedConfiguration("bytes")],
    ],
    ids=str,
)
def test_internal_codecs_for_elements_of_another_type_are_refused(codecs: list[NamedConfiguration]) -> None:
    dtype = np.dtype([("a", "<i2"), ("c", "<i2")])
    with pytest.raises(MetadataError, match="expected elements of"):
        Pipeline(codecs, spec_of(np.zeros(3, dtype)))


def test_chunks_of_a_single_value_are_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = ArraySpec((8, 8), np.dtype("<f4"), np.zeros((), "<f4"))
    pipeline = Pipeline((NamedConfiguration("bytes", {"endian": "little"}), NamedConfiguration("gzip")), spec)
    encoded = []
    encode = GzipCodec.encode

    def counting(self: GzipCodec, data: Buffer) -> Buffer:
        encoded.append(len(data))
        return encode(self, data)

    monkeypatch.setattr(GzipCodec, "encode", counting)
    ones = np.ones((8, 8), "<f4")
    for values in (ones, ones.T, np.ones((16, 8), "<f4")[::2]):
        assert np.array_equal(pipeline.decode(pipeline.encode(values)), ones)
    assert len(encoded) == 1
    for number in range(100):
        mixed = np.full((8, 8), number, "<f4")
        assert np.array_equal(pipeline.decode(pipeline.encode(mixed)), mixed)
        mixed[3, 2] = -1
        assert np.array_equal(pipeline.decode(pipeline.encode(mixed)), mixed)
    zeros = np.zeros((8, 8), "<f4")
    zeros[5, 5] = -0.0
    assert pipeline.decode(pipeline.encode(zeros)).tobytes() == zeros.tobytes()


@pytest.mark.parametrize("first", ["a", "\0"])
def test_texts_with_numbers_that_are_no_characters_are_refused(first: str) -> None:
    values = np.array([first, first], "<U1")
    values.view("<u4")[1] = 0xFFFFFFFF
    array = zarrcore.create("memory://").create_array(
        "a", shape=(2,), dtype=values.dtype, codecs=["bytes", "gzip"], chunks=(2,)
    )
    with pytest.raises(CodecError, match="0xffffffff is not a character"):
        array[...] = values
