"""Broken chunks of compressed labels; valid ones are compared with tensorstore's in the tests of volumes."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs.array_to_bytes.neuroglancer.compressed_segmentation import CompressedSegmentationCodec
from zarrcore.codecs.interface import ArraySpec
from zarrcore.errors import CodecError, MetadataError

CODEC = CompressedSegmentationCodec.from_configuration({"block_size": [2, 2, 2]})
SPEC = ArraySpec((2, 2, 3), np.dtype("<u8"), np.zeros((), "<u8"))


def words(*numbers: int) -> bytes:
    return np.array(numbers, "<u4").tobytes()


def test_blocks_decode() -> None:
    # One block of positions of 1 bit, and one that is uniform: both share the table.
    encoded = words(1, 1 << 24 | 5, 4, 5, 4, 0b10010110, 7, 0, 9, 1)
    decoded = CODEC.decode(encoded, SPEC)
    large = (1 << 32) + 9
    assert decoded.tolist() == [[[7, large, 7], [large, 7, 7]], [[large, 7, 7], [7, large, 7]]]


@pytest.mark.parametrize(
    "encoded",
    [
        b"",
        b"123",
        words(2, 0),
        words(1, 0, 0, 0),
        words(1, 99, 0, 0, 0, 1, 1),
        words(1, 3 << 24, 0, 0, 0, 1, 1),
        words(1, 1 << 24, 2**32 - 1, 0, 0, 1),
    ],
)
def test_broken_chunks_are_refused(encoded: bytes) -> None:
    with pytest.raises(CodecError):
        CODEC.decode(encoded, SPEC)


@given(st.lists(st.integers(0, 40) | st.sampled_from([1 << 24 | 5, 2**32 - 1]), max_size=20))
def test_any_words_decode_or_are_refused(numbers: list[int]) -> None:
    with contextlib.suppress(CodecError):
        assert CODEC.decode(words(1, *numbers), SPEC).shape == SPEC.shape


def test_blocks_that_would_need_much_memory_are_refused() -> None:
    codec = CompressedSegmentationCodec.from_configuration({"block_size": [1 << 30, 2, 2]})
    with pytest.raises(MetadataError, match="too large for the chunks"):
        codec.max_encoded_nbytes(SPEC)
    with pytest.raises(MetadataError, match="expected 3 lengths"):
        CompressedSegmentationCodec.from_configuration({"block_size": [2, 2]})
