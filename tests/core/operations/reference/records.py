"""A file of numbers as a hierarchy, for tests of references."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from zarrcore.stores import BytesLike, StoreEntry
from zarrcore.stores.virtual.store import Part, VirtualStore


class Records(VirtualStore):
    """A file of numbers, shown as an array ``x`` with a chunk for every ten of them, and a value made here."""

    presents = "records"

    def find(self, key: str) -> BytesLike | Part | None:
        array = {
            "zarr_format": 3, "node_type": "array", "shape": [60], "data_type": "int32", "fill_value": 0,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10]}},
            "chunk_key_encoding": {"name": "default"}, "dimension_names": ["t"],
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        }  # fmt: skip
        if key == "zarr.json":
            return b'{"zarr_format": 3, "node_type": "group", "attributes": {"title": "records"}}'
        if key == "x/zarr.json":
            return json.dumps(array).encode()
        if key == "x/c/5":
            return np.arange(10, dtype="<i4").tobytes()
        if key.startswith("x/c/") and key != "x/c/3":
            return Part(self.source, self.key, 8 + 40 * int(key[4:]), 40) if int(key[4:]) < 5 else None
        return None

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        names = {"": ["zarr.json", "x/"], "x/": ["x/zarr.json", "x/c/"]}
        names["x/c/"] = [f"x/c/{number}" for number in (0, 1, 2, 4, 5)]
        return map(StoreEntry, names.get(prefix, []))
