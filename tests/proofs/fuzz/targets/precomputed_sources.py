"""Broken volumes of Neuroglancer as sources: an error of zarrscope with one line, or nodes and values.

An input is a line with the name of what is broken, and its bytes: ``info``, a shard, a chunk of compressed labels, or an image.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from typing import Any

import imagecodecs
import numpy as np

from tests.proofs.fuzz.sources import check_source
from zarrcore.stores import MemoryStore
from zarrcore.stores.precomputed.store import PrecomputedStore

WORDS = (
    "neuroglancer_multiscale_volume",
    "neuroglancer_uint64_sharded_v1",
    "compressed_segmentation",
    "murmurhash3_x86_128",
    "identity",
    "voxel_offset",
    "chunk_sizes",
    "../",
)
_CHUNK = "s/0-8_0-8_0-8"
_SHARD = "s/0.shard"
_ENCODERS = {
    b"jpeg": imagecodecs.jpeg8_encode,
    b"png": imagecodecs.png_encode,
    b"jxl": imagecodecs.jpegxl_encode,
}
_SHARDING = {
    "@type": "neuroglancer_uint64_sharded_v1",
    "hash": "identity",
    "preshift_bits": 0,
    "minishard_bits": 0,
    "shard_bits": 1,
    "minishard_index_encoding": "gzip",
    "data_encoding": "raw",
}


def info(**members: Any) -> bytes:
    """The document of a volume of one scale."""
    scale = {
        "key": "s",
        "size": [8, 8, 9],
        "chunk_sizes": [[8, 8, 8]],
        "resolution": [1, 1, 1],
        "encoding": "compressed_segmentation",
        "compressed_segmentation_block_size": [8, 4, 4],
    }
    volume = {
        "type": "segmentation",
        "data_type": "uint64",
        "num_channels": 1,
        "scales": [{**scale, **members}],
    }
    return json.dumps(volume).encode()


def image_info(encoding: str) -> bytes:
    """The document of a volume whose chunks are images."""
    told: dict[str, Any] = json.loads(info(encoding=encoding))
    return json.dumps({**told, "type": "image", "data_type": "uint8"}).encode()


def chunk() -> bytes:
    """A chunk with blocks of several widths."""
    words = [1]
    for width in (0, 1, 2, 4):
        words += [width << 24 | 8, 24]
    return np.array(words + [7, 0] * 80, "<u4").tobytes()


def shard() -> bytes:
    """A shard with one chunk."""
    index = gzip.compress(np.array([0, 0, len(chunk())], "<u8").tobytes(), mtime=0)
    places = np.array([len(chunk()), len(chunk()) + len(index)], "<u8").tobytes()
    return places + chunk() + index


def check(data: bytes) -> None:
    """All nodes open and small arrays are read, or an error says why not."""
    name, _, value = data.partition(b"\n")
    values = {"info": info(), _CHUNK: chunk(), "s/0-8_0-8_8-9": chunk(), _SHARD: shard()}
    if name == b"info":
        values["info"] = value
    elif name == b"shard":
        values |= {"info": info(sharding=_SHARDING), _SHARD: value}
    elif name in _ENCODERS:
        values |= {"info": image_info(name.decode()), _CHUNK: value}
    else:
        values[_CHUNK] = value
    store = PrecomputedStore(MemoryStore("", values))
    check_source(store)


def examples() -> Iterable[bytes]:
    """Each of the kinds."""
    yield b"info\n" + info()
    yield b"info\n" + info(sharding=_SHARDING)
    yield b"info\n" + info(encoding="raw", voxel_offset=[3, -2, 1])
    yield b"shard\n" + shard()
    yield b"chunk\n" + chunk()
    image = np.arange(8 * 64, dtype="u1").reshape(64, 8)
    for encoding, encode in _ENCODERS.items():
        yield encoding + b"\n" + bytes(encode(image))
