"""Blocks of N5."""

from __future__ import annotations

import struct
from typing import Any, ClassVar

import numpy as np
import pytest

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero


class TestBlocks:
    spec = ArraySpec((4, 3), np.dtype("<u2"), zero(np.dtype("<u2")))
    reverse: ClassVar[Any] = {"name": "transpose", "configuration": {"order": [1, 0]}}
    big: ClassVar[Any] = {"name": "bytes", "configuration": {"endian": "big"}}

    def pipeline(self, *codecs: Any, spec: ArraySpec = spec) -> Pipeline:
        block = {"codecs": list(codecs) or [self.reverse, self.big]}
        return Pipeline([NamedConfiguration("n5_default", block)], spec)

    def test_the_first_dimension_varies_fastest(self) -> None:
        chunk = np.arange(12, dtype="<u2").reshape(4, 3)
        block = bytes(self.pipeline().encode(chunk))
        assert block == struct.pack(">HHII", 0, 2, 4, 3) + chunk.T.astype(">u2").tobytes()

    @pytest.mark.parametrize("shape", [(4, 3), (2, 3), (4, 1), (1, 1), (0, 3)])
    def test_truncated_blocks(self, shape: tuple[int, int]) -> None:
        part = np.arange(1, 1 + shape[0] * shape[1], dtype="<u2").reshape(shape)
        block = struct.pack(">HHII", 0, 2, *shape) + part.T.astype(">u2").tobytes()
        expected = np.zeros((4, 3), "<u2")
        expected[: shape[0], : shape[1]] = part
        np.testing.assert_array_equal(self.pipeline().decode(block), expected)

    @pytest.mark.parametrize(
        ("block", "words"),
        [
            (b"", "0 bytes are fewer than a block's header"),
            (b"\0\0\0", "3 bytes are fewer than a block's header"),
            (b"\0\0\0\2\0\0\0\1", "expected a header of 12 bytes, found 8"),
            (struct.pack(">HHI", 9, 2, 12), "expected a block of mode 0, 1 or 2, found mode 9"),
            (struct.pack(">HHII", 1, 2, 4, 3), "expected a header of 16 bytes, found 12"),
            (struct.pack(">HHIII", 1, 2, 4, 3, 12) + bytes(23), "expected 24 bytes"),
            (struct.pack(">HHIII", 0, 3, 1, 1, 1), "expected a block of 2 dimensions, found 3"),
            (struct.pack(">HHII", 0, 2, 5, 3), r"expected a block of shape \(4, 3\) at most, found \(5, 3\)"),
            (struct.pack(">HHII", 0, 2, 2**32 - 1, 2**32 - 1), "expected a block of shape"),
            (struct.pack(">HHII", 0, 2, 4, 3) + bytes(23), "expected 24 bytes"),
        ],
    )
    def test_broken_blocks(self, block: bytes, words: str) -> None:
        with pytest.raises(CodecError, match=words):
            self.pipeline().decode(block)

    @pytest.mark.parametrize("shape", [(4, 3), (2, 3), (0, 3)])
    def test_blocks_of_varying_length_that_fill_their_shape(self, shape: tuple[int, int]) -> None:
        part = np.arange(1, 1 + shape[0] * shape[1], dtype="<u2").reshape(shape)
        block = struct.pack(">HHIII", 1, 2, *shape, part.size) + part.T.astype(">u2").tobytes()
        expected = np.zeros((4, 3), "<u2")
        expected[: shape[0], : shape[1]] = part
        np.testing.assert_array_equal(self.pipeline().decode(block), expected)

    @pytest.mark.parametrize(
        ("block", "words"),
        [
            (
                struct.pack(">HHIII", 1, 2, 4, 3, 5) + bytes(10),
                r"mode 1 \(varlength\)' is not supported with 5 elements in a shape of 12",
            ),
            (struct.pack(">HHI", 2, 2, 12), r"mode 2 \(object\)' is not supported"),
        ],
    )
    def test_blocks_that_are_refused_by_name(self, block: bytes, words: str) -> None:
        with pytest.raises(UnsupportedError, match=words):
            self.pipeline().decode(block)

    def test_inner_codecs_that_n5_does_not_have_are_refused(self) -> None:
        for codecs in (
            [{"name": "transpose", "configuration": {"order": [0, 1]}}, self.big],
            [self.reverse, {"name": "bytes", "configuration": {"endian": "little"}}],
            [self.reverse, self.big, "crc32c", "crc32c"],
            ["bytes"],
        ):
            with pytest.raises(MetadataError):
                self.pipeline(*codecs)
