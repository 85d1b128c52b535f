"""The drafts of 16 October 2020 to November 2022: documents' keys end in ``.json``, or as the entry point says.

Specification: zarr-specs, "Zarr core protocol (version 3.0)", editor's draft of that day. zarrita (2020) and zarr-python 2.13 to
2.18 wrote it. 2022 added storage transformers and, in November, a chain of codecs and today's names of data types.
"""

from __future__ import annotations

from zarrcore.formats.drafts.entry_point import Form
from zarrcore.formats.drafts.format import TEXTS, DraftFormat
from zarrcore.formats.drafts.keys import META_ROOT_AND_DATA_ROOT
from zarrcore.metadata import ChunkKeyEncoding


class Draft202010(DraftFormat):
    """``meta/root/foo.array.json``; chunks ``data/root/foo/c0/0``."""

    name = "draft-2020-10"
    title = "Zarr v3, draft of October 2020"
    specification = f"{TEXTS}/970bdf3913349c6ed03fc427ab2ddba43ba20c04/docs/protocol/core/v3.0.rst"
    key_variants = (META_ROOT_AND_DATA_ROOT,)
    forms = ((Form.SUFFIX, ChunkKeyEncoding("draft", "/")),)
    # zarr-python 2 put it there; no text defines it.
    consolidated_key = "meta/root/consolidated/.zmetadata"
