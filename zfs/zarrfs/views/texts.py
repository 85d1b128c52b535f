"""``data.json``: elements of any length as one text, made when somebody first asks for its size.

Texts are bounded, and few are kept; what is dropped is made again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from zarrcore.array import Selection
from zarrcore.errors import ChangedError
from zarrcore.filetypes import values_as_text
from zarrcore.hierarchy import ArrayNode
from zarrfs.views.entry import Content, File, OpenFile, WouldBlockError
from zarrfs.views.freshness import Freshness, Remembered

_MAX_NBYTES: Final = 16 << 20
_KEPT_NBYTES: Final = 32 << 20


class Texts:
    """The texts of a hierarchy's arrays.

    Args:
        freshness: how long a text counts.
        before_open: called before chunks are decoded.
    """

    def __init__(self, freshness: Freshness, before_open: Callable[[], None]) -> None:
        self._freshness = freshness
        self._before_open = before_open
        self._known: Remembered[tuple[str, str], bytes] = Remembered(freshness, _KEPT_NBYTES)

    def text(self, array: ArrayNode, selection: Selection, wait: bool) -> bytes:
        """The elements as JSON.

        Raises:
            WouldBlockError: not without waiting.
            UnsupportedError: the text would be too long.
            SelectionError: the array has no such selection.
            As `Array.read`.
        """
        question = (array.path, repr(selection))
        known = self._known.get(question)
        if known is not None:
            return known[0]
        if not wait:
            raise WouldBlockError
        asked_s = self._freshness.now()
        self._before_open()
        text = values_as_text(array, selection, "json", _MAX_NBYTES)
        self._known.put(question, text, asked_s, len(text))
        return text

    def file(self, array: ArrayNode, selection: Selection, mtime_s: float | None, wait: bool) -> File:
        """The text as a file.

        Raises:
            As `text`.
        """
        return TextFile(self, array, selection, mtime_s, len(self.text(array, selection, wait)))


class TextFile(File):
    """One text; it knows its size and not its bytes, since the kernel remembers many files."""

    __slots__ = ("_array", "_selection", "_texts", "mtime_s", "size")

    def __init__(
        self, texts: Texts, array: ArrayNode, selection: Selection, mtime_s: float | None, size: int
    ) -> None:
        self._texts = texts
        self._array = array
        self._selection = selection
        self.mtime_s = mtime_s
        self.size = size

    def open(self, wait: bool) -> OpenFile:
        text = self._texts.text(self._array, self._selection, wait)
        if len(text) != self.size:
            raise ChangedError(f"the elements of {self._array.uri} have changed: open the file again")
        return Content(text)
