"""The ``n5_default`` codec: a block of N5, which states its own shape.

Specification: the zarr-extensions registry, "n5_default"; N5, "Blocks are stored in the following binary format". The header is
not compressed; the rest went through the inner codecs. Some writers pad the blocks at an array's edge, others
(n5-java, z5) truncate them; only the header shows which. A codec does not know where the array ends, so it writes full blocks,
which all readers accept. Blocks of varying length (mode 1) are read if they have as many elements as their shape says.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.array_to_array.transpose import TransposeCodec
from zarrcore.codecs.array_to_bytes.bytes import BytesCodec
from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import known
from zarrcore.codecs.pipeline import Pipeline
from zarrcore.codecs.registry import make_codec
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import has_byte_order
from zarrcore.metadata.json_document import describe
from zarrcore.metadata.named_configuration import parse_named_configuration
from zarrcore.typing import AnyArray

_START = struct.Struct(">HH")
_LENGTH = struct.Struct(">I")
_DEFAULT, _VARLENGTH, _OBJECT = range(3)
_MAX_LENGTH = 2**32 - 1


class N5DefaultCodec(ArrayToBytesCodec):
    """Mode, number of dimensions, lengths (big-endian), then elements with the first dimension varying fastest."""

    names: ClassVar[tuple[str, ...]] = ("n5_default",)

    def __init__(self, transpose: TransposeCodec, codecs: Sequence[NamedConfiguration]) -> None:
        self._transpose = transpose
        self._codecs = tuple(codecs)
        self._pipeline = lru_cache(maxsize=64)(self._make_pipeline)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "codecs")
        value = configuration.get("codecs")
        if not isinstance(value, list):
            raise MetadataError(f"expected an array, found {describe(value)}", member="codecs")
        named = [
            parse_named_configuration(item, f"codecs[{position}]") for position, item in enumerate(value)
        ]
        codecs = [make_codec(item, f"codecs[{position}]") for position, item in enumerate(named)]
        match codecs:
            case [TransposeCodec() as transpose, BytesCodec()]:
                return cls(transpose, named[1:])
            case [TransposeCodec() as transpose, BytesCodec(), BytesToBytesCodec()]:
                return cls(transpose, named[1:])
        raise MetadataError("expected transpose, bytes and at most one bytes → bytes codec", member="codecs")

    def _make_pipeline(self, spec: ArraySpec) -> Pipeline:
        """The part after the header of a block, with dimensions already reversed."""
        return Pipeline(self._codecs, spec, "codecs")

    def _check(self, spec: ArraySpec) -> None:
        ndim = len(spec.shape)
        if self._transpose.permutation(ndim) != tuple(reversed(range(ndim))):
            raise MetadataError("expected the order of all dimensions reversed", member="codecs[0]")
        if has_byte_order(spec.dtype) and self._codecs[0].configuration.get("endian") != "big":
            raise MetadataError("expected big-endian elements", member="codecs[1]")
        if any(length > _MAX_LENGTH for length in spec.shape):
            raise MetadataError(
                f"a block of shape {spec.shape} is too large for its header", member=self.name
            )

    def _reversed(self, spec: ArraySpec, shape: tuple[int, ...]) -> ArraySpec:
        return ArraySpec(shape[::-1], spec.dtype, spec.fill_value)

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        self._check(spec)
        header_nbytes = _START.size + 4 * len(spec.shape) + _LENGTH.size
        return header_nbytes + self._pipeline(self._reversed(spec, spec.shape)).max_encoded_nbytes

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        shape, start = self._parse_header(encoded, spec)
        if 0 in shape:
            return np.full(spec.shape, spec.fill_value, spec.dtype)
        body = memoryview(encoded)[start:]
        if shape == spec.shape:
            return self._pipeline(self._reversed(spec, shape)).decode(body).T
        chunk = np.full(spec.shape[::-1], spec.fill_value, spec.dtype)
        part = chunk[tuple(slice(length) for length in shape[::-1])]
        self._pipeline(self._reversed(spec, shape)).decode_into(body, part)
        return chunk.T

    def _parse_header(self, encoded: Buffer, spec: ArraySpec) -> tuple[tuple[int, ...], int]:
        """The block's shape, and the offset of the part after the header."""
        ndim = len(spec.shape)
        stop = _START.size + 4 * ndim
        if len(encoded) < _START.size:
            raise CodecError(f"{len(encoded)} bytes are fewer than a block's header has", codec=self.name)
        mode, found = _START.unpack_from(encoded)
        if mode == _OBJECT:
            raise UnsupportedError("block", "of mode 2 (object)")
        if mode not in (_DEFAULT, _VARLENGTH):
            raise CodecError(f"expected a block of mode 0, 1 or 2, found mode {mode}", codec=self.name)
        stop += _LENGTH.size * (mode == _VARLENGTH)
        if found != ndim:
            raise CodecError(f"expected a block of {ndim} dimensions, found {found}", codec=self.name)
        if len(encoded) < stop:
            raise CodecError(
                f"expected a header of {stop} bytes, found {len(encoded)} bytes in all", codec=self.name
            )
        shape = struct.unpack_from(f">{ndim}I", encoded, _START.size)
        if any(length > limit for length, limit in zip(shape, spec.shape, strict=True)):
            raise CodecError(
                f"expected a block of shape {spec.shape} at most, found {shape}", codec=self.name
            )
        if mode == _VARLENGTH:
            (size,) = _LENGTH.unpack_from(encoded, stop - _LENGTH.size)
            if size != math.prod(shape):
                why = f"is not supported with {size:,} elements in a shape of {math.prod(shape):,}"
                raise UnsupportedError("block", "of mode 1 (varlength)", why)
        return shape, stop

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        header = _START.pack(_DEFAULT, len(spec.shape)) + struct.pack(f">{len(spec.shape)}I", *spec.shape)
        return b"".join((header, self._pipeline(self._reversed(spec, spec.shape)).encode(decoded.T)))

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        order = {"order": list(reversed(range(len(spec.shape))))}
        inner = self._pipeline(self._reversed(spec, spec.shape)).completed()
        codecs = (NamedConfiguration("transpose", order), *inner)
        return {"codecs": [codec.document() for codec in codecs]}
