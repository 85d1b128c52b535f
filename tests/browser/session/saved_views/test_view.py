"""The document of a view: restored as it was, without credentials, and never an error but one sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.session.saved_views.views import refusal, views
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.saved_views.view import (
    MOST_ADDRESS,
    MOST_STATE,
    MOST_TITLE,
    VERSION,
    BadViewError,
    SavedView,
    document_of,
    parse_json,
    view_of,
)
from zarrbrowser.session.sources import SourceRequest
from zarrcore.stores.options import StoreOptions

GOOD = {
    "version": 1,
    "title": "raw",
    "address": "/data/a.zarr",
    "path": "/raw",
    "tab": "Image",
    "view": {"index": [1]},
}


@given(views())
def test_a_document_gives_the_same_view(view: SavedView) -> None:
    text = json.dumps(document_of(view))
    assert text.isascii()
    assert view_of(parse_json(text)) == view


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": VERSION + 1}, "newer zarrscope"),
        ({"version": 0}, "not a view"),
        ({"version": True}, "not a view"),
        ({"version": "1"}, "not a view"),
        ({"address": ""}, "source"),
        ({"address": 3}, "source"),
        ({"address": "/data/a\0b"}, "characters"),
        ({"address": "/data/\ud800"}, "characters"),
        ({"path": "/a\x1b[2J"}, "characters"),
        ({"address": "/" + "a" * MOST_ADDRESS}, "longer than"),
        ({"region": 1}, "source"),
        ({"path": None}, "source"),
        ({"tab": 1}, "tab"),
        ({"tab": "x" * 100}, "tab"),
        ({"title": []}, "title"),
        ({"view": []}, "settings"),
        ({"view": {"a": "x" * MOST_STATE}}, "too long"),
    ],
)
def test_malformed_documents_give_one_sentence(change: dict[str, Any], said: str) -> None:
    assert view_of(GOOD).title == "raw"
    with pytest.raises(BadViewError, match=said) as caught:
        view_of({**GOOD, **change})
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one",
        "[" * 100_000,
        "NaN",
        '{"a": Infinity}',
        "1e999",
        "9" * 5000,
        str(2**64 + 1),
        '{"a": -1e400}',
        "\ud800",
    ],
    ids=lambda text: text[:20],
)
def test_what_is_not_json_of_finite_numbers_is_refused(text: str) -> None:
    with pytest.raises(BadViewError, match="not a view"):
        parse_json(text)


@given(st.text())
def test_any_text_is_json_or_gives_one_sentence(text: str) -> None:
    refusal(lambda: view_of(parse_json(text)))


def test_titles_are_one_short_line_of_printable_text() -> None:
    view = view_of({**GOOD, "title": "a\n\u202eb\x9b" + "x" * 500})
    assert view.title.isprintable()
    assert len(view.title) == MOST_TITLE
    assert view_of({**GOOD, "title": " \n"}).title == "/raw"


def test_unknown_members_are_ignored_and_headers_are_never_written() -> None:
    assert view_of({**GOOD, "new": {"more": 1}, "headers": {"A": "b"}}) == view_of(GOOD)
    options = StoreOptions(headers={"Authorization": "Bearer secret"}, region="eu-west-1")
    view = SavedView("a", SourceRequest("s3://bucket/a", options=options))
    assert "secret" not in json.dumps(document_of(view))
    assert view_of(document_of(view)).request.options == Connection(region="eu-west-1")


def test_the_shown_address_has_no_password() -> None:
    view = SavedView("a", SourceRequest("https://me:secret@host/a?sig=secret", "/x"))
    assert view.address == "https://host/a#/x"
    assert SavedView("a", SourceRequest("/a")).node == ("/a", "/")
