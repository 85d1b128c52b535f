"""Codecs: how a chunk becomes bytes and bytes become a chunk."""

from zarrcore.codecs.interface import (
    ArraySpec,
    ArrayToArrayCodec,
    ArrayToBytesCodec,
    BytesToBytesCodec,
    Codec,
)
from zarrcore.codecs.pipeline import Pipeline

__all__ = ["ArraySpec", "ArrayToArrayCodec", "ArrayToBytesCodec", "BytesToBytesCodec", "Codec", "Pipeline"]
