"""The ``conditional`` codec: other codecs, each of which was applied to a chunk or not.

Specification: the zarr-extensions registry, "conditional". A bit field before the data says which codecs were applied; the first
codec has the lowest bit. The writer chooses. This one applies a compressor if it makes the data smaller, and codecs that do
not compress (a shuffle, a checksum) always.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, ClassVar, Self

from zarrcore.codecs.interface import ArraySpec, Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import codecs, integer, known
from zarrcore.codecs.registry import make_codec
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration

_MAX_CODECS = 64


class ConditionalCodec(BytesToBytesCodec):
    """The applied codecs as a bit field, then the encoded data."""

    names: ClassVar[tuple[str, ...]] = ("conditional",)

    def __init__(
        self,
        codecs: Sequence[BytesToBytesCodec],
        named: Sequence[NamedConfiguration],
        header_nbytes: int,
    ) -> None:
        self._codecs = tuple(codecs)
        self._named = tuple(named)
        self._header_nbytes = header_nbytes

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "codecs", "header_bits")
        named = codecs(configuration, "codecs")
        if len(named) > _MAX_CODECS:
            raise MetadataError(f"expected at most {_MAX_CODECS}, found {len(named)}", member="codecs")
        least = -(-len(named) // 8) * 8
        bits = integer(configuration, "header_bits", least, minimum=least, maximum=1 << 16)
        if bits % 8:
            raise MetadataError(f"expected a multiple of 8, found {bits}", member="header_bits")
        return cls([*map(_on_bytes, named, count())], named, bits // 8)

    def for_array(self, spec: ArraySpec) -> Self:
        return type(self)([codec.for_array(spec) for codec in self._codecs], self._named, self._header_nbytes)

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        told = []
        for codec, named in zip(self._codecs, self._named, strict=True):
            if not codec.can_encode:
                raise UnsupportedError("codec", named.name, "can be read but not written")
            parameters = codec.configuration(spec)
            spelled = named if parameters is None else NamedConfiguration(codec.name, parameters)
            told.append(spelled.document())
        return {"codecs": told, "header_bits": 8 * self._header_nbytes}

    def _bounds(self, decoded_nbytes: int) -> Iterator[int]:
        """The most bytes that go into each codec and come out of the last."""
        yield decoded_nbytes
        for codec in self._codecs:
            decoded_nbytes = max(decoded_nbytes, codec.max_encoded_nbytes(decoded_nbytes))
            yield decoded_nbytes

    def max_encoded_nbytes(self, decoded_nbytes: int) -> int:
        return self._header_nbytes + [*self._bounds(decoded_nbytes)][-1]

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        if len(encoded) < self._header_nbytes:
            raise CodecError(
                f"expected at least {self._header_nbytes} bytes, found {len(encoded)}", codec=self.name
            )
        view = memoryview(encoded)
        applied = int.from_bytes(view[: self._header_nbytes], "little")
        if applied >> len(self._codecs):
            raise CodecError(
                f"bits {applied:#x} stand for more than the {len(self._codecs)} codecs of the document",
                codec=self.name,
            )
        data: Buffer = view[self._header_nbytes :]
        bounds = [*self._bounds(max_nbytes)]
        for position in reversed(range(len(self._codecs))):
            if applied >> position & 1:
                data = self._codecs[position].decode(data, bounds[position])
        if len(data) > max_nbytes:
            raise CodecError(f"expected at most {max_nbytes:,} bytes, found {len(data):,}", codec=self.name)
        return data

    def encode(self, decoded: Buffer) -> Buffer:
        data, applied = decoded, 0
        for position, codec in enumerate(self._codecs):
            encoded = codec.encode(data)
            if codec.encoded_nbytes(len(data)) is not None or len(encoded) < len(data):
                data, applied = encoded, applied | 1 << position
        return b"".join((applied.to_bytes(self._header_nbytes, "little"), data))


def _on_bytes(named: NamedConfiguration, position: int) -> BytesToBytesCodec:
    codec = make_codec(named, f"codecs[{position}]")
    if codec is None:
        raise UnsupportedError("codec", named.name)
    if not isinstance(codec, BytesToBytesCodec):
        raise MetadataError(
            f"expected a bytes → bytes codec, found {named.name!r}", member=f"codecs[{position}]"
        )
    return codec
