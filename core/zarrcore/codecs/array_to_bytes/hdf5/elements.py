"""``hdf5.elements``: structures and texts as HDF5 stores them.

An internal name, never written to a store. Structures of HDF5 have gaps, and a byte order for each field. Texts are padded with
spaces, or end at their first NUL, after which anything may follow; those of Zarr are padded with NULs. Numbers may have fewer
bits than their bytes have. Fields whose values are elsewhere in the file (texts of variable length, references) have the size of
the value and where it starts, each in four bytes; all values, in UTF-8, follow the elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.array_to_bytes.vlen_bytes import MAX_VALUES_NBYTES
from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.stores.hdf5.packed_numbers import LONG_DOUBLE_NBYTES, PackedNumber, numbers
from zarrcore.typing import AnyArray

_NUL_TERMINATED = 0
_SPACES = 2


class Hdf5ElementsCodec(ArrayToBytesCodec):
    """Elements of a described type."""

    names: ClassVar[tuple[str, ...]] = ("hdf5.elements",)

    def __init__(self, stored: Any) -> None:
        self._stored = stored
        try:
            self._dtype = _dtype(stored)
        except (TypeError, ValueError, KeyError) as error:
            raise MetadataError(f"not a stored type: {error}", member="stored") from error
        self._has_values = _has_values(stored)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "stored")
        return cls(configuration.get("stored"))

    def encoded_nbytes(self, spec: ArraySpec) -> int | None:
        return None if self._has_values else spec.size * self._dtype.itemsize

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        return spec.size * self._dtype.itemsize + (MAX_VALUES_NBYTES if self._has_values else 0)

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        nbytes = spec.size * self._dtype.itemsize
        if len(encoded) < nbytes or (len(encoded) > nbytes and not self._has_values):
            raise CodecError(f"expected {nbytes:,} bytes, found {len(encoded):,}", codec=self.name)
        view = memoryview(encoded)
        encoded, values = view[:nbytes], bytes(view[nbytes:])
        if self._dtype.subdtype is None:
            elements = np.frombuffer(encoded, self._dtype, spec.size)
        else:
            item, shape = self._dtype.subdtype
            elements = np.frombuffer(encoded, item).reshape(spec.size, *shape)
        result = np.empty(spec.size, spec.dtype)
        try:
            _assign(result, elements, self._stored, values)
        except ValueError as error:  # also of texts that are not UTF-8
            raise CodecError(str(error), codec=self.name) from error
        return result.reshape(spec.shape)


def _dtype(stored: Any) -> np.dtype[Any]:
    if isinstance(stored, str):
        return np.dtype(stored)
    if "elsewhere" in stored:
        return np.dtype(
            {"names": ["nbytes", "start"], "formats": ["<u4"] * 2, "itemsize": stored["elsewhere"]}
        )
    if "text" in stored:
        return np.dtype(f"S{stored['text']}")
    if "number" in stored:
        return np.dtype((np.uint8, (_packed(stored).nbytes,)))
    if "array" in stored:
        return np.dtype((_dtype(stored["array"]), tuple(stored["shape"])))
    names, offsets, parts = zip(*stored["fields"], strict=True)
    return np.dtype(
        {"names": names, "formats": [*map(_dtype, parts)], "offsets": offsets, "itemsize": stored["nbytes"]}
    )


def _has_values(stored: Any) -> bool:
    if isinstance(stored, str):
        return False
    parts = [stored["array"]] if "array" in stored else [part for *_, part in stored.get("fields", ())]
    return "elsewhere" in stored or any(map(_has_values, parts))


def _packed(stored: Any) -> PackedNumber:
    packed = PackedNumber(*stored["number"])
    if not all(type(value) is int and abs(value) < 2**32 for value in packed[3:]) or not (
        1 <= packed.nbytes <= 8 or packed.nbytes in LONG_DOUBLE_NBYTES
    ):
        raise ValueError("a number is out of range")
    if packed.precision > 64 or packed.exponent_precision > (11 if packed.nbytes <= 8 else 15):
        raise ValueError("a number has too many bits")
    return packed


def _assign(target: AnyArray, source: AnyArray, stored: Any, values: bytes) -> None:
    if isinstance(stored, dict) and "array" in stored:
        _assign(target, source, stored["array"], values)
    elif isinstance(stored, dict) and "elsewhere" in stored:
        starts, sizes = source["start"].ravel().tolist(), source["nbytes"].ravel().tolist()
        if sum(sizes) > len(values):  # values that many elements share would take unbounded memory
            raise ValueError("elements refer to more values than there are")
        if any(start + size > len(values) for start, size in zip(starts, sizes, strict=True)):
            raise ValueError("an element refers to a value outside its chunk")
        texts = [values[start : start + size].decode() for start, size in zip(starts, sizes, strict=True)]
        target[...] = np.array(texts, object).reshape(target.shape)
    elif isinstance(stored, dict) and "number" in stored:
        packed = _packed(stored)
        bytes_of = np.ascontiguousarray(source).reshape(-1, packed.nbytes)
        target[...] = numbers(bytes_of, packed).reshape(target.shape)
    elif isinstance(stored, dict) and "fields" in stored:
        for name, _, part in stored["fields"]:
            _assign(target[name], source[name], part, values)
    elif isinstance(stored, dict) and stored["padding"] in (_NUL_TERMINATED, _SPACES):
        target[...] = _text(source, stored["text"], stored["padding"])
    else:
        target[...] = source


def _text(source: AnyArray, nbytes: int, padding: int) -> AnyArray:
    characters = np.ascontiguousarray(source).reshape(-1).view("u1").reshape(-1, nbytes)
    if padding == _SPACES:
        # Only spaces at the end are padding.
        kept = np.logical_or.accumulate((characters != ord(" "))[:, ::-1], axis=1)[:, ::-1]
    else:
        kept = np.logical_and.accumulate(characters != 0, axis=1)
    return np.where(kept, characters, 0).astype("u1").view(f"S{nbytes}").reshape(source.shape)
