"""New places: a path whose name says database or file is a mistake: databases are named by a URL, and files are not changed."""

from __future__ import annotations

import os
import re
from typing import Final

from zarrcore.errors import SelectionError
from zarrcore.stores.kinds import SQLITE, kind_by_suffix

_SCHEMES: Final = {
    ".db": "sqlite",
    ".db3": "sqlite",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".lmdb": "lmdb",
    ".mdb": "lmdb",
}
_TITLES: Final = {"sqlite": "an SQLite file", "lmdb": "an LMDB database"}
_NO_FILES: Final = frozenset({"zip", "reference"})
"""Kinds of files whose names are those of other places, too: a zip file is written to."""
_NO_REPOSITORY: Final = re.compile(
    r"(lmdb|memory|rediss?|sqlite|zip):|.*\.(zip|ozx)\Z", re.DOTALL | re.IGNORECASE
)
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|.*::", re.DOTALL)


def check_destination(text: str, *, is_repository: bool = False, title: str = "", advice: str = "") -> None:
    """Refuse to make a folder that has the name of a database or a file, or to write into the files of a database.

    An Icechunk repository in a database or a zip file is refused too, before the file is made.

    A folder of such a name that exists, and a name that ends with ``/``, are taken as they are.

    Args:
        is_repository: whether an Icechunk repository is written.
        title: what a file of this name is, if the stores do not know it, such as "NumPy file".
        advice: how such a file is written; ends with "and ".

    Raises:
        SelectionError: the path has the name of a database or a file, and is not that of a folder; or a repository cannot
            be there.
    """
    if is_repository and _NO_REPOSITORY.match(text) and not os.path.isdir(os.path.expanduser(text)):
        raise SelectionError(
            f"{text}: an Icechunk repository cannot be in a database or a zip file: name a folder, or a URL of S3, GCS or Azure"
        )
    path = os.path.expanduser(text)
    if _URL.match(text) or "|" in text:
        return
    if not os.path.lexists(path):
        _refuse_file(text, title, advice)
    scheme = _SCHEMES.get(os.path.splitext(text)[1].lower())
    if scheme is None or _is_something_else(path):
        return
    database = f"{scheme}://{text} for {_TITLES[scheme]}" if not is_repository else ""
    folder = "" if os.path.lexists(path) else f"{text}/ for a folder of that name"
    ways = ", or ".join(filter(None, (database, folder)))
    raise SelectionError(f"{text} is the name of a database: write {ways or 'to another place'}")


def _refuse_file(text: str, title: str, advice: str) -> None:
    """Refuse a new folder that has the name of a file."""
    kind = kind_by_suffix(text)
    if kind is not None and kind.name not in _NO_FILES:
        title = kind.title
    if title:
        article = "an" if title.startswith("H") else "a"
        raise SelectionError(
            f"{text} would be a folder, but has the name of {article} {title}: {advice}{text}/ names a folder"
        )


def _is_something_else(path: str) -> bool:
    """Whether there is something that is not a database."""
    if os.path.isdir(path):
        return not os.path.exists(os.path.join(path, "data.mdb"))
    try:
        with open(path, "rb") as file:
            return file.read(len(SQLITE)) != SQLITE
    except OSError:
        return False
