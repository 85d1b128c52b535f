"""``neuroglancer.compressed_segmentation``: blocks of labels, each as a table of its labels and the positions in this table.

Specification: Neuroglancer, "Compressed segmentation format". All positions are in units of 4 bytes from the start of a channel.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.named_configuration import integers
from zarrcore.typing import AnyArray

_WIDTHS: Final = (0, 1, 2, 4, 8, 16, 32)
_MAX_SMALL_SIZE: Final = 1 << 22
_MAX_PADDING: Final = 16
_BLOCKS_AT_ONCE: Final = 512

Words = NDArray[np.uint32]


def _tables() -> dict[int, NDArray[np.uint8]]:
    """For each width of less than a byte, the numbers in each byte."""
    tables = {}
    for width in (1, 2, 4):
        shifts = np.arange(0, 8, width, dtype=np.uint8)
        tables[width] = np.arange(256, dtype=np.uint8)[:, None] >> shifts & np.uint8((1 << width) - 1)
    return tables


_TABLES: Final = _tables()


class CompressedSegmentationCodec(ArrayToBytesCodec):
    """Labels of 32 or 64 bits."""

    names: ClassVar[tuple[str, ...]] = ("neuroglancer.compressed_segmentation",)

    def __init__(self, block_size: tuple[int, ...]) -> None:
        self._block = block_size[::-1]

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "block_size")
        block_size = integers(configuration.get("block_size"), "block_size", minimum=1)
        if len(block_size) != 3:
            raise MetadataError(f"expected 3 lengths, found {len(block_size)}", member="block_size")
        return cls(block_size)

    def _grid(self, spec: ArraySpec) -> tuple[int, tuple[int, ...]]:
        """The number of channels, and the blocks along z, y and x."""
        if spec.dtype not in (np.dtype("<u4"), np.dtype("<u8")) or len(spec.shape) not in (3, 4):
            raise MetadataError(f"cannot hold chunks of shape {spec.shape} of {spec.dtype}", member=self.name)
        grid = tuple(-(-length // block) for length, block in zip(spec.shape[-3:], self._block, strict=True))
        padded = math.prod(grid) * math.prod(self._block)
        if padded > max(_MAX_SMALL_SIZE, _MAX_PADDING * math.prod(spec.shape[-3:])):
            raise MetadataError(
                f"blocks of {self._block[::-1]} are too large for the chunks", member="block_size"
            )
        return math.prod(spec.shape[:-3]), grid

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        channels, grid = self._grid(spec)
        block = math.prod(self._block)
        # The header, 32 bits for each position, and a table with all labels.
        return channels * (4 + math.prod(grid) * (8 + 4 * (block + 1) + block * spec.dtype.itemsize)) + 4096

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        channels, grid = self._grid(spec)
        if len(encoded) % 4 or len(encoded) < 4 * channels:
            raise CodecError(f"{len(encoded):,} bytes are no whole number of words", codec=self.name)
        words: Words = np.frombuffer(encoded, "<u4")
        starts = [*map(int, words[:channels]), len(words)]
        if starts[0] != channels or sorted(starts) != starts:
            raise CodecError("the channels are not one after another", codec=self.name)
        shape = (channels, *spec.shape[-3:])
        decoded = np.empty(shape, spec.dtype)
        for channel in range(channels):
            self._decode_channel(words[starts[channel] : starts[channel + 1]], grid, decoded[channel])
        return decoded.reshape(spec.shape)

    def _decode_channel(self, words: Words, grid: tuple[int, ...], out: AnyArray) -> None:
        count = math.prod(grid)
        if len(words) < 2 * count:
            raise CodecError(f"{len(words):,} words are fewer than {count:,} blocks need", codec=self.name)
        heads = words[: 2 * count].reshape(count, 2)
        widths = (heads[:, 0] >> 24).astype(np.intp)
        tables = (heads[:, 0] & 0xFFFFFF).astype(np.intp)
        places = heads[:, 1].astype(np.intp)
        labels = words
        if out.dtype.itemsize == 8:
            labels = words[:-1].astype("<u8")
            labels |= words[1:].astype("<u8") << np.uint64(32)
        try:
            if not widths.any():
                self._assemble(labels[tables], grid, out)
                return
            blocks = np.empty((count, math.prod(self._block)), out.dtype)
            for width in np.unique(widths):
                found = np.flatnonzero(widths == width)
                for start in range(0, len(found), _BLOCKS_AT_ONCE):
                    some = found[start : start + _BLOCKS_AT_ONCE]
                    blocks[some] = self._decode_blocks(words, labels, int(width), tables[some], places[some])
        except IndexError as error:
            raise CodecError("a block lies beyond the end", codec=self.name) from error
        self._assemble(blocks.reshape(*grid, *self._block), grid, out)

    def _decode_blocks(
        self,
        words: Words,
        labels: AnyArray,
        width: int,
        tables: NDArray[np.intp],
        places: NDArray[np.intp],
    ) -> AnyArray:
        """Blocks of one width, one per row."""
        if width not in _WIDTHS:
            raise CodecError(f"a block has positions of {width} bits", codec=self.name)
        if width == 0:
            return labels[tables][:, None]
        size = math.prod(self._block)
        # Only the words that hold positions; the last one may be shared with padding.
        packed = words[places[:, None] + np.arange(-(-size * width // 32))]
        if sys.byteorder == "big":  # pragma: no cover - views below are of little-endian words
            packed = packed.byteswap()
        if width < 8:
            positions = _TABLES[width][packed.view(np.uint8)].reshape(len(packed), -1)[:, :size]
        else:
            positions = packed.view(f"<u{width // 8}")[:, :size]
        # A label of 64 bits has two words.
        indices = np.multiply(positions, labels.dtype.itemsize // 4, dtype=np.intp)
        indices += tables[:, None]
        found: AnyArray = labels[indices]
        return found

    def _assemble(self, blocks: AnyArray, grid: tuple[int, ...], out: AnyArray) -> None:
        """Put blocks, or one label for each, in their places; what lies beyond the chunk is padding."""
        if blocks.ndim == 1:
            blocks = np.broadcast_to(blocks.reshape(*grid, 1, 1, 1), (*grid, *self._block))
        if all(
            length == count * block for length, count, block in zip(out.shape, grid, self._block, strict=True)
        ):
            view = out.reshape(grid[0], self._block[0], grid[1], self._block[1], grid[2], self._block[2])
            np.copyto(view, blocks.transpose(0, 3, 1, 4, 2, 5))
            return
        padded = blocks.transpose(0, 3, 1, 4, 2, 5).reshape(
            *(count * block for count, block in zip(grid, self._block, strict=True))
        )
        np.copyto(out, padded[tuple(map(slice, out.shape))])
