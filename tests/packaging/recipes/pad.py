"""A kind of file: a word and the name of a group."""

from __future__ import annotations

import json

from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.memory import MemoryStore


def open_pad(source: ReadableStore, key: str, url: str) -> ReadableStore:
    store = MemoryStore()
    name = bytes(source.get(key) or b"")[4:].decode()
    store.set(
        "zarr.json",
        json.dumps({"zarr_format": 3, "node_type": "group", "attributes": {"name": name}}).encode(),
    )
    source.close()
    return store
