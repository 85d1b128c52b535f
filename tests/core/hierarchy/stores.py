"""Stores in memory that cannot list, count requests, or count as remote."""

from __future__ import annotations

import json
from collections.abc import Iterator

from zarrcore.stores import ByteRange, BytesLike, MemoryStore, StoreEntry

GROUP = b'{"zarr_format": 3, "node_type": "group", "attributes": {"a": 1}}'


ARRAY = json.dumps(
    {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "int8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 5,
        "codecs": ["bytes"],
    }
).encode()


V2_GROUP = b'{"zarr_format": 2}'


def memory(**values: bytes) -> MemoryStore:
    store = MemoryStore()
    for key, value in values.items():
        store.set(key, value)
    return store


V2_ARRAY = json.dumps(
    {
        "zarr_format": 2,
        "shape": [2],
        "chunks": [2],
        "dtype": "|i1",
        "compressor": None,
        "fill_value": 5,
        "order": "C",
        "filters": None,
    }
).encode()


V2_WITHOUT_GROUPS = {
    ".zgroup": V2_GROUP,
    "A/.zattrs": b'{"who": "me"}',
    "A/1/0/.zarray": V2_ARRAY,
    "A/1/0/0": b"\1\2",
    "b/.zgroup": V2_GROUP,
    "b/__x/y/.zarray": V2_ARRAY,
    "junk/a": b"no node",
}


V2_NODES = ["/", "/A", "/A/1", "/A/1/0", "/b", "/b/__x", "/b/__x/y"]


class Remote(MemoryStore):
    """Counts what is asked of it over its network."""

    is_remote = True

    def __init__(self, values: dict[str, bytes]) -> None:
        super().__init__(values=values)
        self.got: list[str] = []
        self.listed: list[str] = []

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self.got.append(key)
        return super().get(key, byte_range)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        self.listed.append(prefix)
        return super().list_dir(prefix)
