"""Files of views: bookmarks, saved by one user and opened by another."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from zarrbrowser.session.saved_views.view import (
    VERSION,
    BadViewError,
    SavedView,
    check_version,
    document_of,
    parse_json,
    view_of,
)

SUFFIX = ".zarrscope-views.json"
MOST_VIEWS = 1000
MOST_NBYTES = 4 * 2**20
_TYPE = "zarrscope views"


def is_views_file(address: str) -> bool:
    """Whether an address is that of a file of views, by its name."""
    return address.lower().endswith(SUFFIX)


def views_text(views: Sequence[SavedView]) -> str:
    """Views as the text of a file."""
    documents = [document_of(view) for view in views]
    return json.dumps({"type": _TYPE, "version": VERSION, "views": documents}, indent=1) + "\n"


def views_of(text: str) -> list[SavedView]:
    """The views in the text of a file.

    Raises:
        BadViewError: it is not such a file, or one of the views is malformed.
    """
    document = parse_json(text)
    if not isinstance(document, dict) or document.get("type") != _TYPE:
        raise BadViewError("This is not a file of views of zarrscope.")
    check_version(document, "file of views")
    found = document.get("views")
    if not isinstance(found, list):
        raise BadViewError("The file of views has no list of views.")
    if len(found) > MOST_VIEWS:
        raise BadViewError(f"The file has {len(found):,} views; at most {MOST_VIEWS:,} can be opened.")
    return [view_of(one) for one in found]


def read_views(path: Path) -> list[SavedView]:
    """The views in a file.

    Raises:
        BadViewError: it is not such a file.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(MOST_NBYTES + 1)
    if len(data) > MOST_NBYTES:
        raise BadViewError(f"The file of views is larger than {MOST_NBYTES // 2**20} MiB.")
    try:
        return views_of(data.decode())
    except UnicodeDecodeError as error:
        raise BadViewError("This is not a file of views of zarrscope: it is not text.") from error
