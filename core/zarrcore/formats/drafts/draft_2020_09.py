"""The draft of 4 September 2020: chunks under ``data/root`` too, and chunk keys that begin with ``c``.

Specification: zarr-specs, "Zarr core protocol (version 3.0)", of that day.
"""

from __future__ import annotations

from zarrcore.formats.drafts.entry_point import Form
from zarrcore.formats.drafts.format import TEXTS, DraftFormat
from zarrcore.formats.drafts.keys import META_ROOT_AND_DATA_ROOT
from zarrcore.metadata import ChunkKeyEncoding


class Draft202009(DraftFormat):
    """``meta/root/foo.array``; chunks ``data/root/foo/c0/0``."""

    name = "draft-2020-09"
    title = "Zarr v3, draft of September 2020"
    specification = f"{TEXTS}/daad54b064f690449c0d540c42c07bc422e6f9b7/docs/protocol/core/v3.0.rst"
    key_variants = (META_ROOT_AND_DATA_ROOT,)
    forms = ((Form.CORE_URI, ChunkKeyEncoding("draft", "/")),)
