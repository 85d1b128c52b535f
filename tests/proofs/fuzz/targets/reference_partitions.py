"""References in Parquet: StoreError, or references that are found by the keys that are listed.

The first byte chooses which of the two files of a folder the other bytes replace.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable

import pyarrow
from pyarrow import parquet

from zarrcore.errors import StoreError
from zarrcore.stores import MemoryStore
from zarrcore.stores.reference.partitions import PartitionedReferences

WORDS = ("PAR1", "path", "offset", "size", "raw", '"record_size": ', '"shape": [', '"chunks": [', ".zarray")
_ARRAY = {"zarr_format": 2, "shape": [4, 6], "chunks": [2, 2], "dtype": "<i4", "fill_value": 0}
_METADATA = {"metadata": {".zgroup": {"zarr_format": 2}, "a/.zarray": _ARRAY}, "record_size": 4}


def _partition() -> bytes:
    table = pyarrow.table(
        {
            "path": pyarrow.array(["x", None, "y", None]).dictionary_encode(),
            "offset": [0, 0, 5, 0],
            "size": [0, 0, 7, 0],
            "raw": pyarrow.array([None, b"12", None, None], pyarrow.binary()),
        }
    )
    file = io.BytesIO()
    parquet.write_table(table, file, compression="none")
    return file.getvalue()


_PARTITION = _partition()


def check(data: bytes) -> None:
    """The keys of a folder are found, or an error says why not."""
    if not data:
        return
    metadata = data[1:] if data[0] % 2 else json.dumps(_METADATA).encode()
    partition = _PARTITION if data[0] % 2 else data[1:]
    source = MemoryStore(
        "", {".zmetadata": metadata, "a/refs.0.parq": partition, "a/refs.1.parq": _PARTITION}
    )
    try:
        references = PartitionedReferences(source, "memory://a.parq")
        list(references.urls)
    except StoreError:
        return
    for prefix in ("", "a/", "a/0/"):
        try:
            for number, entry in enumerate(references.list_dir(prefix)):
                assert entry.is_prefix or references.find(entry.key) is not None, entry.key
                if number > 1000:
                    break
        except StoreError:
            continue


def examples() -> Iterable[bytes]:
    """A folder, whose metadata or partition may be changed."""
    yield b"\x00" + _PARTITION
    yield b"\x01" + json.dumps(_METADATA).encode()
