"""Bookmarks: views that the user named, in one file that all windows share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from zarrbrowser.session.saved_views.private_files import locked, write_private
from zarrbrowser.session.saved_views.view import BadViewError, SavedView, check_lasting, title_of
from zarrbrowser.session.saved_views.view_files import MOST_NBYTES, MOST_VIEWS, read_views, views_text

FILE_NAME = "bookmarks.zarrscope-views.json"


class Bookmarks:
    """The bookmarks in a file. Each change reads the file first, because another window may have changed it.

    Args:
        path: the file; None keeps bookmarks in memory.

    Attributes:
        problem: why the file cannot be read, as a sentence; empty if it can be.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._views: tuple[SavedView, ...] = ()
        self._stamp: object = None
        self.problem = ""

    @property
    def views(self) -> tuple[SavedView, ...]:
        """The bookmarks in their order; empty if the file cannot be read."""
        try:
            self._read()
        except (BadViewError, OSError):
            return ()
        return self._views

    def add(self, views: Sequence[SavedView]) -> list[SavedView]:
        """Add views at the end; those that are there already stay once. A title that is taken gets a number.

        Returns:
            The views as they were added.

        Raises:
            BadViewError: the file cannot be read, or could not be read again with these views; or there would be too many.
            OSError: it cannot be written.
        """
        added: list[SavedView] = []

        def change(present: list[SavedView]) -> list[SavedView]:
            for view in views:
                if view not in present:
                    check_lasting(view)
                    named = replace(view, title=_free(view.title, [one.title for one in present]))
                    present.append(named)
                    added.append(named)
            if len(present) > MOST_VIEWS:
                raise BadViewError(f"There are already {MOST_VIEWS:,} bookmarks: remove some first.")
            return present

        self._change(change)
        return added

    def rename(self, view: SavedView, title: str) -> None:
        """Give a bookmark another title; an empty one changes nothing. Raises what `add` raises."""

        def change(present: list[SavedView]) -> list[SavedView]:
            others = [one.title for one in present if one != view]
            named = replace(view, title=_free(title_of(title), others))
            return [named if one == view else one for one in present]

        if title_of(title):
            self._change(change)

    def remove(self, view: SavedView) -> None:
        """Remove a bookmark. Raises what `add` raises."""
        self._change(lambda present: [one for one in present if one != view])

    def move(self, view: SavedView, by: int) -> None:
        """Move a bookmark down the list, or up. Raises what `add` raises."""

        def change(present: list[SavedView]) -> list[SavedView]:
            if view in present:
                place = present.index(view)
                present.insert(min(max(place + by, 0), len(present) - 1), present.pop(place))
            return present

        self._change(change)

    def _change(self, change: Callable[[list[SavedView]], list[SavedView]]) -> None:
        if self._path is None:
            self._views = tuple(change([*self._views]))
            return
        with locked(self._path):
            self._read()
            changed = tuple(change([*self._views]))
            data = views_text(changed).encode()
            if len(data) > MOST_NBYTES:
                raise BadViewError(
                    f"The bookmarks would take more than {MOST_NBYTES // 2**20} MiB: remove some first."
                )
            write_private(self._path, data, is_durable=True)
            self._views, self._stamp = changed, self._present_stamp()

    def _read(self) -> None:
        """Read the file if it has changed."""
        stamp = self._present_stamp()
        if self._path is None or (stamp == self._stamp and not self.problem):
            return
        try:
            self._views = () if stamp is None else tuple(read_views(self._path))
        except BadViewError as error:
            # Written by a newer program, or by hand: it stays as it is.
            self.problem = f"The bookmarks in {self._path} cannot be read, and stay as they are. {error}"
            raise BadViewError(self.problem) from error
        except OSError as error:
            self.problem = f"{self._path} cannot be read: {error.strerror}."
            raise
        self._stamp, self.problem = stamp, ""

    def _present_stamp(self) -> object:
        if self._path is None:
            return None
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def _free(title: str, taken: Sequence[str]) -> str:
    """A title that is not taken: the same, or with a number.

    >>> _free("raw", ["raw", "raw (2)"])
    'raw (3)'
    """
    number, free = 1, title
    while free in taken:
        number += 1
        free = f"{title} ({number})"
    return free
