"""A chain of codecs, prepared for chunks of one shape and type.

Accepted specification, "Determination of encoded representations" and "Decoding procedure". Shapes, types and byte bounds of
every codec are computed once, so that decoding or encoding a chunk only makes the necessary calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zarrcore.codecs.array_to_bytes.bytes import BytesCodec
from zarrcore.codecs.empty import is_fill
from zarrcore.codecs.interface import (
    ArraySpec,
    ArrayToArrayCodec,
    ArrayToBytesCodec,
    Buffer,
    BytesToBytesCodec,
    Codec,
)
from zarrcore.codecs.region import Region, are_points
from zarrcore.codecs.registry import make_codec
from zarrcore.codecs.scratch import scratch_buffer
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type.small_numbers import clear_unused_bits, has_unused_bits
from zarrcore.typing import AnyArray

if TYPE_CHECKING:  # a shard has pipelines, and listing needs no engine
    from zarrcore.codecs.array_to_bytes.sharding_indexed import ShardingIndexedCodec
    from zarrcore.codecs.native_form import NativeForm

_SMALL_NBYTES = 64 << 10
"""Below this size, the cost of a call matters beside its work."""

_UNIFORM_COUNT = 16
"""Encoded chunks of a single value that are remembered: masks and labels have many of them."""


class Pipeline:
    """Decodes and encodes chunks of ``spec``.

    Attributes:
        spec: shape and type of a decoded chunk.
        encoded_nbytes: exact size of an encoded chunk, or None if it depends on the values.
        max_encoded_nbytes: the largest size of an encoded chunk.
        shard: the sharding codec if it is the only codec, so that inner chunks can be read by byte range; else None.

    Raises:
        MetadataError: the codecs are in an invalid order, or do not fit ``spec``.
        UnsupportedError: an unknown codec.
    """

    def __init__(self, codecs: Sequence[NamedConfiguration], spec: ArraySpec, member: str = "codecs") -> None:
        self.spec = spec
        self._array_to_array: list[tuple[ArrayToArrayCodec, ArraySpec]] = []
        to_bytes: ArrayToBytesCodec | None = None
        self._bytes_to_bytes: list[tuple[BytesToBytesCodec, int, bool]] = []
        self._chain: list[tuple[NamedConfiguration, Codec | None, ArraySpec]] = []
        encoded = spec
        for position, named in enumerate(codecs):
            codec = make_codec(named, f"{member}[{position}]")
            if isinstance(codec, BytesToBytesCodec):
                codec = codec.for_array(encoded)
            self._chain.append((named, codec, encoded))
            if isinstance(codec, ArrayToArrayCodec) and to_bytes is None:
                self._array_to_array.append((codec, encoded))
                encoded = codec.encoded_spec(encoded)
            elif isinstance(codec, ArrayToBytesCodec) and to_bytes is None:
                to_bytes = codec
                exact = codec.encoded_nbytes(encoded)
                bound = codec.max_encoded_nbytes(encoded)
            elif isinstance(codec, BytesToBytesCodec) and to_bytes is not None:
                self._bytes_to_bytes.append((codec, bound, exact is not None))
                bound = codec.max_encoded_nbytes(bound)
                exact = None if exact is None else codec.encoded_nbytes(exact)
            elif codec is not None:
                raise MetadataError(
                    "array → array codecs, one array → bytes codec, bytes → bytes codecs: "
                    f"{named.name!r} breaks this order",
                    member=f"{member}[{position}]",
                )
        if to_bytes is None:
            raise MetadataError("there is no array → bytes codec", member=member)
        self._uniform: dict[bytes, bytes] = {}
        self._encoded_spec = encoded
        self.encoded_nbytes = exact
        self.max_encoded_nbytes = bound
        codec = self._array_to_bytes = to_bytes
        self._verbatim = (
            isinstance(codec, BytesCodec) and not self._array_to_array and codec.is_plain(encoded)
        )
        self._clears_bits = self._verbatim and has_unused_bits(encoded.dtype)
        alone = not self._array_to_array and not self._bytes_to_bytes
        self.shard = cast("ShardingIndexedCodec", codec) if codec.makes_shards and alone else None

    def for_shape(self, shape: tuple[int, ...]) -> Pipeline:
        """The same codecs for chunks of another shape.

        Raises:
            MetadataError: they do not fit it.
        """
        spec = ArraySpec(shape, self.spec.dtype, self.spec.fill_value)
        return Pipeline([named for named, _, _ in self._chain], spec)

    def native_form(self) -> NativeForm | None:
        """How the engine decodes these chunks; None if it cannot."""
        from zarrcore.codecs.native_form import native_form

        return native_form(
            self.spec, self._array_to_array, self._array_to_bytes, self._encoded_spec, self._bytes_to_bytes
        )

    def span(self, region: Region) -> tuple[int, int] | None:
        """First byte and byte after the last, in an encoded chunk, of what `decode_into` needs for ``region``.

        None if codecs make that impossible, if the region has indices, or if it is scattered over most of the chunk. Steps
        are positive, and the region is not empty.
        """
        if not self._verbatim or self._bytes_to_bytes:
            return None
        first, last, count = 0, 0, 1
        for length, part in zip(self.spec.shape, region, strict=True):
            if not isinstance(part, slice):
                return None
            taken = range(*part.indices(length))
            first, last, count = first * length + taken[0], last * length + taken[-1], count * len(taken)
        itemsize, between = self.spec.dtype.itemsize, last + 1 - first
        if between > count and 2 * between * itemsize > self.spec.nbytes:
            return None
        return first * itemsize, (last + 1) * itemsize

    def stored_form(
        self, destination: AnyArray, region: Region | None, span: tuple[int, int] | None
    ) -> memoryview | None:
        """The memory of ``destination``, if it is to have exactly the encoded bytes of a chunk, or those of ``span``; else None.

        What is read to this memory is decoded by `complete`.

        Args:
            destination: an array of the shape of the region.
            region: the part of the chunk; None for all of it.
            span: the `span` of ``region``, or None.
        """
        nbytes = self.spec.nbytes if span is None else span[1] - span[0]
        if not self._verbatim or self._bytes_to_bytes or (region is not None and span is None):
            return None
        if not nbytes or destination.nbytes != nbytes or not destination.flags.c_contiguous:
            return None
        return destination.reshape(-1).view(np.uint8).data

    def complete(self, destination: AnyArray, nbytes: int) -> None:
        """Decode what was read to a `stored_form`.

        Raises:
            CodecError: there were not as many bytes as there should be.
        """
        if nbytes != destination.nbytes:
            raise CodecError(
                f"{destination.nbytes:,} bytes of a chunk of shape {self.spec.shape} of {self.spec.dtype} are wanted, "
                f"found {nbytes:,} of them"
            )
        self._clear_bits(destination)

    def _copy_span(self, encoded: Buffer, destination: AnyArray, region: tuple[Any, ...]) -> None:
        span = self.span(region) or (0, self.spec.nbytes)
        if len(encoded) != span[1] - span[0]:
            raise CodecError(
                f"a chunk of shape {self.spec.shape} of {self.spec.dtype} has bytes {span[0]:,} to {span[1]:,}, "
                f"found {len(encoded):,} of them"
            )
        strides = [self.spec.dtype.itemsize]
        for length in self.spec.shape[:0:-1]:
            strides.insert(0, strides[0] * length)
        steps = [stride * (part.step or 1) for stride, part in zip(strides, region, strict=True)]
        elements = np.ndarray(destination.shape, self.spec.dtype, memoryview(encoded), 0, steps)
        np.copyto(destination, elements)

    def decode(self, encoded: Buffer) -> AnyArray:
        """A decoded chunk: a new array, C-contiguous, little-endian, of shape ``spec.shape``.

        Raises:
            CodecError: the bytes do not decode to this chunk.
        """
        chunk = np.empty(self.spec.shape, self.spec.dtype)
        self.decode_into(encoded, chunk)
        return chunk

    def decode_into(
        self,
        encoded: Buffer,
        destination: AnyArray,
        region: Region | None = None,
        is_span: bool = False,
    ) -> None:
        """Decode a chunk, or ``region`` of it, into ``destination`` (of the region's shape, any strides).

        With ``is_span``, ``encoded`` holds only the `span` of ``region``.

        Raises:
            CodecError: the bytes do not decode to this chunk.
        """
        if is_span and region is not None:
            self._copy_span(encoded, destination, region)
            self._clear_bits(destination)
            return
        if region is None and self._verbatim and destination.flags.c_contiguous and destination.nbytes:
            target = destination.reshape(-1).view(np.uint8).data
            decoded = self._decode_bytes(encoded, target)
            if decoded is not target:
                self._check_nbytes(decoded)
                target[:] = decoded
            self._clear_bits(destination)
            return
        plain = self._verbatim and self.spec.dtype.subdtype is None
        if plain:
            into = scratch_buffer("decoded", self.spec.nbytes) if self._bytes_to_bytes else None
            decoded = self._decode_bytes(encoded, into, self._bounds(region))
            self._check_nbytes(decoded)
            chunk = np.ndarray(self.spec.shape, self.spec.dtype, decoded)
        else:
            chunk = self._decode_array(self._decode_bytes(encoded, None))
        # Without the ellipsis, an element of no dimensions would become a NumPy scalar, and a string lose zeros at its end.
        part: tuple[Any, ...] = (*(region or ()), ...)
        np.copyto(destination, chunk[part], casting="equiv")
        if plain:
            self._clear_bits(destination)

    def _clear_bits(self, copied: AnyArray) -> None:
        """Clear the unused bits of numbers of less than a byte, in elements that were copied unchanged."""
        if self._clears_bits:
            clear_unused_bits(copied)

    def encode(self, chunk: AnyArray, *, passing: bool = False) -> Buffer:
        """The encoded bytes of ``chunk``, of shape ``spec.shape`` and any strides; thread-safe.

        They may be in the memory of ``chunk`` itself: store them before it changes. With ``passing``, they may
        also be in memory that this thread's next call reuses.

        Raises:
            CodecError: another shape or type, or values that a codec cannot hold.
            UnsupportedError: a codec that only decodes.
        """
        self.check_known()
        array = self._conforming(chunk)
        value = _single_value(array) if self._bytes_to_bytes else None
        if value is not None and (known := self._uniform.get(value)) is not None:
            return known
        for array_codec, spec in self._array_to_array:
            array = array_codec.encode(array, spec)
        gathered: memoryview | None = None
        data: Buffer
        if (
            (passing or self._bytes_to_bytes)
            and self._verbatim
            and array.nbytes
            and array.dtype.subdtype is None
        ):
            data = gathered = _gather(array)
        else:
            data = self._array_to_bytes.encode(array, self._encoded_spec)
        for bytes_codec, _, _ in self._bytes_to_bytes:
            data = bytes_codec.encode(data)
        if value is not None and len(data) <= _SMALL_NBYTES:
            if len(self._uniform) >= _UNIFORM_COUNT:
                self._uniform.clear()
            data = self._uniform[value] = bytes(data)
        if gathered is None or passing or isinstance(data, bytes | bytearray):
            return data
        return bytes(data)  # a codec may return the memory that it was given

    def check_known(self) -> None:
        """Check that chunks can be written.

        Raises:
            UnsupportedError: there is an unknown codec, which only readers may ignore.
        """
        for named, codec, _ in self._chain:
            if codec is None:
                raise UnsupportedError(
                    "codec", named.name, "is unknown: chunks can be read without it, but not written"
                )

    def _conforming(self, chunk: AnyArray) -> AnyArray:
        dtype = self.spec.dtype
        if chunk.dtype != dtype:
            if not np.can_cast(chunk.dtype, dtype, "equiv"):
                raise CodecError(f"expected a chunk of {dtype}, found one of {chunk.dtype}")
            chunk = chunk.astype(dtype)
        shape = self.spec.shape if dtype.subdtype is None else self.spec.shape + dtype.shape
        if chunk.shape != shape:
            raise CodecError(f"expected a chunk of shape {shape}, found {chunk.shape}")
        return chunk

    def completed(self) -> tuple[NamedConfiguration, ...]:
        """The codecs with all parameters explicit; see `completed`.

        Raises:
            MetadataError: a parameter that can be read but must not be written.
            UnsupportedError: a codec that only decodes.
        """
        return tuple(_completed(*link) for link in self._chain)

    def _bounds(self, region: Region | None) -> tuple[int, int] | None:
        """First byte and byte after the last that a region needs of the decoded bytes of `spec`; None for all."""
        if region is None or not self.spec.shape:
            return None
        first, last = 0, 0
        if are_points(region):
            if not region[0].size:
                return None
            elements: AnyArray = np.asarray(np.ravel_multi_index(region, self.spec.shape))
            region, first, last = (), int(elements.min()), int(elements.max())
        for length, part in zip(self.spec.shape, region, strict=bool(region)):
            # Indices of one dimension ascend.
            taken = range(*part.indices(length)) if isinstance(part, slice) else part.reshape(-1)
            if not len(taken):
                return None
            first, last = first * length + int(taken[0]), last * length + int(taken[-1])
        return first * self.spec.dtype.itemsize, (last + 1) * self.spec.dtype.itemsize

    def _decode_bytes(
        self, encoded: Buffer, out: memoryview | None, needed: tuple[int, int] | None = None
    ) -> Buffer:
        data = encoded
        for position in range(len(self._bytes_to_bytes) - 1, -1, -1):
            codec, max_nbytes, exact = self._bytes_to_bytes[position]
            if (
                position == 0
                and needed is not None
                and out is not None
                and codec.decode_part(data, *needed, out)
            ):
                return out
            data = codec.decode(data, max_nbytes, out if position == 0 and exact else None)
        return data

    def _check_nbytes(self, decoded: Buffer) -> None:
        if len(decoded) != self.spec.nbytes:
            raise CodecError(
                f"a chunk of shape {self.spec.shape} of {self.spec.dtype} has {self.spec.nbytes:,} bytes, "
                f"found {len(decoded):,}"
            )

    def _decode_array(self, decoded: Buffer) -> AnyArray:
        chunk = self._array_to_bytes.decode(decoded, self._encoded_spec)
        for codec, spec in reversed(self._array_to_array):
            chunk = codec.decode(chunk, spec)
        return chunk


def completed(codecs: Sequence[NamedConfiguration], spec: ArraySpec) -> tuple[NamedConfiguration, ...]:
    """The same codecs by their usual names, with all parameters explicit, as strict readers demand.

    Raises:
        MetadataError: they are in an invalid order, do not fit ``spec``, or a parameter must not be written.
        UnsupportedError: a codec that is unknown or only decodes.

    >>> spec = ArraySpec((8,), np.dtype("<f4"), np.zeros((), "<f4"))
    >>> completed([NamedConfiguration("bytes"), NamedConfiguration("numcodecs.zstd", {"level": 3})], spec)[1].document()
    {'name': 'zstd', 'configuration': {'level': 3, 'checksum': False}}
    """
    return Pipeline(codecs, spec).completed()


def _completed(named: NamedConfiguration, codec: Codec | None, spec: ArraySpec) -> NamedConfiguration:
    if codec is None or not codec.can_encode:
        raise UnsupportedError(
            "codec", named.name, "cannot be written" if codec is None else "can be read but not written"
        )
    configuration = codec.configuration(spec)
    if configuration is None:
        return named
    return replace(named, name=codec.name, configuration=configuration)


def _single_value(array: AnyArray) -> bytes | None:
    """The element that all elements are equal to, bit for bit; None if there are several, or finding out would cost much."""
    if array.size < 2 or array.dtype.kind in "TOUV":  # strings may hold invalid code points
        return None
    if array.dtype.kind in "mM":
        array = array.view(f"{array.dtype.byteorder}i8")  # as datetime objects, not all times can be compared
    first = array.item(0)
    if array.item(array.size // 2) != first or array.item(array.size - 1) != first:
        return None  # as in most chunks
    element = array[(slice(1),) * array.ndim].reshape(())
    return element.tobytes() if is_fill(array, element) else None


def _gather(array: AnyArray) -> memoryview:
    """The elements one after another, in their own memory if they are contiguous there, else in this thread's."""
    if not array.flags.c_contiguous:
        buffer = scratch_buffer("gathered", array.nbytes)
        gathered: AnyArray = np.ndarray(array.shape, array.dtype, buffer)
        np.copyto(gathered, array)
        array = gathered
    return array.reshape(-1).view(np.uint8).data
