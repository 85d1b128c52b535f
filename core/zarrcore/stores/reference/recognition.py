"""Whether the beginning of a file is that of a reference document."""

from __future__ import annotations

import re
from typing import Final

from zarrcore.stores.reference.document import decompressed

_VERSION_1: Final = re.compile(
    rb'\s*\{\s*"(?:version"\s*:\s*1\s*,|refs"\s*:\s*\{|templates"\s*:\s*\{|gen"\s*:\s*\[)'
)
_VERSION_0: Final = re.compile(
    rb'"(?:[^"\\]*/|[^"\\]*\\/)?(?:\.zgroup|\.zarray|\.zattrs|zarr\.json)"\s*:\s*["{\[]'
)
_CONSOLIDATED: Final = re.compile(rb'\s*\{\s*"(?:metadata|zarr_consolidated_format|zarr_format)"')


def is_reference_document(head: bytes) -> bool:
    """Whether a document with these first bytes, which may be compressed, has references.

    >>> is_reference_document(b'{"version": 1, "refs": {}}'), is_reference_document(b'{"name": "x"}')
    (True, False)
    """
    try:
        head = next(decompressed(iter([head])), b"")
    except ValueError:
        return False
    head = head.removeprefix(b"\xef\xbb\xbf")
    if _VERSION_1.match(head):
        return True
    return head.lstrip()[:1] == b"{" and not _CONSOLIDATED.match(head) and _VERSION_0.search(head) is not None
