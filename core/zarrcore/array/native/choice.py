"""Which reads of an array the engine executes."""

from __future__ import annotations

from zarrcore.array.chunks.keys import ChunkKeys
from zarrcore.array.native.file_reads import FileReads
from zarrcore.array.native.files import native_array, native_files
from zarrcore.array.native.place_reads import place_reads
from zarrcore.array.native.reads import NativeReads
from zarrcore.codecs import Pipeline
from zarrcore.stores.interface import Store


def native_reads(
    store: Store, keys: ChunkKeys, pipeline: Pipeline, decodes_whole: bool, fills: bool
) -> NativeReads | None:
    """The reads of an array that the engine can execute; None if it can execute none of them."""
    array = native_array(keys, pipeline, decodes_whole, fills)
    if array is None:
        return None
    files = native_files(store, array)
    return place_reads(store, array) if files is None else FileReads(files)
