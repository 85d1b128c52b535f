"""The draft of 9 February 2023: one ``zarr.json`` per node, which names its specification; of 21 February: nearly Zarr v3.

Specification: zarr-specs, "Zarr core specification (version 3.0)", of these days. The later text already has
``"zarr_format": 3``. It differs from accepted Zarr v3 in that the grid of an array contains the separator.
"""

from __future__ import annotations

from zarrcore.errors import MetadataError
from zarrcore.formats.drafts.accepted_terms import is_of_february_2023
from zarrcore.formats.drafts.documents import parse_draft_array, parse_draft_group
from zarrcore.formats.drafts.entry_point import ignored_extensions
from zarrcore.formats.drafts.format import TEXTS
from zarrcore.formats.interface import Documents, Format
from zarrcore.formats.v3.format import parse_node
from zarrcore.metadata import ChunkKeyEncoding, JsonObject, NodeMetadata
from zarrcore.metadata.json_document import parse_json_object

_URI = "https://purl.org/zarr/spec/v3#"


class Draft202302(Format):
    """``foo/zarr.json``; chunks ``foo/c/0/0``."""

    name = "draft-2023-02"
    title = "Zarr v3, draft of February 2023"
    specification = f"{TEXTS}/4536d196e6607e201ce1f83f8dc1d5ba9bdc5e84/docs/core/v3.0.rst"
    implicit_groups = True

    def document_keys(self, path: str) -> tuple[str, ...]:
        return (self.prefix(path) + "zarr.json",)

    def claims(self, documents: Documents) -> bool:
        try:
            document = self.stored_documents(documents)
        except MetadataError:
            return False
        return str(document.get("zarr_format")).startswith(_URI) or is_of_february_2023(document)

    def parse(self, documents: Documents) -> NodeMetadata | None:
        if documents[0] is None:
            return None
        document = parse_json_object(documents[0])
        match document.get("zarr_format"):
            case "https://purl.org/zarr/spec/v3#array":
                # A chain of codecs, which may be left out, distinguishes the later names from the earlier ones.
                return parse_draft_array({"codecs": [], **document}, ChunkKeyEncoding(), strict=True)
            case "https://purl.org/zarr/spec/v3#group":
                return parse_draft_group(document, strict=True)
            case _:
                return parse_node(document)

    def ignored(self, documents: Documents) -> tuple[str, ...]:
        return ignored_extensions(self.stored_documents(documents))

    def stored_documents(self, documents: Documents) -> JsonObject:
        return parse_json_object(documents[0]) if documents[0] is not None else {}
