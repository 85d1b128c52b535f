"""DEST: a path whose name says database is a mistake, because databases are named by a URL."""

from __future__ import annotations

import os
import re
from typing import Final

_SCHEMES: Final = {
    ".db": "sqlite",
    ".db3": "sqlite",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".lmdb": "lmdb",
    ".mdb": "lmdb",
}
_TITLES: Final = {"sqlite": "an SQLite file", "lmdb": "an LMDB database"}
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|.*::", re.DOTALL)


def check_destination(text: str, *, takes_databases: bool = True) -> None:
    """Refuse to make a folder that has the name of a database, or to write into the files of one.

    A folder of such a name that exists, and a name that ends with ``/``, are taken as they are.

    Args:
        takes_databases: whether what is written may be in a database.

    Raises:
        SelectionError: the path has the name of a database, and is not that of a folder.
    """
    from zarrcore.errors import SelectionError

    scheme = _SCHEMES.get(os.path.splitext(text)[1].lower())
    path = os.path.expanduser(text)
    if scheme is None or _URL.match(text) or "|" in text or _is_something_else(path):
        return
    database = f"{scheme}://{text} for {_TITLES[scheme]}" if takes_databases else ""
    folder = "" if os.path.lexists(path) else f"{text}/ for a folder of that name"
    ways = ", or ".join(filter(None, (database, folder)))
    raise SelectionError(f"{text} is the name of a database: write {ways or 'to another place'}")


def _is_something_else(path: str) -> bool:
    """Whether there is something that is not a database."""
    if os.path.isdir(path):
        return not os.path.exists(os.path.join(path, "data.mdb"))
    from zarrcore.stores.kinds import SQLITE

    try:
        with open(path, "rb") as file:
            return file.read(len(SQLITE)) != SQLITE
    except OSError:
        return False
