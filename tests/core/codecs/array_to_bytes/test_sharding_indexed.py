"""Shards whose index lies, and the spellings of before July 2023."""

import struct

import google_crc32c
import numpy as np
import pytest

import zarrcore
from zarrcore.errors import ChecksumError, CodecError
from zarrcore.metadata.json_document import format_json
from zarrcore.stores import MemoryStore

MISSING = (2**64 - 1, 2**64 - 1)
INNER = [np.arange(4, dtype="<u2") + 10 * i for i in range(4)]


def hierarchy(shard: bytes, **configuration: object) -> zarrcore.Hierarchy:
    store = MemoryStore()
    sharding = {
        "chunk_shape": [4],
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        **configuration,
    }
    store.set(
        "zarr.json",
        format_json(
            {
                "zarr_format": 3,
                "node_type": "array",
                "shape": [16],
                "data_type": "uint16",
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [16]}},
                "fill_value": 7,
                "codecs": [{"name": "sharding_indexed", "configuration": sharding}],
            }
        ),
    )
    store.set("c/0", shard)
    return zarrcore.open_hierarchy(store)


def index(*entries: tuple[int, int]) -> bytes:
    return b"".join(struct.pack("<QQ", *entry) for entry in entries)


def with_crc(data: bytes) -> bytes:
    return data + google_crc32c.value(data).to_bytes(4, "little")


BODY = b"".join(chunk.tobytes() for chunk in INNER)
ENTRIES = [(8 * i, 8) for i in range(4)]
PLAIN_INDEX = {"index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
CRC_INDEX = {"index_codecs": [*PLAIN_INDEX["index_codecs"], {"name": "crc32c"}]}


@pytest.mark.parametrize(
    ("shard", "configuration"),
    [
        (BODY + index(*ENTRIES), {}),
        (BODY + with_crc(index(*ENTRIES)), {}),
        (BODY + index(*ENTRIES), PLAIN_INDEX),
        (BODY + with_crc(index(*ENTRIES)), CRC_INDEX),
        (
            with_crc(index(*((a + 68, b) for a, b in ENTRIES))) + BODY,
            {**CRC_INDEX, "index_location": "start"},
        ),
    ],
)
def test_every_spelling_of_the_index(shard: bytes, configuration: dict) -> None:
    array = hierarchy(shard, **configuration)["/"]
    assert np.array_equal(array[...], np.concatenate(INNER))
    assert np.array_equal(array[5:14:3], np.concatenate(INNER)[5:14:3])


def test_missing_inner_chunks_are_fill_values() -> None:
    array = hierarchy(BODY + index(ENTRIES[0], MISSING, ENTRIES[2], MISSING), **PLAIN_INDEX)["/"]
    assert array[...].tolist() == [0, 1, 2, 3, 7, 7, 7, 7, 20, 21, 22, 23, 7, 7, 7, 7]


@pytest.mark.parametrize(
    ("shard", "configuration", "kind", "words"),
    [
        (b"", PLAIN_INDEX, CodecError, "expected an index of 64 bytes, found 0"),
        (index(*ENTRIES)[:-1], PLAIN_INDEX, CodecError, "expected an index of 64 bytes, found 63"),
        (b"short", {}, CodecError, "expected an index"),
        (BODY + index(*ENTRIES) + b"\0\0\0\0", CRC_INDEX, ChecksumError, "crc32c"),
        (BODY + index((0, 8), (8, 8), (16, 8), (10_000, 8)), PLAIN_INDEX, CodecError, "points to bytes"),
        (
            BODY + index((0, 8), (8, 8), (16, 8), (24, 10_000)),
            PLAIN_INDEX,
            CodecError,
            "at most 8 make sense",
        ),
        (
            BODY + index((0, 8), (8, 8), (16, 8), (2**63, 2**63)),
            PLAIN_INDEX,
            CodecError,
            "inner chunk 3 is at",
        ),
        (
            BODY + index((0, 8), (8, 8), (16, 8), (2**64 - 1, 8)),
            PLAIN_INDEX,
            CodecError,
            "inner chunk 3 is at",
        ),
        (BODY + index((0, 8), (8, 8), (16, 8), (24, 4)), PLAIN_INDEX, CodecError, "has 8 bytes, found 4"),
    ],
)
def test_wrong_indices_are_refused(
    shard: bytes, configuration: dict, kind: type[CodecError], words: str
) -> None:
    array = hierarchy(shard, **configuration)["/"]
    with pytest.raises(kind, match=words) as caught:
        array[...]
    assert caught.value.key == "c/0"


def test_overlapping_inner_chunks_read_as_the_index_says() -> None:
    array = hierarchy(BODY + index(ENTRIES[1], ENTRIES[1], ENTRIES[1], ENTRIES[1]), **PLAIN_INDEX)["/"]
    assert np.array_equal(array[...], np.tile(INNER[1], 4))


def test_a_shard_without_dimensions_and_with_a_checksum() -> None:
    from zarrcore.codecs import ArraySpec, Pipeline
    from zarrcore.metadata import NamedConfiguration
    from zarrcore.metadata.fill_value import zero

    dtype = np.dtype("<u2")
    codecs = [
        NamedConfiguration("sharding_indexed", {"chunk_shape": [], "codecs": ["bytes"], **PLAIN_INDEX}),
        NamedConfiguration("crc32c"),
    ]
    shard = with_crc(np.array(77, dtype).tobytes() + index((0, 2)))
    assert Pipeline(codecs, ArraySpec((), dtype, zero(dtype))).decode(shard)[()] == 77
