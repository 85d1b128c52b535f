"""The documents of nodes in references, in terms of Zarr v2 or Zarr v3."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Final

from zarrcore.codecs import Pipeline
from zarrcore.conventions.cf import attributes_in_zarr_v3
from zarrcore.errors import UnsupportedError
from zarrcore.formats import Format
from zarrcore.formats.chunk_terms import chunk_spec
from zarrcore.formats.drafts.accepted_terms import is_of_february_2023
from zarrcore.formats.interface import Documents
from zarrcore.hierarchy import ArrayNode, Group
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, NamedConfiguration
from zarrcore.operations.copy.layout import Layout, codec_names, destination_metadata, keeps_chunks
from zarrcore.operations.copy.missing_in_v2 import masks_fill_value, with_missing_value
from zarrcore.operations.reference.common_codecs import CommonCodecs, hdf5_codecs
from zarrcore.operations.reference.places import unwrapped
from zarrcore.operations.reference.tiff_codecs import SEGMENT, segment_codecs
from zarrcore.stores.reference.store import ReferenceStore
from zarrcore.stores.virtual.store import VirtualStore

_V2_KEYS: Final = ChunkKeyEncoding("v2", ".")


@dataclass(frozen=True, slots=True)
class ArrayDocuments:
    """An array in references."""

    documents: Documents
    keys: ChunkKeyEncoding
    """How its chunks are named there."""


def group_documents(group: Group, to: Format) -> Documents:
    """The documents of a group.

    Raises:
        MetadataError, UnsupportedError: the format does not have them.
    """
    return to.encode(to.adapted(group.metadata))


def array_documents(node: ArrayNode, to: Format) -> ArrayDocuments:
    """The documents of an array whose chunks are read where they are.

    Raises:
        MetadataError, UnsupportedError: the format cannot describe them.
    """
    if to is Format.V2:
        return _v2_documents(node)
    told = _own_document(node)
    if told is not None:
        return ArrayDocuments((told,), node.chunk_key_encoding)
    common = _common_codecs(node.metadata, to)
    found = replace(node.metadata, chunk_key_encoding=node.chunk_key_encoding, codecs=common.codecs)
    if node.hierarchy.format is not Format.V3:
        return _converted(found, node)
    if common.last is None:
        return ArrayDocuments(to.encode(found), found.chunk_key_encoding)
    *before, plain = common.codecs
    codecs = (*before, common.last)
    Pipeline(codecs, chunk_spec(found))  # they fit the chunks
    (document,) = to.encode(replace(found, codecs=(plain,)))
    told_again = json.loads(document or b"{}")
    told_again["codecs"] = [codec.document() for codec in codecs]
    return ArrayDocuments((json.dumps(told_again).encode(),), found.chunk_key_encoding)


def _own_document(node: ArrayNode) -> bytes | None:
    """The document of an array that is stored as Zarr v3, which is kept as it is."""
    store, _ = unwrapped(node.store, "")
    is_made_here = isinstance(store, VirtualStore) and not isinstance(store, ReferenceStore)
    if is_made_here or node.hierarchy.format is not Format.V3 or node.chunk_key_encoding.is_ours:
        return None
    (document,) = node.documents
    return None if document is None or is_of_february_2023(node.stored_document()) else document


def _converted(found: ArrayMetadata, node: ArrayNode) -> ArrayDocuments:
    """The documents of an array that is stored in another format than Zarr v3."""
    told = replace(found, attributes=attributes_in_zarr_v3(node))
    metadata, _ = destination_metadata(told, Format.V3, Layout(), same_format=False)
    if not keeps_chunks(found, metadata):
        raise _refused(Format.V3, node.metadata)
    return ArrayDocuments(Format.V3.encode(metadata), metadata.chunk_key_encoding)


def _v2_documents(node: ArrayNode) -> ArrayDocuments:
    common = _common_codecs(node.metadata, Format.V2)
    found = replace(node.metadata, chunk_key_encoding=node.chunk_key_encoding, codecs=common.codecs)
    metadata, _ = destination_metadata(found, Format.V2, Layout(), same_format=False)
    if not keeps_chunks(replace(found, codecs=tuple(map(_in_v2_terms, found.codecs))), metadata):
        raise _refused(Format.V2, node.metadata)
    told = replace(metadata, chunk_key_encoding=_V2_KEYS)
    if node.hierarchy.format is not Format.V2:
        # A fill value of zero that is not told reads as zero, but xarray does not take zeros for missing elements.
        told = with_missing_value(told, every_element_is_stored=False)
        told = replace(told, fill_value_is_told=told.fill_value_is_told and masks_fill_value(told))
    return ArrayDocuments(_with_last(Format.V2.encode(told), common.last), _V2_KEYS)


def _with_last(documents: Documents, last: NamedConfiguration | None) -> Documents:
    """The documents of Zarr v2 with a codec after all others."""
    if last is None:
        return documents
    array, *others = documents
    told: dict[str, Any] = json.loads(array or b"{}")
    if told["compressor"] is not None:
        told["filters"] = [*(told["filters"] or ()), told["compressor"]]
    told["compressor"] = {"id": last.name, **last.configuration}
    return json.dumps(told).encode(), *others


def _common_codecs(metadata: ArrayMetadata, to: Format) -> CommonCodecs:
    """The codecs, with common ones for filters of HDF5 and segments of TIFF files.

    Raises:
        UnsupportedError: there are none.
    """
    if metadata.codecs and metadata.codecs[-1].name == SEGMENT:
        return segment_codecs(metadata, to)
    return hdf5_codecs(metadata, to)


def _refused(to: Format, metadata: ArrayMetadata) -> UnsupportedError:
    names = ", ".join(codec_names(metadata.codecs))
    return UnsupportedError("format", to.title, f"cannot describe its chunks, which use the codecs {names}")


def _in_v2_terms(codec: NamedConfiguration) -> NamedConfiguration:
    """The codec of Zarr v2 that reads the same bytes."""
    if codec.name == "crc32c":
        return NamedConfiguration("numcodecs.crc32c", {"location": "end"})
    if codec.name in ("zstd", "numcodecs.zstd"):  # a frame itself says whether it ends in a checksum
        kept = {name: value for name, value in codec.configuration.items() if name != "checksum"}
        return NamedConfiguration("zstd", kept)
    return codec
