"""Volumes that tensorstore writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tensorstore

from zarrcore.typing import AnyArray

SHARDING = {
    "@type": "neuroglancer_uint64_sharded_v1",
    "hash": "murmurhash3_x86_128",
    "preshift_bits": 0,
    "minishard_bits": 1,
    "shard_bits": 2,
    "minishard_index_encoding": "gzip",
    "data_encoding": "gzip",
}


def write_scale(
    path: Path,
    values: AnyArray,
    encoding: str = "raw",
    *,
    chunk: tuple[int, int, int] = (8, 8, 8),
    key: str = "8_8_8",
    resolution: tuple[float, ...] = (8, 8, 8),
    **members: Any,
) -> AnyArray:
    """Write a scale of a volume, and read it again with tensorstore.

    Args:
        path: the folder of ``info``.
        values: of the dimensions c, z, y, x; chunks of zeros are not written.
        encoding: the encoding of chunks.
        chunk: the shape of chunks, as x, y, z.
        key: the key of the scale.
        resolution: of x, y, z.
        members: further members of the scale.
    """
    channels, *lengths = values.shape
    if encoding == "compressed_segmentation":
        members.setdefault("compressed_segmentation_block_size", [8, 8, 8])
    scale = {"key": key, "size": lengths[::-1], "resolution": list(resolution), "encoding": encoding}
    array = tensorstore.open(
        {
            "driver": "neuroglancer_precomputed",
            "kvstore": {"driver": "file", "path": str(path)},
            "multiscale_metadata": {
                "type": "segmentation" if encoding == "compressed_segmentation" else "image",
                "data_type": str(values.dtype),
                "num_channels": channels,
            },
            "scale_metadata": {**scale, "chunk_size": list(chunk), **members},
            "create": True,
        }
    ).result()
    array[...] = values.transpose(3, 2, 1, 0)
    read: AnyArray = array.read().result().transpose(3, 2, 1, 0)
    return read


def random_values(shape: tuple[int, int, int, int], dtype: str, seed: int = 0, most: int = 100) -> AnyArray:
    """Values of which half are zero."""
    random = np.random.default_rng(seed)
    values = random.integers(1, most, shape).astype(dtype)
    values[:, : shape[1] // 2] = 0
    return values
