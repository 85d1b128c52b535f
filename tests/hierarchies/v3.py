"""Features of Zarr v3 only: core data types, codecs, shards, chunk key encodings."""

from __future__ import annotations

import numpy as np
from zarr.codecs import (
    BloscCodec,
    BytesCodec,
    Crc32cCodec,
    GzipCodec,
    ShardingCodec,
    TransposeCodec,
    ZstdCodec,
)

from tests.hierarchies.values import ramp, values
from tests.hierarchies.writer import CORE_TYPES, SHAPE, HierarchyWriter


def write_types(h: HierarchyWriter) -> None:
    for dtype in CORE_TYPES:
        h.add(f"types/{dtype}", values(dtype, SHAPE))
        h.add(f"types/big-{dtype}", values(dtype, SHAPE), serializer=BytesCodec(endian="big"))
    for nbytes in (1, 3, 8):
        document = {"data_type": f"r{8 * nbytes}", "fill_value": list(range(nbytes))}
        fill = np.void(bytes(range(nbytes)))
        corner = [(slice(0, 3), slice(4, 8))]
        h.add(
            f"types/r{8 * nbytes}", values(f"V{nbytes}", SHAPE), stored=corner, document=document, fill=fill
        )


def write_spellings(h: HierarchyWriter) -> None:
    """Equivalent forms of a metadata document."""
    data = values("u2", SHAPE)
    h.add("spellings/type-as-object", data, document={"data_type": {"name": "uint16"}})
    h.add(
        "spellings/type-with-empty-configuration",
        data,
        document={"data_type": {"name": "uint16", "configuration": {}}},
    )
    codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, "crc32c"]
    h.add("spellings/codec-as-name", data, compressors=[Crc32cCodec()], document={"codecs": codecs})
    h.add(
        "spellings/one-byte-without-endian",
        values("u1", SHAPE),
        compressors=[],
        document={"codecs": ["bytes"]},
    )
    h.add("spellings/no-optional-members", data, document={"attributes": ..., "storage_transformers": ...})
    ignored = {"name": "unknown", "must_understand": False}
    h.add("spellings/unknown-member-to-ignore", data, document={"an-extension": ignored})
    h.add(
        "spellings/fill-in-hexadecimal",
        np.zeros(SHAPE, "f4"),
        stored=[],
        document={"fill_value": "0x3fc00000"},
        fill=1.5,
    )


def write_codecs(h: HierarchyWriter) -> None:
    data, shape, chunks = ramp("i4", (20, 30)), (20, 30), (8, 16)
    for name, compressors in {
        "none": [],
        "gzip": [GzipCodec(level=5)],
        "gzip-0": [GzipCodec(level=0)],
        "zstd": [ZstdCodec(level=3)],
        "zstd-checksum": [ZstdCodec(level=-1, checksum=True)],
        "crc32c": [Crc32cCodec()],
        "zstd-crc32c": [ZstdCodec(), Crc32cCodec()],
        "crc32c-gzip": [Crc32cCodec(), GzipCodec()],
        "gzip-zstd": [GzipCodec(), ZstdCodec()],
    }.items():
        h.add(f"codecs/{name}", data, chunks=chunks, compressors=compressors)
    for cname in ("blosclz", "lz4", "lz4hc", "zlib", "zstd"):
        for shuffle in ("noshuffle", "shuffle", "bitshuffle"):
            blosc = BloscCodec(cname=cname, clevel=5, shuffle=shuffle, typesize=4)
            h.add(f"codecs/blosc-{cname}-{shuffle}", data, chunks=chunks, compressors=[blosc])
    incompressible = BloscCodec(cname="lz4", clevel=1, shuffle="shuffle", typesize=8)
    h.add("codecs/blosc-incompressible", values("f8", shape), chunks=chunks, compressors=[incompressible])
    h.add("codecs/transpose", data, chunks=chunks, filters=[TransposeCodec(order=(1, 0))])
    cube, three = values("u2", (6, 5, 8)), (4, 3, 5)
    for order in ((2, 0, 1), (0, 2, 1), (2, 1, 0), (0, 1, 2)):
        name = "codecs/transpose-" + "".join(map(str, order))
        h.add(name, cube, chunks=three, filters=[TransposeCodec(order=order)])
    twice = [TransposeCodec(order=(1, 2, 0)), TransposeCodec(order=(2, 1, 0))]
    h.add("codecs/transpose-twice", cube, chunks=three, filters=twice, serializer=BytesCodec(endian="big"))


def write_shards(h: HierarchyWriter) -> None:
    data, shards = ramp("i4", (20, 30)), (12, 16)
    plain, zstd = (BytesCodec(),), (BytesCodec(), ZstdCodec())
    transposed = (TransposeCodec(order=(1, 0)), BytesCodec(endian="big"), GzipCodec(), Crc32cCodec())
    inner = ShardingCodec(chunk_shape=(3, 2), codecs=zstd, index_location="start")
    one = (slice(12, 20), slice(0, 16))
    for name, codec, more in (
        ("end", ShardingCodec(chunk_shape=(4, 4), codecs=zstd, index_location="end"), {}),
        ("start", ShardingCodec(chunk_shape=(4, 4), codecs=zstd, index_location="start"), {}),
        ("plain", ShardingCodec(chunk_shape=(6, 8), codecs=plain), {}),
        ("transposed", ShardingCodec(chunk_shape=(6, 8), codecs=transposed), {}),
        ("no-index-checksum", ShardingCodec(chunk_shape=(4, 4), codecs=zstd, index_codecs=plain), {}),
        ("big-endian-index", ShardingCodec(chunk_shape=(4, 4), index_codecs=[BytesCodec(endian="big")]), {}),
        ("one-chunk", ShardingCodec(chunk_shape=shards, codecs=zstd), {}),
        ("nested", ShardingCodec(chunk_shape=(6, 8), codecs=[inner]), {}),
        (
            "nested-transposed",
            ShardingCodec(chunk_shape=(6, 8), codecs=[TransposeCodec(order=(1, 0)), _sideways()]),
            {},
        ),
        (
            "missing-shards",
            ShardingCodec(chunk_shape=(4, 4), codecs=zstd),
            {"stored": [one], "fill_value": 9},
        ),
        ("compressed-whole", ShardingCodec(chunk_shape=(4, 4)), {"compressors": [GzipCodec()]}),
    ):
        more = {"compressors": [], **more}
        h.add(f"shards/{name}", data, chunks=shards, serializer=codec, **more)
    parts = [(slice(0, 4), slice(4, 12)), (slice(16, 20), slice(28, 30))]
    for location in ("start", "end"):
        codec = ShardingCodec(chunk_shape=(4, 4), codecs=zstd, index_location=location)
        options = {"chunks": shards, "serializer": codec, "compressors": [], "fill_value": -3}
        h.add(f"shards/missing-chunks-{location}", data, stored=parts, **options)


def _sideways() -> ShardingCodec:
    """Shards of chunks that a codec has transposed before."""
    return ShardingCodec(chunk_shape=(4, 3), codecs=(BytesCodec(), ZstdCodec()))


def write_keys(h: HierarchyWriter) -> None:
    data = values("i2", SHAPE)
    for encoding in ("default", "v2"):
        for name, separator in {"slash": "/", "dot": "."}.items():
            options = {"chunk_key_encoding": {"name": encoding, "separator": separator}}
            h.add(f"keys/{encoding}-{name}", data, **options)
            h.add(f"keys/{encoding}-{name}-scalar", np.asarray(np.int32(42)), chunks=(), **options)
