"""zarr-python and tensorstore decode what our pipeline encodes, given the codecs as `completed` spells them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorstore
import zarr

from zarrcore.codecs import ArraySpec, Pipeline, completed, is_fill
from zarrcore.metadata import NamedConfiguration

CHUNK_SHAPE = (8, 12)
SHAPE = (12, 20)
VALUES = (np.arange(240).reshape(SHAPE) % 37 - 5).astype("<i4")
VALUES[:8, 4:8] = 7
FILL = np.array(7, "<i4")
CRC_INDEX = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]


def sharded(
    *codecs: Any, chunk_shape: tuple[int, ...] = (4, 4), **parameters: Any
) -> tuple[str, dict[str, Any]]:
    configuration = {"chunk_shape": list(chunk_shape), "codecs": list(codecs), **parameters}
    return "sharding_indexed", configuration


def named(codec: Any) -> NamedConfiguration:
    return NamedConfiguration(codec) if isinstance(codec, str) else NamedConfiguration(*codec)


def document(codec: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return named(codec).document()


CHAINS: dict[str, list[Any]] = {
    "little": [("bytes", {"endian": "little"})],
    "big": [("bytes", {"endian": "big"})],
    "gzip": ["bytes", ("gzip", {"level": 9})],
    "gzip, stored": ["bytes", ("gzip", {"level": 0})],
    "zstd": ["bytes", "zstd"],
    "zstd with checksum": ["bytes", ("zstd", {"level": 7, "checksum": True})],
    "crc32c": ["bytes", "crc32c"],
    "zstd, crc32c": ["bytes", "zstd", "crc32c"],
    "transpose": [("transpose", {"order": [1, 0]}), "bytes"],
    "transpose F, big": [("transpose", {"order": "F"}), ("bytes", {"endian": "big"}), "zstd"],
    **{
        f"blosc {cname} {shuffle}": ["bytes", ("blosc", {"cname": cname, "clevel": 5, "shuffle": shuffle})]
        for cname in ("lz4", "lz4hc", "blosclz", "zlib", "zstd")
        for shuffle in ("noshuffle", "shuffle", "bitshuffle")
    },
    "numcodecs.blosc": [
        "bytes",
        ("numcodecs.blosc", {"cname": "lz4", "clevel": 1, "shuffle": 1, "blocksize": 64}),
    ],
    "shard": [sharded("bytes")],
    "shard, index at the start": [sharded("bytes", "zstd", index_location="start")],
    "shard, plain index": [sharded("bytes", "gzip", index_codecs=CRC_INDEX[:1], index_location="end")],
    "shard, transpose within": [
        sharded(
            {"name": "transpose", "configuration": {"order": [1, 0]}}, "bytes", "blosc", chunk_shape=(4, 6)
        )
    ],
    "shard, transpose outside": [("transpose", {"order": [1, 0]}), sharded("bytes", chunk_shape=(4, 4))],
    "shard in shard": [sharded(document(sharded("bytes", "zstd", chunk_shape=(2, 4))), chunk_shape=(4, 4))],
    "shard in shard, indices at the start": [
        sharded(
            document(sharded("bytes", chunk_shape=(2, 1), index_location="start")),
            chunk_shape=(8, 4),
            index_location="start",
        )
    ],
}


def write(folder: Path, codecs: list[Any]) -> list[str]:
    """An array of two chunks by two in ``folder``, its chunks as our pipeline encodes them; their names."""
    spec = ArraySpec(CHUNK_SHAPE, VALUES.dtype, FILL)
    done = completed([named(codec) for codec in codecs], spec)
    metadata = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(SHAPE),
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(CHUNK_SHAPE)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": FILL.item(),
        "codecs": [codec.document() for codec in done],
    }
    (folder / "zarr.json").write_text(json.dumps(metadata))
    pipeline, names = Pipeline(done, spec), []
    for i, j in np.ndindex(2, 2):
        chunk = np.full(CHUNK_SHAPE, FILL)
        part = VALUES[8 * i : 8 * i + 8, 12 * j : 12 * j + 12]
        chunk[: part.shape[0], : part.shape[1]] = part
        assert not is_fill(chunk, FILL)
        path = folder / "c" / str(i) / str(j)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pipeline.encode(chunk))
        names.append(str(path))
    return names


@pytest.mark.filterwarnings("ignore:Combining a `sharding_indexed` codec:zarr.errors.ZarrUserWarning")
@pytest.mark.parametrize("codecs", CHAINS.values(), ids=CHAINS)
def test_other_readers_decode_our_chunks(codecs: list[Any], tmp_path: Path) -> None:
    write(tmp_path, codecs)
    opened = tensorstore.open(
        {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{tmp_path}/"}}, read=True
    ).result()
    assert np.array_equal(opened.read().result(), VALUES), "tensorstore"
    assert np.array_equal(zarr.open_array(str(tmp_path), mode="r")[...], VALUES), "zarr-python"
