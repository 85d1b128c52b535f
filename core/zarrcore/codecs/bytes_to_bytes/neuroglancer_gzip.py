"""``neuroglancer.gzip``: a chunk that may be compressed by gzip.

An internal name, never written to a store. Writers of Neuroglancer's format compress objects and state it in the header
Content-Encoding, which is lost when objects are copied to files. No encoding begins like gzip, except ``raw``: chunks of the
expected size are not compressed, unless they decode to this size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Self

from zarrcore.codecs.bytes_to_bytes.gzip import GzipCodec
from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError

_MAGIC: Final = b"\x1f\x8b\x08"


class NeuroglancerGzipCodec(BytesToBytesCodec):
    """gzip, or nothing."""

    names: ClassVar[tuple[str, ...]] = ("neuroglancer.gzip",)

    def __init__(self) -> None:
        self._gzip = GzipCodec(GzipCodec.default_level)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration)
        return cls()

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        if bytes(encoded[:3]) != _MAGIC:
            return encoded
        if out is None or len(encoded) != len(out):
            return self._gzip.decode(encoded, max_nbytes)
        try:
            decoded = self._gzip.decode(encoded, max_nbytes)
        except CodecError:
            return encoded
        return decoded if len(decoded) == len(out) else encoded
