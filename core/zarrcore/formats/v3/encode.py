"""Writing complete Zarr v3 documents, as the strictest readers demand.

Accepted specification, "Metadata". All parameters of all codecs and all members are explicit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from zarrcore.codecs import completed
from zarrcore.codecs.imagecodecs_package import V2_OF_BYTES
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats.attributes import document_bytes, json_attributes
from zarrcore.formats.chunk_terms import (
    NEUROGLANCER,
    chunk_spec,
    codec_chain,
    plain_array_to_bytes,
    transposed,
    without_blocks,
    without_shards,
)
from zarrcore.formats.interface import Documents, Format
from zarrcore.formats.v2.parse import DIMENSIONS_ATTRIBUTE, OBJECT_CODECS
from zarrcore.metadata import (
    ArrayMetadata,
    ChunkKeyEncoding,
    JsonObject,
    NamedConfiguration,
    NodeMetadata,
    RegularChunkGrid,
)
from zarrcore.metadata.data_type.optional import OptionalFamily
from zarrcore.metadata.data_type.struct import by_its_new_name
from zarrcore.metadata.json_document import parse_json_object

_OURS = {"v2_view", "v2_struct_bytes", "n5_lz4", *OBJECT_CODECS}
"""Internal codecs for chunks of other formats; no document that is written may name them, nor those of HDF5 and Neuroglancer."""
_HDF5 = "hdf5."
_ZSTD = NamedConfiguration("zstd", {"level": 3, "checksum": True})


def encode_node(metadata: NodeMetadata) -> bytes:
    """The ``zarr.json`` of a node.

    Raises:
        MetadataError: an attribute is not JSON, or the codecs do not fit the array.
        UnsupportedError: Zarr v3 cannot express it.
    """
    attributes = json_attributes(metadata.attributes)
    if not isinstance(metadata, ArrayMetadata):
        return document_bytes({"zarr_format": 3, "node_type": "group", "attributes": attributes})
    if metadata.chunk_key_encoding.is_ours:
        name = metadata.chunk_key_encoding.name
        raise UnsupportedError("chunk key encoding", name, "does not exist in Zarr v3")
    refuse_ours(metadata.codecs)
    codecs = completed(metadata.codecs, chunk_spec(metadata))
    _refuse_plain_optional(metadata)
    data_type = by_its_new_name(metadata.data_type)
    document = replace(metadata, attributes=attributes, data_type=data_type, codecs=codecs).document()
    document["storage_transformers"] = []
    return document_bytes(document)


def adapted_array(metadata: ArrayMetadata) -> ArrayMetadata:
    """The array in terms that a ``zarr.json`` may hold; the same values in the same chunks.

    Raises:
        UnsupportedError: Zarr v3 cannot hold the array.
    """
    metadata = without_blocks(metadata)
    if any(_is_ours(codec.name) for codec in metadata.codecs):
        chain = codec_chain(metadata.codecs, len(metadata.shape))
        # Filters only serve compression. Zarr v3 stores all fields of a structure in one byte order.
        plain = plain_array_to_bytes(metadata.data_type.dtype)
        if any(codec.name.startswith((_HDF5, V2_OF_BYTES)) for codec in chain.compressors):
            compressors: tuple[NamedConfiguration, ...] = (_ZSTD,)
        else:
            compressors = chain.compressors
        codecs = (*transposed(chain.order), plain, *compressors)
        metadata = replace(metadata, codecs=codecs)
    encoding = metadata.chunk_key_encoding
    attributes = dict(metadata.attributes)
    names = metadata.dimension_names
    if names is not None and attributes.get(DIMENSIONS_ATTRIBUTE) == list(names):
        del attributes[DIMENSIONS_ATTRIBUTE]  # Zarr v3 has a member for them
    return replace(
        metadata,
        attributes=attributes,
        chunk_key_encoding=ChunkKeyEncoding() if encoding.is_ours else encoding,
    )


def refuse_ours(codecs: tuple[NamedConfiguration, ...]) -> None:
    """Codecs that exist only in memory.

    Raises:
        UnsupportedError: one is among ``codecs``.
    """
    for codec in codecs:
        if _is_ours(codec.name):
            raise UnsupportedError(
                "codec", codec.name, "describes another format's chunks, and is never written"
            )


def _is_ours(name: str) -> bool:
    return name in _OURS or name.startswith((_HDF5, NEUROGLANCER, V2_OF_BYTES))


def _refuse_plain_optional(metadata: ArrayMetadata) -> None:
    """Refuse optional values that another codec would store as records, which other readers do not support.

    Raises:
        UnsupportedError: another codec would encode them.
    """
    if metadata.data_type.name in OptionalFamily.names:
        plain = without_shards(metadata) if isinstance(metadata.chunk_grid, RegularChunkGrid) else metadata
        codec = codec_chain(plain.codecs, len(metadata.shape)).array_to_bytes.name
        if codec not in OptionalFamily.names:
            raise UnsupportedError(
                "codec", codec, "cannot store elements that may be missing: use zarrs.optional"
            )


def consolidated_document(v3: Format, nodes: Mapping[str, Documents]) -> bytes:
    """The root's ``zarr.json`` with the documents of all nodes below in it.

    Raises:
        MetadataError: a document is not a JSON object.
        UnsupportedError: the root is an array.
    """
    root: JsonObject = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    below: dict[str, Any] = {}
    # Parents first: zarr-python builds its tree in this order.
    for path in sorted(nodes, key=lambda path: (path.count("/"), path)):
        data = nodes[path][0]
        if data is None:
            continue
        try:
            document = parse_json_object(data)
        except MetadataError as error:
            raise error.at(v3.document_keys(path)[0]) from error
        document.pop("consolidated_metadata", None)
        if path == "/":
            root = document
        else:
            below[path[1:]] = document
    if root.get("node_type") == "array":
        raise UnsupportedError("consolidated metadata", "inline", "needs a group at the root, found an array")
    root["consolidated_metadata"] = {"kind": "inline", "must_understand": False, "metadata": below}
    return document_bytes(root)
