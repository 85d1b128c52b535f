"""Elements of variable length: ``data.json``, and chunks of ``zarr3/``, made when their size is first requested.

Few are kept; dropped ones are made again. The length of texts is bounded here, that of chunks by the decoder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from zarrcore.array import Selection
from zarrcore.errors import ChangedError
from zarrcore.filetypes import values_as_text
from zarrcore.hierarchy import ArrayNode
from zarrfs.trees.entry import Content, File, OpenFile
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.freshness import Freshness, Remembered

_MAX_NBYTES: Final = 16 << 20
_KEPT_NBYTES: Final = 32 << 20


class Texts:
    """The texts of a hierarchy's arrays.

    Args:
        freshness: how long a text is valid.
        before_open: called before chunks are decoded.
    """

    def __init__(self, freshness: Freshness, before_open: Callable[[], None]) -> None:
        self._before_open = before_open
        self._known: Remembered[tuple[str, str], bytes] = Remembered(freshness, _KEPT_NBYTES)

    def content(self, question: tuple[str, str], make: Callable[[], bytes], wait: bool) -> bytes:
        """The result of ``make``, remembered under ``question``: the path of an array, and the requested part.

        Raises:
            WouldBlockError: it is not in memory, and ``wait`` is False.
            As ``make``.
        """
        known = self._known.get(question)
        if known is not None:
            return known[0]
        if not wait:
            raise WouldBlockError
        self._before_open()
        return self._known.learn(question, make, len)

    def forget(self) -> None:
        """Expire all texts after a write."""
        self._known.clear()

    def made(
        self,
        question: tuple[str, str],
        make: Callable[[], bytes],
        uri: str,
        mtime_s: float | None,
        wait: bool,
    ) -> File:
        """The content as a file; ``uri`` is the array's.

        Raises:
            As `content`.
        """
        return MadeFile(self, question, make, uri, mtime_s, len(self.content(question, make, wait)))

    def file(self, array: ArrayNode, selection: Selection, mtime_s: float | None, wait: bool) -> File:
        """The elements as JSON in a file.

        Raises:
            WouldBlockError: it is not in memory, and ``wait`` is False.
            UnsupportedError: the text would be too long.
            SelectionError: the selection is outside the array.
            As `Array.read`.
        """

        def make() -> bytes:
            return values_as_text(array, selection, "json", _MAX_NBYTES)

        return self.made((array.path, repr(selection)), make, array.uri, mtime_s, wait)


class MadeFile(File):
    """A file of one content. It keeps the size but not the bytes, since the kernel remembers many files."""

    __slots__ = ("_make", "_question", "_texts", "_uri", "mtime_s", "size")

    def __init__(
        self,
        texts: Texts,
        question: tuple[str, str],
        make: Callable[[], bytes],
        uri: str,
        mtime_s: float | None,
        size: int,
    ) -> None:
        self._texts = texts
        self._question = question
        self._make = make
        self._uri = uri
        self.mtime_s = mtime_s
        self.size = size

    def open(self, wait: bool) -> OpenFile:
        content = self._texts.content(self._question, self._make, wait)
        if len(content) != self.size:
            raise ChangedError(f"the elements of {self._uri} have changed: open the file again")
        return Content(content)
