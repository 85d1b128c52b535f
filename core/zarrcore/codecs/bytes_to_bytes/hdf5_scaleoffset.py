"""``hdf5.scaleoffset``: HDF5 filter 6, differences from the smallest value of a chunk in as few bits as they need.

An internal name, never written to a store. A chunk begins with the number of bits (4 bytes, little-endian), the size of the
smallest value (1 byte), and that value (little-endian); the differences follow at byte 21, the highest bit of each first. If the
dataset has a fill value, the largest difference stands for it. Floating-point numbers were multiplied by a power of ten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.typing import AnyArray

_HEAD_NBYTES = 21
_INTEGERS = 2
_DECIMAL = 0
_AT_ONCE = 1 << 15
"""How many numbers are unpacked at once: a multiple of eight, and few enough for the cache."""


class Hdf5ScaleoffsetCodec(BytesToBytesCodec):
    """Numbers as differences from the smallest."""

    names: ClassVar[tuple[str, ...]] = ("hdf5.scaleoffset",)

    def __init__(self, values: Sequence[int]) -> None:
        scale, self._factor, self._count, is_float, self._nbytes, signed, is_big, self._has_fill = values[:8]
        self._is_float = bool(is_float)
        if self._nbytes not in (1, 2, 4, 8) or scale != (_DECIMAL if is_float else _INTEGERS):
            raise MetadataError("expected integers, or numbers with a decimal scale", member="values")
        if self._factor >= 2**31:
            self._factor -= 2**32
        if abs(self._factor) > 300:
            raise MetadataError("the scale is out of range", member="values")
        kind = "f" if is_float else "i" if signed else "u"
        try:
            self._dtype = np.dtype(f"{'>' if is_big else '<'}{kind}{self._nbytes}")
        except TypeError as error:
            raise MetadataError(str(error), member="values") from error
        # The fill value is in whole words, in the byte order of the machine that wrote it.
        words = b"".join(int(value).to_bytes(4, "little") for value in values[8:20])
        self._fill = words[: self._nbytes].ljust(self._nbytes, b"\0")

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "values")
        values = configuration.get("values")
        if (
            not isinstance(values, list)
            or len(values) < 8
            or not all(type(v) is int and v >= 0 for v in values)
        ):
            raise MetadataError("expected at least eight numbers", member="values")
        return cls(values)

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        data = memoryview(encoded)
        width = 8 * self._nbytes
        bits = int.from_bytes(data[:4], "little")
        count = self._count
        if len(data) < _HEAD_NBYTES or bits > width or count * self._nbytes > max_nbytes:
            raise CodecError("the head of a chunk is broken", codec=self.name)
        body = data[_HEAD_NBYTES:]
        if len(body) < (count * bits + 7) // 8:
            raise CodecError(
                f"expected {count:,} numbers of {bits} bits, the chunk ends early", codec=self.name
            )
        plain = self._dtype.newbyteorder("<")
        if bits == width:
            return np.frombuffer(body, plain, count).astype(self._dtype, copy=False).tobytes()
        least = int.from_bytes(data[5 : 5 + min(8, data[4])], "little")
        numbers = unpacked(np.frombuffer(body, "u1"), count, bits)
        is_fill = numbers == (1 << bits) - 1 if self._has_fill else np.zeros(count, bool)
        if self._is_float:
            start = np.frombuffer(least.to_bytes(8, "little")[: self._nbytes], plain)[0]
            # As the library does: the difference is a signed integer, and the division is in the type of the elements.
            scaled = numbers.astype(f"i{self._nbytes}").astype(plain) / plain.type(10.0**self._factor)
            result = (scaled + start).astype(plain)
        else:
            whole = numbers + np.uint64(least)
            result = whole.astype(f"<u{self._nbytes}").view(plain)
        if is_fill.any():
            result = result.copy()
            result[is_fill] = np.frombuffer(self._fill, plain)[0]
        decoded: bytes = result.astype(self._dtype).tobytes()
        return decoded


def unpacked(data: AnyArray, count: int, bits: int) -> AnyArray:
    """Unsigned numbers of so many bits, at most 64, the highest bit first.

    Args:
        data: their bytes, one dimension.
        count: how many.
        bits: the bits of each.
    """
    result = np.zeros(count, "u8")
    if not bits:
        return result
    # Eight numbers take ``bits`` bytes, so that each of them begins at the same bit in all groups of eight.
    for first in range(0, count, _AT_ONCE):
        some = result[first : first + _AT_ONCE]
        groups = -(-len(some) // 8)
        rows = np.zeros((groups, bits), "u1")
        stored = data[first * bits // 8 :][: rows.size]
        rows.reshape(-1)[: len(stored)] = stored
        numbers = np.empty((groups, 8), "u8")
        for place in range(8):
            numbers[:, place] = _number_at(rows, place * bits, bits)
        some[:] = numbers.reshape(-1)[: len(some)]
    return result


def _number_at(rows: AnyArray, bit: int, bits: int) -> AnyArray:
    """The number that begins at a bit of each row."""
    last = (bit + bits - 1) // 8
    dropped = 8 * (last + 1) - (bit + bits)
    word = np.dtype("u4" if bits <= 24 else "u8").type
    number = np.zeros(len(rows), word)
    for column in range(bit // 8, last):
        number <<= word(8)
        number |= rows[:, column]
    # The last byte is shifted on its own: the bytes of a number of 64 bits may be nine.
    number <<= word(8 - dropped)
    number |= rows[:, last] >> dropped
    number &= word((1 << bits) - 1)
    return number
