"""``raw``: the elements and nothing else, C order, little-endian."""

from __future__ import annotations

from zarrcore.filetypes.interface import HeaderAndBody


class RawFile(HeaderAndBody):
    """No header at all."""

    suffix = "raw"

    def _make_header(self) -> bytes:
        return b""
