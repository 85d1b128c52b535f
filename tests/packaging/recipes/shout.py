"""A file type: a word, then the elements."""

from __future__ import annotations

from zarrcore.filetypes.interface import HeaderAndBody


class ShoutFile(HeaderAndBody):
    suffix = "shout"

    def _make_header(self) -> bytes:
        return b"HEAR"
