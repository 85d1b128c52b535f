"""Names in a file as names of nodes in Zarr v3, reversibly.

A file may have names that no node can have. They are written with percent signs, as a mount writes names that no file can
have: each dot of a name of dots only, the dot of ``zarr.json``, slashes, NUL, and bytes that are not UTF-8. A
percent sign that could be mistaken for the beginning of one of these is written ``%25``.

>>> [node_name(name) for name in ("...", "zarr.json", "a/b", "a%20b", "a%2Fb", "a%252Fb")]
['%2E%2E%2E', 'zarr%2Ejson', 'a%2Fb', 'a%20b', 'a%252Fb', 'a%25252Fb']
"""

from __future__ import annotations

import re
from typing import Final

_AMBIGUOUS: Final = re.compile("%(?=(?:25)*(?:00|2E|2F|[89A-F][0-9A-F]))")
_IMPOSSIBLE: Final = re.compile("[/\0\udc80-\udcff]")


def node_name(name: str) -> str:
    """The name of a node for a name in a file, which was decoded with ``surrogateescape``."""
    name = _AMBIGUOUS.sub("%25", name)
    if name == "zarr.json" or not name.strip("."):
        return name.replace(".", "%2E")
    return _IMPOSSIBLE.sub(lambda match: f"%{ord(match[0]) & 0xFF:02X}", name)
