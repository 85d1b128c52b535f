"""The ``zarrs.vlen`` codec: all values one after another, and separately the position of each.

Specification: zarrs' documentation, "vlen", which calls it experimental. There is one position more than there are
elements. Positions and values have their own codecs, and 8 little-endian bytes give the size of the positions. The positions
come before or after the values, by default before them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.array_to_bytes.vlen_bytes import MAX_VALUES_NBYTES
from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import choice, codecs, known
from zarrcore.codecs.pipeline import Pipeline
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero
from zarrcore.typing import AnyArray

_LENGTH_NBYTES = 8
_BYTE = np.dtype("u1")


class VlenCodec(ArrayToBytesCodec):
    """Elements of the data types ``string`` and ``bytes``."""

    names: ClassVar[tuple[str, ...]] = ("zarrs.vlen", "vlen")

    def __init__(
        self,
        index_codecs: tuple[NamedConfiguration, ...],
        data_codecs: tuple[NamedConfiguration, ...],
        index_data_type: str,
        index_location: str,
    ) -> None:
        self._index_codecs = index_codecs
        self._data_codecs = data_codecs
        self._index_data_type = index_data_type
        self._index_location = index_location
        self._index_pipeline = lru_cache(maxsize=64)(self._make_index_pipeline)
        self._data_pipeline = lru_cache(maxsize=64)(self._make_data_pipeline)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "index_codecs", "data_codecs", "index_data_type", "index_location")
        return cls(
            codecs(configuration, "index_codecs"),
            codecs(configuration, "data_codecs"),
            choice(configuration, "index_data_type", ("uint32", "uint64"), None),
            choice(configuration, "index_location", ("start", "end"), "start"),
        )

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        index, data = self._index_pipeline(spec.size).completed(), self._data_pipeline(1).completed()
        return {
            "index_codecs": [codec.document() for codec in index],
            "data_codecs": [codec.document() for codec in data],
            "index_data_type": self._index_data_type,
            "index_location": self._index_location,
        }

    def _make_index_pipeline(self, size: int) -> Pipeline:
        dtype = np.dtype(self._index_data_type)
        return Pipeline(self._index_codecs, ArraySpec((size + 1,), dtype, zero(dtype)), "index_codecs")

    def _make_data_pipeline(self, nbytes: int) -> Pipeline:
        return Pipeline(self._data_codecs, ArraySpec((nbytes,), _BYTE, zero(_BYTE)), "data_codecs")

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        if spec.dtype.kind not in "TO":
            raise MetadataError(f"expected elements of string or bytes, found {spec.dtype}", member=self.name)
        data = self._data_pipeline(MAX_VALUES_NBYTES).max_encoded_nbytes
        return _LENGTH_NBYTES + self._index_pipeline(spec.size).max_encoded_nbytes + data

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        index, data = self._parts(memoryview(encoded))
        pipeline = self._index_pipeline(spec.size)
        if len(index) > pipeline.max_encoded_nbytes:
            raise CodecError(f"{len(index):,} bytes of positions are too many", codec=self.name)
        positions = pipeline.decode(index).astype("u8")
        end = int(positions[-1])
        if end > MAX_VALUES_NBYTES or (positions[1:] < positions[:-1]).any():
            raise CodecError(f"expected increasing positions up to {MAX_VALUES_NBYTES:,}", codec=self.name)
        values = self._make_data_pipeline(end).decode(data).tobytes() if end else b""
        if data.nbytes and not end:
            raise CodecError(f"expected no bytes of values, found {data.nbytes:,}", codec=self.name)
        elements = np.empty(spec.size, object)
        starts = positions.tolist()
        try:
            for number, (start, stop) in enumerate(pairwise(starts)):
                element = values[start:stop]
                elements[number] = element.decode("utf-8") if spec.dtype.kind == "T" else element
        except UnicodeDecodeError as error:
            raise CodecError(str(error), codec=self.name) from error
        return elements.astype(spec.dtype).reshape(spec.shape)

    def _parts(self, encoded: memoryview) -> tuple[memoryview, memoryview]:
        """The positions and the values, encoded."""
        at_start, size = self._index_location == "start", len(encoded) - _LENGTH_NBYTES
        length = int.from_bytes(encoded[:_LENGTH_NBYTES] if at_start else encoded[-_LENGTH_NBYTES:], "little")
        if not 0 <= length <= size:
            raise CodecError(
                f"expected {length:,} bytes of positions, found {max(0, size):,}", codec=self.name
            )
        if at_start:
            return encoded[_LENGTH_NBYTES:][:length], encoded[_LENGTH_NBYTES + length :]
        return encoded[size - length : size], encoded[: size - length]

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        elements = np.ascontiguousarray(decoded, object).reshape(-1)
        values = [value.encode("utf-8") if isinstance(value, str) else bytes(value) for value in elements]
        ends = np.cumsum([0, *map(len, values)], dtype="u8")
        if ends[-1] > min(MAX_VALUES_NBYTES, np.iinfo(self._index_data_type).max):
            raise CodecError(f"{int(ends[-1]):,} bytes of values are too many", codec=self.name)
        index = bytes(self._index_pipeline(spec.size).encode(ends.astype(self._index_data_type)))
        joined = np.frombuffer(b"".join(values), _BYTE)
        data = bytes(self._make_data_pipeline(joined.size).encode(joined)) if joined.size else b""
        length = len(index).to_bytes(_LENGTH_NBYTES, "little")
        parts = (length, index, data) if self._index_location == "start" else (data, index, length)
        return b"".join(parts)
