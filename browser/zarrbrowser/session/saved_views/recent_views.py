"""The images that the user looked at last, each with a thumbnail, in the user's cache folder."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from zarrbrowser.session.saved_views.private_files import TEMPORARY, write_private
from zarrbrowser.session.saved_views.view import BadViewError, SavedView, document_of, parse_json, view_of

MOST_RECENT = 12
MOST_NBYTES = 512 * 2**10
"""The largest file of one view."""
_PNG = b"\x89PNG\r\n\x1a\n"
_ABANDONED_S = 3600.0


@dataclass(frozen=True, slots=True)
class RecentView:
    """A view, and a small picture of it."""

    view: SavedView
    png: bytes


class RecentViews:
    """The latest view of each of the last nodes, one file for each. Thread-safe; several programs may use a folder.

    Args:
        folder: where the files are; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._generation = 0

    @property
    def generation(self) -> int:
        """A number that `forget` changes; to be asked before a view is kept in another thread."""
        return self._generation

    def keep(self, recent: RecentView, generation: int) -> None:
        """Keep a view as the latest one, unless all were forgotten since ``generation``.

        Raises:
            OSError: the folder cannot be written.
        """
        if self._folder is None:
            return
        picture = base64.b64encode(recent.png).decode()
        document = {**document_of(recent.view), "picture": picture}
        name = hashlib.sha256("\0".join(recent.view.node).encode(errors="surrogatepass")).hexdigest()[:32]
        with self._lock:
            if generation == self._generation:
                write_private(self._folder / f"{name}.json", json.dumps(document).encode())
                for path in self._files()[MOST_RECENT:]:
                    path.unlink(missing_ok=True)
                self._remove_temporary(_ABANDONED_S)

    def latest(self) -> list[RecentView]:
        """The views, the latest first; files that are damaged are left out."""
        found = [] if self._folder is None else [_read(path) for path in self._files()[:MOST_RECENT]]
        return [one for one in found if one is not None]

    def forget(self) -> None:
        """Remove all views and thumbnails.

        Raises:
            OSError: a file cannot be removed.
        """
        with self._lock:
            self._generation += 1
            for path in self._files():
                path.unlink(missing_ok=True)
            self._remove_temporary(0.0)

    def _files(self) -> list[Path]:
        """The files, the latest first."""
        return sorted(self._entries(".json"), key=_changed_ns, reverse=True)

    def _entries(self, suffix: str) -> Iterator[Path]:
        if self._folder is not None:
            with contextlib.suppress(FileNotFoundError):
                yield from (path for path in self._folder.iterdir() if path.name.endswith(suffix))

    def _remove_temporary(self, older_than_s: float) -> None:
        """Remove files that a program was writing when it ended."""
        before_ns = time.time_ns() - int(older_than_s * 1e9)
        for path in [*self._entries(TEMPORARY)]:
            if _changed_ns(path) <= before_ns:
                path.unlink(missing_ok=True)


def _read(path: Path) -> RecentView | None:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_NBYTES + 1)
        if len(data) > MOST_NBYTES:
            return None
        document = parse_json(data.decode())
        png = base64.b64decode(document["picture"], validate=True)
        return RecentView(view_of(document), png) if png.startswith(_PNG) else None
    except (BadViewError, OSError, ValueError, KeyError, TypeError):
        return None


def _changed_ns(path: Path) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return 0
