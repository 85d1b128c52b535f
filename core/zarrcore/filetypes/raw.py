"""``raw``: only the elements, in C order, little-endian."""

from __future__ import annotations

from zarrcore.filetypes.interface import HeaderAndBody


class RawFile(HeaderAndBody):
    """A file without a header."""

    suffix = "raw"

    def _make_header(self) -> bytes:
        return b""
