"""The drafts of 11 June 2019 to August 2020: an entry point, documents under ``meta/root``, chunks under ``data``.

Specification: zarr-specs, "Zarr core protocol (version 3.0)", branch ``core-protocol-v3.0-dev``; published on
19 June 2019. From August 2020, chunk keys have slashes by default.
"""

from __future__ import annotations

from zarrcore.formats.drafts.entry_point import Form
from zarrcore.formats.drafts.format import TEXTS, DraftFormat
from zarrcore.formats.drafts.keys import META_AND_DATA
from zarrcore.metadata import ChunkKeyEncoding


class Draft201906(DraftFormat):
    """``meta/root/foo.array``; chunks ``data/foo/0.0``, later ``data/foo/0/0``."""

    name = "draft-2019-06"
    title = "Zarr v3, draft of June 2019"
    specification = f"{TEXTS}/bbda501a3ec5a1785a3a037ba16420f516413d22/docs/protocol/core/v3.0.rst"
    key_variants = (META_AND_DATA,)
    forms = ((Form.MIME_TYPE, ChunkKeyEncoding("v2", ".")), (Form.JSON_URI, ChunkKeyEncoding("v2", "/")))
