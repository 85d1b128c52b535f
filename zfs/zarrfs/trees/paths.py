"""Paths in a tree, for front ends that remember no entries between two calls."""

from __future__ import annotations

from collections.abc import Sequence

from zarrcore.errors import ChangedError
from zarrfs.trees.entry import Directory, Entry, File, OpenFile


def find(root: Directory, names: Sequence[str], wait: bool = True) -> Entry | None:
    """The entry at a path; None if it does not exist.

    Args:
        root: the directory where the path begins.
        names: the names on the path, none for the root itself.
        wait: as in `Directory.lookup`.

    Raises:
        WouldBlockError: the call would have to wait, and ``wait`` is False.
        StoreError: the store failed.
        UnsupportedError: the name stands for a file that the node cannot have.
    """
    entry: Entry = root
    for name in names:
        # A name with a slash is not the name of one file, and no tree has an empty name.
        if not isinstance(entry, Directory) or not name or "/" in name:
            return None
        found = entry.lookup(name, wait)
        if found is None:
            return None
        entry = found
    return entry


def open_file(root: Directory, names: Sequence[str], wait: bool = True) -> tuple[File, OpenFile] | None:
    """The file at a path, and the same file open, which knows its size; None if it does not exist or is a directory.

    An entry may be as old as its tree remembers. If it has changed since, it is looked up once more.

    Raises:
        ChangedError: it changes all the time.
        As `find`, and `File.open`.
    """
    try:
        return _opened(find(root, names, wait), wait)
    except ChangedError:
        return _opened(find(root, names, wait), wait)


def _opened(entry: Entry | None, wait: bool) -> tuple[File, OpenFile] | None:
    return (entry, entry.open(wait)) if isinstance(entry, File) else None
