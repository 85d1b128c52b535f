"""Pipelines of shards for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.metadata import NamedConfiguration

PLAIN = [{"name": "bytes", "configuration": {"endian": "little"}}]


def sharding(chunk_shape: list[int], codecs: Any = ("bytes",), **parameters: Any) -> NamedConfiguration:
    return NamedConfiguration(
        "sharding_indexed",
        {"chunk_shape": chunk_shape, "codecs": list(codecs), "index_codecs": PLAIN, **parameters},
    )


def pipeline(shape: tuple[int, ...], fill: Any, *codecs: NamedConfiguration) -> Pipeline:
    element = np.asarray(fill)
    return Pipeline(codecs, ArraySpec(shape, element.dtype, element))


def index_of(shard: bytes, chunks: int) -> list[list[int]]:
    return np.frombuffer(shard[-16 * chunks :], "<u8").reshape(chunks, 2).tolist()
