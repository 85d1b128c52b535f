"""The draft of 14 May 2019: documents of nodes that name their own specification, and a list of codecs.

Specification: zarr-specs, "Zarr core protocol version 3.0", the first stub. It defines neither keys nor an entry point. The
keys are those of the draft of June 2019.
"""

from __future__ import annotations

from collections.abc import Callable

from zarrcore.errors import MetadataError
from zarrcore.formats.drafts.entry_point import Form, is_entry_point
from zarrcore.formats.drafts.format import TEXTS, DraftFormat
from zarrcore.formats.drafts.keys import META_AND_DATA
from zarrcore.formats.interface import Documents, Format
from zarrcore.metadata import ChunkKeyEncoding
from zarrcore.metadata.json_document import parse_json_object


class Draft201905(DraftFormat):
    """``meta/root/foo.array``; chunks ``data/foo/0.0``."""

    name = "draft-2019-05"
    title = "Zarr v3, draft of May 2019"
    specification = f"{TEXTS}/1dd76a498a162c71a20bb821fa3542b1854be255/docs/protocol/core/v3.0.rst"
    key_variants = (META_AND_DATA,)
    forms = ((Form.MIME_TYPE, ChunkKeyEncoding("v2", ".")),)

    def configure(self, get: Callable[[str], bytes | None], is_there: Callable[[str], bool]) -> Format:
        return self

    @property
    def deciding_keys(self) -> tuple[str, ...]:
        return self.document_keys("/")

    def document_keys(self, path: str) -> tuple[str, ...]:
        return self.keys.document_keys(path, "")

    def detect(self, get: Callable[[str], bytes | None], is_there: Callable[[str], bool]) -> Format | None:
        return self if self.claims(self.fetch(get, "/")) else None

    def claims(self, documents: Documents) -> bool:
        try:
            return any(
                is_entry_point(parse_json_object(document)) for document in documents if document is not None
            )
        except MetadataError:
            return False
