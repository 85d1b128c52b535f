"""One array in references: its documents, and where its chunks are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from zarrcore.codecs.bytes_to_bytes.hdf5_imagecodecs import SKIPPED
from zarrcore.errors import UnsupportedError
from zarrcore.hierarchy import ArrayNode
from zarrcore.metadata import ChunkKeyEncoding
from zarrcore.operations.reference.lzf_chunks import LzfChunks
from zarrcore.operations.reference.places import Places, inlined, part_of, unwrapped, values_below
from zarrcore.stores.interface import ByteRange, BytesLike
from zarrcore.stores.virtual.store import Part

_SZIP: Final = "hdf5.szip"
_LZF: Final = "hdf5.lzf"


@dataclass(frozen=True, slots=True)
class ArrayReferences:
    """One array of the new hierarchy."""

    node: ArrayNode
    path: str
    documents: Mapping[str, str]
    """By key."""
    keys: ChunkKeyEncoding
    """How chunks are named in the references."""

    def places(self, inline_nbytes: int) -> Places:
        """Where the stored chunks are.

        Raises:
            UnsupportedError: a chunk is not a part of a file, or other programs do not decode it.
            CodecError: a chunk that must be encoded again is broken.
            StoreError: the store failed, or cannot list.
        """
        node = self.node
        prefix = node.hierarchy.format.chunk_prefix(node.hierarchy.within(node.path))
        store, prefix = unwrapped(node.store, prefix)
        encoding, counts = node.chunk_key_encoding, node.chunk_grid_shape
        places = Places()
        codecs = {codec.name for codec in node.metadata.codecs}
        lzf = LzfChunks(node) if _LZF in codecs else None
        for key, value in values_below(store, prefix):
            index = encoding.decode(key[len(prefix) :], len(counts))
            if index is None or any(i >= n for i, n in zip(index, counts, strict=True)):
                continue
            found = (
                part_of(store, key, inline_nbytes)
                if value is None
                else inlined(store, key, value, inline_nbytes)
            )
            if _SZIP in codecs and isinstance(found, bytes) and found.startswith(SKIPPED):
                raise UnsupportedError(
                    "codec", "szip", "of other programs does not read chunks for which HDF5 skipped it"
                )
            if found is not None and lzf is not None and _nbytes(found) < lzf.least_nbytes:
                found = lzf.repacked(_bytes_of(found), index)
            if found is None:
                continue
            number = 0
            for along, count in zip(index, counts, strict=True):
                number = number * count + along
            places.add(number, found)
        places.sort()
        return places


def _bytes_of(found: Part | bytes) -> BytesLike:
    if isinstance(found, bytes):
        return found
    wanted = None if found.nbytes is None else ByteRange(found.start, found.start + found.nbytes)
    return found.store.get(found.key, wanted) or b""


def _nbytes(found: Part | bytes) -> int:
    return len(found) if isinstance(found, bytes) else found.nbytes or 0
