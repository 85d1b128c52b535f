"""``hdf5.nbit``: HDF5 filter 5, the bits of elements that their type uses, one after another, the highest first.

An internal name, never written to a store. ``values`` are those of the filter: their number, whether elements are stored as they
are, the number of elements, and their type. A type is a number of 1 with size, byte order (1: big-endian), bits and the place of
the lowest one; 2, an array with its size and the type of its items; 3, a structure with its size, the number of its fields, and
place and type of each; or 4 with the size of what is stored as it is. Bits that are not used are 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np

from zarrcore.codecs.bytes_to_bytes.hdf5_scaleoffset import unpacked
from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.typing import AnyArray

_NUMBER, _ARRAY, _STRUCTURE, _PLAIN = 1, 2, 3, 4
_BIG_ENDIAN: Final = 1
_MAX_DEPTH: Final = 16
_MAX_PARTS: Final = 1 << 16
_MAX_ITEM_NBYTES: Final = 1 << 20
_BITS_AT_ONCE: Final = 1 << 23

UNCOMPRESSED: Final = b"\xff" * 8
"""What a chunk begins with that skipped the filter: then it is longer than any compressed one."""


class _Part(NamedTuple):
    """A number within an element."""

    start: int
    nbytes: int
    big_endian: bool
    precision: int
    offset: int

    def is_whole(self, item_nbytes: int) -> bool:
        """Whether it is an element of its own, of a size that NumPy has."""
        return self.start == 0 and self.nbytes == item_nbytes and item_nbytes in (1, 2, 4, 8)


class Hdf5NbitCodec(BytesToBytesCodec):
    """Elements as the bits that they use."""

    names: ClassVar[tuple[str, ...]] = ("hdf5.nbit",)

    def __init__(self, values: Sequence[int]) -> None:
        self._is_plain, self._count = bool(values[1]), values[2]
        try:
            described = [] if self._is_plain else _described(values, 3, 0, 0)[0]
            self._item_nbytes = 0 if self._is_plain else values[4]
        except (IndexError, ValueError) as error:
            raise MetadataError("the type ends early", member="values") from error
        if self._item_nbytes > _MAX_ITEM_NBYTES or any(
            part.start + part.nbytes > self._item_nbytes for part in described
        ):
            raise MetadataError("a number lies outside its element", member="values")
        self._parts = described
        self._bits = sum(part.precision for part in described)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "values")
        values = configuration.get("values")
        if (
            not isinstance(values, list)
            or len(values) < 3
            or not all(type(value) is int and 0 <= value < 2**32 for value in values)
        ):
            raise MetadataError("expected at least three numbers", member="values")
        return cls(values)

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        data = memoryview(encoded)
        nbytes = max_nbytes if self._is_plain else self._count * self._item_nbytes
        is_stored = self._is_plain
        if len(data) == nbytes + len(UNCOMPRESSED) and data[: len(UNCOMPRESSED)] == UNCOMPRESSED:
            data, is_stored = data[len(UNCOMPRESSED) :], True
        if nbytes > max_nbytes or (is_stored and len(data) > max_nbytes):
            raise CodecError(f"a chunk has more than {max_nbytes:,} bytes", codec=self.name)
        if is_stored:
            return data
        if len(data) < (self._count * self._bits + 7) // 8:
            raise CodecError(
                f"expected {self._count:,} elements of {self._bits} bits, the chunk ends early",
                codec=self.name,
            )
        packed = np.frombuffer(data, "u1")
        if len(self._parts) == 1 and self._parts[0].is_whole(self._item_nbytes):
            part = self._parts[0]
            numbers = unpacked(packed, self._count, part.precision) << np.uint64(part.offset)
            order = ">" if part.big_endian else "<"
            return numbers.astype(f"{order}u{part.nbytes}").view("u1").data
        result = np.zeros((self._count, self._item_nbytes), "u1")
        step = max(8, _BITS_AT_ONCE // max(1, self._bits) // 8 * 8)  # whole bytes
        for first in range(0, self._count, step):
            some = result[first : first + step]
            stored = packed[first * self._bits // 8 :][: (len(some) * self._bits + 7) // 8]
            bits = np.unpackbits(stored, count=len(some) * self._bits).reshape(len(some), self._bits)
            self._unpack(bits, some)
        return result.reshape(-1).data

    def _unpack(self, bits: AnyArray, result: AnyArray) -> None:
        before = 0
        for part in self._parts:
            whole = np.zeros((len(bits), 8 * part.nbytes), "u1")
            end = 8 * part.nbytes - part.offset
            whole[:, end - part.precision : end] = bits[:, before : before + part.precision]
            before += part.precision
            packed = np.packbits(whole, axis=1)
            result[:, part.start : part.start + part.nbytes] = packed if part.big_endian else packed[:, ::-1]


def _described(values: Sequence[int], at: int, start: int, depth: int) -> tuple[list[_Part], int]:
    """The numbers of a type, in the order in which they are stored, and the position after the type.

    Raises:
        IndexError, ValueError: the values end early.
        MetadataError: they are broken.
    """
    kind, nbytes = values[at], values[at + 1]
    if depth > _MAX_DEPTH or not nbytes or nbytes > _MAX_ITEM_NBYTES:
        raise MetadataError("the type is nested too deeply, or too large", member="values")
    if kind == _PLAIN:
        return [_Part(start, nbytes, True, 8 * nbytes, 0)], at + 2
    if kind == _NUMBER:
        order, precision, offset = values[at + 2 : at + 5]
        if not 0 < precision <= 8 * nbytes - offset:
            raise MetadataError("a number has bits outside of its bytes", member="values")
        return [_Part(start, nbytes, order == _BIG_ENDIAN, precision, offset)], at + 5
    if kind == _ARRAY:
        item, after = _described(values, at + 2, start, depth + 1)
        item_nbytes = values[at + 3]
        if nbytes % item_nbytes or nbytes // item_nbytes * len(item) > _MAX_PARTS:
            raise MetadataError("an array has too many items", member="values")
        return [
            part._replace(start=part.start + place)
            for place in range(0, nbytes, item_nbytes)
            for part in item
        ], after
    if kind != _STRUCTURE:
        raise MetadataError(f"a type has the kind {kind}", member="values")
    parts: list[_Part] = []
    count, at = values[at + 2], at + 3
    for _ in range(count):
        field, at = _described(values, at + 1, start + values[at], depth + 1)
        parts += field
        if len(parts) > _MAX_PARTS:
            raise MetadataError("a structure has too many fields", member="values")
    return parts, at
