"""Boxes of ISO base media files, of which files of JPEG 2000 and JPEG XL consist.

ISO/IEC 15444-1, annex I.
"""

from __future__ import annotations

from collections.abc import Iterator

_MAX_BOXES = 4096


def boxes(data: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """The type and the content of each box.

    >>> [(kind, bytes(content)) for kind, content in boxes(b"\\0\\0\\0\\x0aftyp12\\0\\0\\0\\0jp2cabc")]
    [(b'ftyp', b'12'), (b'jp2c', b'abc')]
    """
    view, at = memoryview(data), 0
    for _ in range(_MAX_BOXES):
        if at + 8 > len(view):
            return
        nbytes, head = int.from_bytes(view[at : at + 4], "big"), 8
        if nbytes == 1:
            nbytes, head = int.from_bytes(view[at + 8 : at + 16], "big"), 16
        elif nbytes == 0:
            nbytes = len(view) - at
        if nbytes < head:
            return
        yield bytes(view[at + 4 : at + 8]), view[at + head : at + nbytes]
        at += nbytes
