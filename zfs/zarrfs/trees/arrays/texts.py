"""Elements of any length: ``data.json``, and chunks of ``zarr3/``, made when their size is first asked for.

Few are kept; what is dropped is made again. Texts are bounded; chunks are by what decodes them.
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
        freshness: how long a text counts.
        before_open: called before chunks are decoded.
    """

    def __init__(self, freshness: Freshness, before_open: Callable[[], None]) -> None:
        self._freshness = freshness
        self._before_open = before_open
        self._known: Remembered[tuple[str, str], bytes] = Remembered(freshness, _KEPT_NBYTES)

    def content(self, question: tuple[str, str], make: Callable[[], bytes], wait: bool) -> bytes:
        """What ``make`` makes, remembered by ``question``: the path of an array, and what is asked about it.

        Raises:
            WouldBlockError: not without waiting.
            As ``make``.
        """
        known = self._known.get(question)
        if known is not None:
            return known[0]
        if not wait:
            raise WouldBlockError
        asked_s = self._freshness.now()
        self._before_open()
        content = make()
        self._known.put(question, content, asked_s, len(content))
        return content

    def forget(self) -> None:
        """Make all anew when it is asked for: something was written."""
        self._known.clear()

    def made(
        self,
        question: tuple[str, str],
        make: Callable[[], bytes],
        uri: str,
        mtime_s: float | None,
        wait: bool,
    ) -> File:
        """The same as a file; ``uri`` is the array's.

        Raises:
            As `content`.
        """
        return MadeFile(self, question, make, uri, mtime_s, len(self.content(question, make, wait)))

    def file(self, array: ArrayNode, selection: Selection, mtime_s: float | None, wait: bool) -> File:
        """The elements as JSON in a file.

        Raises:
            WouldBlockError: not without waiting.
            UnsupportedError: the text would be too long.
            SelectionError: the array has no such selection.
            As `Array.read`.
        """

        def make() -> bytes:
            return values_as_text(array, selection, "json", _MAX_NBYTES)

        return self.made((array.path, repr(selection)), make, array.uri, mtime_s, wait)


class MadeFile(File):
    """One content; it knows its size and not its bytes, since the kernel remembers many files."""

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
