"""What a path of this machine would be opened as, for people who choose one among many."""

from __future__ import annotations

import os
from contextlib import closing
from functools import cache, partial

from zarrcore.errors import ZarrError
from zarrcore.formats import known_formats
from zarrcore.formats.detect import fetch_document, is_there
from zarrcore.stores import LocalStore
from zarrcore.stores.kinds import kind_by_content, kind_by_suffix, kind_of_folder

FOLDER = "folder"


def kind_of_path(path: str) -> str:
    """What a file or folder is: ``HDF5 file``, ``Zarr v3``, `FOLDER` for any other; empty for what cannot be opened.

    It reads the beginning of a file or the documents of a folder's root, and lists nothing.
    """
    place = os.path.realpath(path)
    try:
        return _kind_of_folder(place) if os.path.isdir(place) else _kind_of_file(place)
    except (ZarrError, OSError):
        return ""


def _kind_of_file(place: str) -> str:
    directory, name = os.path.split(place)
    with closing(LocalStore(directory)) as store:
        kind = kind_by_content(store, name)
    if kind is None and not os.path.getsize(place):
        kind = kind_by_suffix(name)  # it is being written
    return "" if kind is None else kind.title


def _kind_of_folder(place: str) -> str:
    with closing(LocalStore(place)) as store:
        kind = kind_of_folder(store)
        if kind is not None:
            return kind.title
        get = cache(partial(fetch_document, store))
        for candidate in known_formats():
            found = candidate.detect(get, partial(is_there, store)) if candidate.deciding_keys else None
            if found is not None:
                return found.title
    return FOLDER
