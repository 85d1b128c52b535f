"""The drafts of December 2022 and January 2023: the encoding is an object in the entry point; keys lose their ``root``.

Specification: zarr-specs, "Zarr core specification (version 3.0)", of 1 December (with ``root`` in the keys) and 2 December 2022
(without); of 18 January 2023, whose arrays have no memory layout but a ``transpose`` codec.
"""

from __future__ import annotations

from zarrcore.formats.drafts.entry_point import Form
from zarrcore.formats.drafts.format import TEXTS, DraftFormat
from zarrcore.formats.drafts.keys import META_ROOT_AND_DATA_ROOT, WITHOUT_ROOT
from zarrcore.metadata import ChunkKeyEncoding


class Draft202212(DraftFormat):
    """``meta/foo.array.json``; chunks ``data/foo/c0/0``. On 1 December both had ``root`` in their keys."""

    name = "draft-2022-12"
    title = "Zarr v3, draft of December 2022"
    specification = f"{TEXTS}/89f92f92f265ff96d4ac11cac049f096b75eabd6/docs/core/v3.0.rst"
    key_variants = (WITHOUT_ROOT, META_ROOT_AND_DATA_ROOT)
    forms = ((Form.OBJECT, ChunkKeyEncoding("draft", "/")),)
    ignores_unknown = False
