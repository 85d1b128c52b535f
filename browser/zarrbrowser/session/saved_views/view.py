"""A saved view: a node, how to open its source, and how the node looked. It is a JSON document without credentials.

Views also come from files and links that others made: parsing gives a view or a `BadViewError`, nothing else.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zarrbrowser.session.request_lines import request_document, request_of
from zarrbrowser.session.sources import SourceRequest

VERSION = 1
MOST_TITLE, MOST_ADDRESS, MOST_TAB = 200, 4096, 40
"""Characters; longer titles are cut."""
MOST_STATE = 64 * 2**10
"""Characters of the view settings as JSON."""
_LARGEST = 2**64
"""Elements are not larger, and numbers with more digits take long to compute with."""


class BadViewError(ValueError):
    """A sentence that says why a text holds no view that can be shown."""


@dataclass(frozen=True, slots=True)
class SavedView:
    """A view that can be opened again."""

    title: str
    request: SourceRequest
    """The source and the node; its options are a `Connection` or None."""
    tab: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)
    """The settings of the tab: see `Pane.view_state`."""

    @property
    def node(self) -> tuple[str, str]:
        """The normalised address and the path: the same for all views of one node."""
        return self.request.place, self.request.path

    @property
    def address(self) -> str:
        """Address and path as the address line shows them."""
        request = self.request
        return request.shown_address + ("" if request.path == "/" else f"#{request.path}")


def title_of(text: str) -> str:
    """A text as the title of a view: one line, cut if it is long.

    >>> title_of("  a\\nb ")
    'a b'
    """
    line = "".join(c if c.isprintable() else "�" for c in " ".join(text.split()))
    return line if len(line) <= MOST_TITLE else line[: MOST_TITLE - 1] + "…"


def path_of(text: str) -> str:
    """A path in its usual form.

    >>> path_of("raw//0/"), path_of("")
    ('/raw/0', '/')
    """
    return "/" + "/".join(part for part in text.split("/") if part)


def document_of(view: SavedView) -> dict[str, Any]:
    """A view as JSON."""
    document = {"version": VERSION, "title": view.title, **request_document(view.request)}
    document |= {"tab": view.tab} if view.tab else {}
    return document | ({"view": dict(view.state)} if view.state else {})


def view_of(document: Any) -> SavedView:
    """The view in a document of `document_of`.

    Raises:
        BadViewError: it is not one, or a newer program wrote it.
    """
    check_version(document, "view")
    request = request_of(document)
    if request is None:
        raise BadViewError("The view does not name a source that can be opened.")
    check_place(request.address)
    check_place(request.path)
    tab, state, title = document.get("tab", ""), document.get("view", {}), document.get("title", "")
    if not isinstance(tab, str) or len(tab) > MOST_TAB or not isinstance(title, str):
        raise BadViewError("The title or the tab of the view is not a text.")
    if not isinstance(state, dict) or _is_long(state):
        raise BadViewError("The settings of the view are malformed or too long.")
    path = path_of(request.path)
    request = SourceRequest(request.address, path, request.format, request.options)
    return SavedView(title_of(title) or title_of(path), request, tab, state)


def check_lasting(view: SavedView) -> None:
    """Check that a view can be read again once it is written.

    Raises:
        BadViewError: it cannot be: its path has a line break, for example, or its settings are too long.
    """
    view_of(parse_json(json.dumps(document_of(view))))


def check_version(document: Any, what: str) -> None:
    """Check that a document is one that this program can read.

    Raises:
        BadViewError: it is not.
    """
    version = document.get("version") if isinstance(document, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise BadViewError(f"This is not a {what} of zarrscope.")
    if version > VERSION:
        raise BadViewError(
            f"A newer zarrscope wrote this {what} (version {version}): update zarrscope to open it."
        )


def check_place(text: str) -> None:
    """Check an address or a path.

    Raises:
        BadViewError: it is too long, or has characters that none has.
    """
    if len(text) > MOST_ADDRESS:
        raise BadViewError(f"The address of the view is longer than {MOST_ADDRESS:,} characters.")
    try:
        encoded = os.fsencode(text)
    except UnicodeEncodeError:
        encoded = b"\0"
    if any(byte < 32 or byte == 127 for byte in encoded):
        raise BadViewError("The address of the view has characters that no address has.")


def parse_json(text: str) -> Any:
    """JSON whose numbers are finite and not very large.

    Raises:
        BadViewError: it is not.
    """
    try:
        return json.loads(text, parse_constant=_finite, parse_float=_finite, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        raise BadViewError("This is not a view of zarrscope: it is not JSON of the expected form.") from error


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


def _integer(text: str) -> int:
    if len(text) > len(str(-_LARGEST)) or abs(number := int(text)) > _LARGEST:
        raise ValueError("the number is too large")
    return number


def _is_long(state: Mapping[str, Any]) -> bool:
    try:
        return len(json.dumps(state)) > MOST_STATE
    except (ValueError, TypeError, RecursionError):
        return True
