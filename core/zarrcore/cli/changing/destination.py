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
_NO_REPOSITORY: Final = re.compile(
    r"(lmdb|memory|rediss?|sqlite|zip):|.*\.(zip|ozx)\Z", re.DOTALL | re.IGNORECASE
)
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|.*::", re.DOTALL)


def check_destination(text: str, *, is_repository: bool = False) -> None:
    """Refuse to make a folder that has the name of a database, or to write into the files of one.

    An Icechunk repository in a database or a zip file is refused too, before the file is made.

    A folder of such a name that exists, and a name that ends with ``/``, are taken as they are.

    Args:
        is_repository: whether an Icechunk repository is written.

    Raises:
        SelectionError: the path has the name of a database, and is not that of a folder; or a repository cannot be there.
    """
    from zarrcore.errors import SelectionError

    if is_repository and _NO_REPOSITORY.match(text) and not os.path.isdir(os.path.expanduser(text)):
        raise SelectionError(
            f"{text}: an Icechunk repository cannot be in a database or a zip file: name a folder, or a URL of S3, GCS or Azure"
        )
    scheme = _SCHEMES.get(os.path.splitext(text)[1].lower())
    path = os.path.expanduser(text)
    if scheme is None or _URL.match(text) or "|" in text or _is_something_else(path):
        return
    database = f"{scheme}://{text} for {_TITLES[scheme]}" if not is_repository else ""
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
