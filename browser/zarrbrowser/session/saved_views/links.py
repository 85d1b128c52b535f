"""Links that hold one view.

    zarrscope://view?version=1&address=s3://bucket/a.zarr&path=/raw/0&tab=Image&title=raw&view=q1YqSCzJULIy1FFK…

Each parameter is percent-encoded; ``+`` is a plus sign. Parameters are those of the document of a view; ``view`` is its settings
as JSON, compressed (a raw deflate stream) and written in base64url without padding.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any
from urllib.parse import quote, unquote

from zarrbrowser.session.saved_views.untrusted import as_untrusted
from zarrbrowser.session.saved_views.view import (
    MOST_STATE,
    BadViewError,
    SavedView,
    check_lasting,
    document_of,
    parse_json,
    view_of,
)

SCHEME = "zarrscope"
MOST_LINK = 16 * 2**10
"""Characters; programs that pass a link on cut or refuse longer ones."""
_START = f"{SCHEME}://view"
_RAW_DEFLATE = -15
_FLAGS = ("anonymous",)


def is_link(text: str) -> bool:
    """Whether a text is a link to a view, well-formed or not."""
    return text.strip()[: len(SCHEME) + 1].lower() == f"{SCHEME}:"


def link_of(view: SavedView) -> str:
    """The link to a view, without what is only valid for this user: the profile, and that the requester pays.

    Raises:
        BadViewError: the view cannot be opened from a link, or the link would be too long.
    """
    safe = as_untrusted(view)
    check_lasting(safe)
    document = document_of(safe)
    state = document.pop("view", {})
    parameters = {name: "1" if value is True else str(value) for name, value in document.items()}
    if state:
        packer = zlib.compressobj(9, zlib.DEFLATED, _RAW_DEFLATE)
        packed = packer.compress(json.dumps(state, separators=(",", ":")).encode()) + packer.flush()
        parameters["view"] = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    words = (f"{name}={quote(value, '/:@', errors='surrogateescape')}" for name, value in parameters.items())
    link = f"{_START}?{'&'.join(words)}"
    if len(link) > MOST_LINK:
        raise BadViewError("The settings of the view are too long for a link: save it as a bookmark.")
    return link


def view_of_link(text: str) -> SavedView:
    """The view in a link, as one that a stranger made.

    Raises:
        BadViewError: the link is malformed, or leads to what no link may open.
    """
    text = text.strip()
    if len(text) > MOST_LINK:
        raise BadViewError(f"The link is longer than {MOST_LINK:,} characters.")
    start, _, query = text.partition("?")
    if start.rstrip("/").lower() != _START:
        raise BadViewError("This is not a link to a view: it does not begin with zarrscope://view.")
    document: dict[str, Any] = {}
    for word in query.partition("#")[0].split("&"):
        name, _, value = word.partition("=")
        document[unquote(name)] = unquote(value, errors="surrogateescape")
    version = document.get("version", "")
    document["version"] = int(version) if version.isdecimal() and len(version) < 9 else 0
    document |= {name: document[name] == "1" for name in _FLAGS if name in document}
    document.pop("requester_pays", None)  # a link does not make anyone pay
    if "view" in document:
        document["view"] = _unpacked(document["view"])
    return as_untrusted(view_of(document))


def _unpacked(text: str) -> Any:
    broken = "The link is damaged: its view settings cannot be decoded. Copy the whole link."
    unpacker = zlib.decompressobj(_RAW_DEFLATE)
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        state = unpacker.decompress(packed, MOST_STATE + 1)  # a small link could hold gigabytes
        if len(state) > MOST_STATE:
            raise BadViewError("The view settings in the link are too long.")
        if not unpacker.eof:
            raise BadViewError(broken)
        return parse_json(state.decode())
    except (ValueError, zlib.error) as error:
        if isinstance(error, BadViewError):
            raise
        raise BadViewError(broken) from error
