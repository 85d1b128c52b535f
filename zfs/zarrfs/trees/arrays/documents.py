"""Small files made on access: metadata, attributes, reasons."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from zarrcore.errors import ZarrError
from zarrfs.trees.entry import Content, File, OpenFile


class DocumentFile(File):
    """A file whose bytes are made each time it is opened, always the same ones."""

    __slots__ = ("_make", "_size", "mtime_s")

    def __init__(self, make: Callable[[], bytes], mtime_s: float | None) -> None:
        self._make = make
        self._size: int | None = None
        self.mtime_s = mtime_s

    @property
    def size(self) -> int:  # type: ignore[override]
        """The size in bytes, computed when first used, so that a document that is never accessed is never made."""
        if self._size is None:
            self._size = len(self._make())
        return self._size

    def open(self, wait: bool) -> OpenFile:
        return Content(self._make())


def as_json(document: Mapping[str, Any]) -> bytes:
    """A JSON document, indented for people."""
    text = json.dumps(document, indent=2, ensure_ascii=False, default=dict)
    return f"{text}\n".encode("utf-8", "surrogatepass")


def sentence(error: ZarrError) -> bytes:
    """The reason why a node is not shown, as a line."""
    return f"{error}\n".encode("utf-8", "backslashreplace")
