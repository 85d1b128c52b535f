"""The ``packbits`` codec: elements of a few bits, without gaps between them.

Specification: the zarr-extensions registry, "packbits". It is not numcodecs' filter of that name, which packs booleans from the
highest bit down. Its schema and its text name the parameters differently: both are read, those of the text are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import choice, integer, known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.data_type import is_small_number
from zarrcore.metadata.data_type.small_numbers import is_complex, part_of_complex, significant_bits
from zarrcore.typing import AnyArray

_PADDING = {"start_byte": "first_byte", "end_byte": "last_byte"}
# Bits are unpacked to a byte each. This many numbers are unpacked at once; a multiple of eight.
_BLOCK_SIZE = 1 << 16


class PackbitsCodec(ArrayToBytesCodec):
    """Bits ``first_bit`` to ``last_bit`` of each number, the lowest bit first."""

    names: ClassVar[tuple[str, ...]] = ("packbits",)

    def __init__(self, padding_encoding: str, first_bit: int | None, last_bit: int | None) -> None:
        self._padding_encoding = padding_encoding
        self._first_bit = first_bit
        self._last_bit = last_bit

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "padding_encoding", "first_bit", "last_bit", "start_bit", "end_bit")
        allowed = ("none", "first_byte", "last_byte", *_PADDING)
        padding = choice(configuration, "padding_encoding", allowed, "none")
        first, last = (
            _bit(configuration, *names) for names in (("first_bit", "start_bit"), ("last_bit", "end_bit"))
        )
        if first is not None and last is not None and last < first:
            raise MetadataError(f"expected at least {first}, found {last}", member="last_bit")
        return cls(_PADDING.get(padding, padding), first, last)

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        told = {
            "padding_encoding": self._padding_encoding,
            "first_bit": self._first_bit,
            "last_bit": self._last_bit,
        }
        return {name: value for name, value in told.items() if value is not None}

    def _layout(self, spec: ArraySpec) -> tuple[np.dtype[Any], int, int, int]:
        """Type and count of the numbers, and the bits kept of each: ``[start, stop)``."""
        dtype = spec.dtype
        if is_complex(dtype):
            part, count = part_of_complex(dtype), 2 * spec.size
        elif dtype.kind in "Mm":  # not registered; zarrs packs them as integers
            part, count = np.dtype("<i8"), spec.size
        elif dtype.kind in "biuf" or is_small_number(dtype):
            part, count = dtype.newbyteorder("<"), spec.size
        else:
            raise MetadataError(f"expected elements that are numbers, found {dtype}", member=self.name)
        bits = significant_bits(part)
        start = 0 if self._first_bit is None else self._first_bit
        stop = bits if self._last_bit is None else self._last_bit + 1
        if not 0 <= start < stop <= bits:
            raise MetadataError(f"elements do not have bits {start} to {stop - 1}", member=self.name)
        return part, count, start, stop

    def encoded_nbytes(self, spec: ArraySpec) -> int:
        _, count, start, stop = self._layout(spec)
        return -(-count * (stop - start) // 8) + (self._padding_encoding != "none")

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        return self.encoded_nbytes(spec)

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        part, count, start, stop = self._layout(spec)
        packed = self._without_padding_byte(np.frombuffer(encoded, np.uint8), spec)
        raw = np.empty((count, part.itemsize), np.uint8)
        width = stop - start
        for first in range(0, count, _BLOCK_SIZE):
            size = min(_BLOCK_SIZE, count - first)
            block = packed[first * width // 8 : -(-(first + size) * width // 8)]
            bits = np.zeros((size, 8 * part.itemsize), np.uint8)
            kept = np.unpackbits(block, count=size * width, bitorder="little").reshape(size, width)
            bits[:, start:stop] = kept
            if _is_signed(part):
                bits[:, stop : significant_bits(part)] = kept[:, -1:]
            raw[first : first + size] = np.packbits(bits, axis=1, bitorder="little")
        return raw.reshape(-1).view(spec.dtype.newbyteorder("<")).reshape(spec.shape)

    def _without_padding_byte(self, encoded: AnyArray, spec: ArraySpec) -> AnyArray:
        expected = self.encoded_nbytes(spec)
        if len(encoded) != expected:
            raise CodecError(
                f"expected {expected:,} bytes for shape {spec.shape} of {spec.dtype}, found {len(encoded):,}",
                codec=self.name,
            )
        if self._padding_encoding == "none":
            return encoded
        at_start = self._padding_encoding == "first_byte"
        found, padding = int(encoded[0 if at_start else -1]), self._padding(spec)
        if found != padding:
            raise CodecError(f"expected {padding} bits of padding, found {found}", codec=self.name)
        return encoded[1:] if at_start else encoded[:-1]

    def _padding(self, spec: ArraySpec) -> int:
        _, count, start, stop = self._layout(spec)
        return -count * (stop - start) % 8

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        part, count, start, stop = self._layout(spec)
        little = np.ascontiguousarray(decoded, spec.dtype.newbyteorder("<"))
        raw = little.reshape(-1).view(np.uint8).reshape(count, part.itemsize)
        parts: list[bytes] = []
        for first in range(0, count, _BLOCK_SIZE):
            bits = np.unpackbits(raw[first : first + _BLOCK_SIZE], axis=1, bitorder="little")
            parts.append(np.packbits(bits[:, start:stop], bitorder="little").tobytes())
        padding = bytes([self._padding(spec)])
        if self._padding_encoding == "first_byte":
            parts.insert(0, padding)
        elif self._padding_encoding == "last_byte":
            parts.append(padding)
        return b"".join(parts)


def _bit(configuration: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        if configuration.get(name) is not None:
            return integer(configuration, name, minimum=0)
    return None


def _is_signed(part: np.dtype[Any]) -> bool:
    return part.kind == "i" or (is_small_number(part) and part.name.startswith("int"))
