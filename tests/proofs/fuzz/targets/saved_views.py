"""Links to views and files of views, which strangers may make: a view that can be saved and opened again, or a sentence."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar
from urllib.parse import quote

from tests.proofs.fuzz.documents import Choices, changed_document
from tests.proofs.fuzz.targets.kept_sessions import check_look
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.saved_views.links import MOST_LINK, link_of, view_of_link
from zarrbrowser.session.saved_views.untrusted import as_untrusted
from zarrbrowser.session.saved_views.view import BadViewError, SavedView, document_of
from zarrbrowser.session.saved_views.view_files import views_of, views_text

T = TypeVar("T")

MAX_LENGTH = 256
WORDS = (
    *("zarrscope://view?", "version=1", "&address=", "&path=", "&tab=", "&title=", "&view=", "&format="),
    *(
        "endpoint_url",
        "anonymous",
        "requester_pays",
        "profile",
        "region",
        "address",
        "path",
        "version",
        "view",
    ),
    *(
        "s3://",
        "gs://",
        "https://",
        "file:///",
        "zip://",
        "memory://",
        "redis://",
        "::",
        "reference::",
        "|zip:",
    ),
    *(
        "http://169.254.169.254/",
        "user:secret@",
        "..",
        "~",
        "%00",
        "%0A",
        "%25",
        "\x7f",
        "\ud800",
        "é",
        "a" * 5000,
    ),
    *(
        "zarrscope views",
        "views",
        "type",
        "[" * 3000,
        "1" * 5000,
        "1e999",
        "NaN",
        "-0",
        "18446744073709551617",
    ),
)
_VIEW = {
    "version": 1,
    "title": "raw",
    "address": "s3://bucket/a.zarr",
    "path": "/raw/0",
    "format": "v3",
    "region": "eu-west-1",
    "endpoint_url": "http://127.0.0.1:9000",
    "anonymous": True,
    "requester_pays": True,
    "profile": "lab",
    "tab": "Image",
    "view": {"rows": 1, "columns": 2, "index": [0, 0, 0], "norm": "log", "place": [[0.0, 2.0], [1, 3]]},
}
_EXAMPLES = (
    _VIEW,
    {"version": 1, "title": "", "address": "/data/a.zarr", "path": "/", "tab": "Table", "view": {}},
    {"version": 1, "title": "web", "address": "https://host/a.zip", "path": "/b"},
)


def check(data: bytes) -> None:
    """The first byte says what the rest is: a link, a file, or changes to a link or to a file."""
    if not data:
        return
    kind, rest = data[0] % 4, data[1:]
    if kind == 0:
        _check_link(rest.decode("utf-8", "surrogateescape"))
    elif kind == 1:
        _check_link(_link(changed_document(Choices(rest), _EXAMPLES, WORDS)))
    elif kind == 2:
        _check_file(rest.decode("utf-8", "replace"))
    else:
        files = [{"type": "zarrscope views", "version": 1, "views": [*_EXAMPLES]}]
        _check_file(json.dumps(changed_document(Choices(rest), files, WORDS)))


def _link(document: Any) -> str:
    """A link with the members of a document as its parameters."""
    parameters = document if isinstance(document, dict) else {"version": document}
    words = []
    for name, value in parameters.items():
        text = _packed(value) if name == "view" else "1" if value is True else str(value)
        words.append(f"{quote(str(name), errors='replace')}={quote(text, '/:@', errors='surrogatepass')}")
    return f"zarrscope://view?{'&'.join(words)}"


def _packed(state: Any) -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(json.dumps(state).encode()) + packer.flush()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _unless_refused(make: Callable[[], T], reason: str = "") -> T | None:
    """What a function returns; None if it refuses with a sentence that names the reason."""
    try:
        return make()
    except BadViewError as error:
        sentence = str(error)
    assert sentence.endswith(".")
    assert reason in sentence
    return None


def _check_link(text: str) -> None:
    view = _unless_refused(lambda: view_of_link(text))
    if view is None:
        return
    _check_safe(view)
    # Percent-encoding may make the link longer than the one that was read.
    link = _unless_refused(lambda: link_of(view), "too long")
    if link is None:
        return
    assert len(link) <= MOST_LINK
    # Not the views themselves: an endpoint with a password is not written.
    assert document_of(view_of_link(link)) == document_of(view)
    check_look(dict(view.state))


def _check_safe(view: SavedView) -> None:
    """Nothing that only the user may decide: see `untrusted`."""
    assert as_untrusted(view) == view
    connection, address = Connection.of(view.request.options), view.request.address
    assert not connection.profile
    assert not connection.requester_pays
    assert connection.anonymous or not connection.endpoint_url
    assert not any(ord(character) < 32 for character in address + view.request.path)
    assert address.startswith("/") or "://" in address
    assert "::" not in address


def _check_file(text: str) -> None:
    views = _unless_refused(lambda: views_of(text))
    if views is None:
        return
    assert [*map(document_of, views_of(views_text(views)))] == [*map(document_of, views)]
    for view in views:
        try:
            _check_safe(as_untrusted(view))
        except BadViewError:
            continue
        check_look(dict(view.state))


def examples() -> Iterable[bytes]:
    """A link, a file, and the documents that are changed."""
    yield b"\0" + _link(_VIEW).encode()
    yield b"\1"
    yield b"\2" + json.dumps({"type": "zarrscope views", "version": 1, "views": [*_EXAMPLES]}).encode()
    yield b"\3"
