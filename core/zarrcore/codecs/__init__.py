"""Codecs: how a chunk becomes bytes and bytes become a chunk."""

from zarrcore.codecs.empty import is_fill
from zarrcore.codecs.interface import (
    ArraySpec,
    ArrayToArrayCodec,
    ArrayToBytesCodec,
    BytesToBytesCodec,
    Codec,
)
from zarrcore.codecs.pipeline import Pipeline, completed

__all__ = [
    "ArraySpec",
    "ArrayToArrayCodec",
    "ArrayToBytesCodec",
    "BytesToBytesCodec",
    "Codec",
    "Pipeline",
    "completed",
    "is_fill",
]
