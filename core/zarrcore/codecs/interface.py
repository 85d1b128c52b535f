"""The three kinds of codecs.

Accepted specification, "Chunk encoding", "Codecs". A codec object is immutable and thread-safe: each call gets
the ``decoded_representation_type`` of the specification.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.errors import UnsupportedError
from zarrcore.metadata import Element
from zarrcore.metadata.fill_value import zero
from zarrcore.stores.interface import BytesLike
from zarrcore.typing import AnyArray

Buffer = BytesLike | bytearray
"""Bytes between two codecs."""

NativeCodecs = Sequence[tuple[str, Mapping[str, int | bytes]]]
"""The engine's names of codecs of bytes, and their parameters as members of `NativeCodec`. See `zarrcore.native`."""


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """The decoded representation of a codec: a multi-dimensional array of some shape and data type."""

    shape: tuple[int, ...]
    """Elements per dimension."""
    dtype: np.dtype[Any]
    """Type of the elements; array → array codecs may yield big-endian ones."""
    fill_value: Element = field(compare=False)
    """The value of missing inner chunks."""

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    def with_dtype(self, dtype: np.dtype[Any]) -> ArraySpec:
        """The same shape with another type, whose fill value is zero."""
        return ArraySpec(self.shape, dtype, zero(dtype))


class Codec(ABC):
    """The common part of all codecs."""

    names: ClassVar[tuple[str, ...]]
    """The identifiers that documents use, the usual one first."""

    @classmethod
    @abstractmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        """The codec as a document configures it.

        Raises:
            MetadataError: a parameter that the codec's specification does not allow.
            UnsupportedError: an unknown parameter.
        """

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def can_encode(self) -> bool:
        """Whether the codec also encodes: codecs of other packages may only decode."""
        return any("encode" in vars(kind) for kind in type(self).__mro__ if kind.__module__ != __name__)

    def configuration(self, spec: ArraySpec) -> dict[str, Any] | None:
        """All parameters for `name`, explicit, as strict readers demand; None: those of the document.

        Args:
            spec: the decoded array; for a bytes → bytes codec, the array whose bytes it is given.

        Raises:
            MetadataError: a parameter that can be read but must not be written.
            UnsupportedError: a form of a parameter that zarrcore does not write.
        """
        return None

    def _not_written(self) -> UnsupportedError:
        return UnsupportedError("codec", self.name, "can be read but not written")


class ArrayToArrayCodec(Codec):
    """array → array."""

    @abstractmethod
    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        """``compute_encoded_representation_type``: shape and type of the input of `decode`.

        Raises:
            MetadataError: this codec cannot encode such an array.
        """

    @abstractmethod
    def decode(self, encoded: AnyArray, spec: ArraySpec) -> AnyArray:
        """The array of shape and type ``spec``; may be a view of ``encoded``.

        Raises:
            CodecError: ``encoded`` holds values that an encoder never writes.
        """

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> AnyArray:
        """The array of `encoded_spec`; may be a view of ``decoded``, which has shape and type of ``spec``.

        Raises:
            CodecError: the encoded type cannot hold a value.
            UnsupportedError: this codec only decodes.
        """
        raise self._not_written()


class ArrayToBytesCodec(Codec):
    """array → bytes."""

    makes_shards: ClassVar[bool] = False
    """Whether this is `ShardingIndexedCodec`, whose inner chunks can be read by byte range."""

    def encoded_nbytes(self, spec: ArraySpec) -> int | None:
        """Exact number of encoded bytes, or None if it depends on the values."""
        return None

    @abstractmethod
    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        """The most encoded bytes; more are refused before they are decompressed."""

    @abstractmethod
    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        """The array of shape ``spec.shape``, in any byte order; may be a view of ``encoded``.

        Raises:
            CodecError: the bytes do not decode to this array.
        """

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        """The bytes of ``decoded`` (of shape ``spec.shape``, any strides); may share its memory.

        Raises:
            CodecError: the array cannot be encoded.
            UnsupportedError: this codec only decodes.
        """
        raise self._not_written()

    def native_chain(self, spec: ArraySpec) -> tuple[ArrayToBytesCodec, NativeCodecs] | None:
        """What the engine decodes instead of this codec: one of elements that it knows, then codecs of bytes.

        The engine may fail where this codec does not, but must not return other elements. None if there is nothing of the kind.
        """
        return None


class BytesToBytesCodec(Codec):
    """bytes → bytes."""

    is_checksum: ClassVar[bool] = False
    """Whether it only adds a checksum, so that decoding is fast and finds any change."""

    native: ClassVar[str] = ""
    """The engine's name of exactly this class; empty if it has no such codec. See `zarrcore.native`."""

    def for_array(self, spec: ArraySpec) -> Self:
        """This codec prepared for the bytes of an array, if its parameters follow from the elements' type."""
        return self

    def encoded_nbytes(self, decoded_nbytes: int) -> int | None:
        """Exact number of encoded bytes, or None if it depends on the values."""
        return None

    def max_encoded_nbytes(self, decoded_nbytes: int) -> int:
        """An upper bound of the encoded size of any compressor."""
        exact = self.encoded_nbytes(decoded_nbytes)
        return exact if exact is not None else decoded_nbytes + decoded_nbytes // 8 + 4096

    def native_parameters(self) -> dict[str, int | bytes]:
        """The parameters as members of `NativeCodec`."""
        return {}

    @abstractmethod
    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        """The decoded bytes, at most ``max_nbytes`` of them: a decompression bomb is refused.

        If ``out`` is given, the decoded size is known to be ``len(out)``. A codec that can decode into it returns
        it; others return their own buffer.

        Raises:
            CodecError: the bytes do not decode, or to more than ``max_nbytes``.
        """

    def decode_part(self, encoded: Buffer, start: int, stop: int, out: memoryview) -> bool:
        """Decode at least the bytes from ``start`` to ``stop`` to their places in ``out``, the memory of all decoded bytes.

        Returns False, having written anything or nothing, if that is not faster than `decode`. Damage in the rest may go unseen.

        Raises:
            CodecError: the bytes do not decode, or not to the size of ``out``.
        """
        return False

    def encode(self, decoded: Buffer) -> Buffer:
        """The encoded bytes, in new memory or in that of ``decoded``.

        Raises:
            CodecError: the bytes cannot be encoded, for instance because there are too many.
            UnsupportedError: this codec only decodes.
        """
        raise self._not_written()
