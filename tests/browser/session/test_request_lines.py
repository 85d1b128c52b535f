"""Requests saved as lines: restored as they were, but without credentials."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.session.connection import Connection
from zarrbrowser.session.request_lines import from_line, request_document, request_of, to_line
from zarrbrowser.session.sources import SourceRequest
from zarrcore.stores.options import StoreOptions

WORDS = st.text("abc:/.-", max_size=8)


@given(
    st.builds(
        SourceRequest,
        WORDS.filter(bool),
        WORDS.map(lambda text: "/" + text),
        st.sampled_from([None, "v2"]),
        st.builds(Connection, WORDS, WORDS, WORDS, st.booleans(), st.booleans()).map(
            lambda connection: None if connection == Connection() else connection
        ),
    )
)
def test_a_saved_request_is_restored(request_: SourceRequest) -> None:
    assert from_line(to_line(request_)) == request_


def test_credentials_are_not_saved() -> None:
    options = StoreOptions(
        headers={"Authorization": "Bearer secret"}, region="eu-west-1", profile="work", anonymous=False
    )
    text = to_line(SourceRequest("s3://bucket/a", options=options))
    assert "secret" not in text
    assert from_line(text) == SourceRequest(
        "s3://bucket/a", options=Connection(region="eu-west-1", profile="work")
    )
    user = Connection("http://user:secret@host")
    assert "secret" not in to_line(SourceRequest("s3://bucket/a", options=user))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one",
        "[]",
        "{}",
        '{"address": 3}',
        '{"address": ""}',
        '{"address": "a", "region": 1}',
        '{"address": "a", "anonymous": "no"}',
        '{"address": "a", "requester_pays": null}',
        "null",
        "[" * 100_000,
    ],
    ids=lambda text: text[:30],
)
def test_malformed_lines_are_ignored(text: str) -> None:
    assert from_line(text) is None


def test_a_line_is_one_line_and_keeps_any_letters() -> None:
    request = SourceRequest("/données/\n細胞.zarr", "/é", "v2")
    assert "\n" not in to_line(request)
    assert from_line(to_line(request)) == request


def test_further_members_of_a_line_are_ignored() -> None:
    assert from_line('{"address": "a.zarr", "headers": {"a": "b"}}') == SourceRequest("a.zarr")


def test_a_document_may_have_other_members() -> None:
    document = request_document(SourceRequest("s3://bucket/a", "/x", "v2"))
    assert document == {"address": "s3://bucket/a", "format": "v2", "path": "/x"}
    assert request_of({**document, "title": "a"}) == SourceRequest("s3://bucket/a", "/x", "v2")
    assert request_of({"path": "/x"}) is None
    assert request_of({"address": "a.zarr", "format": ""}) == SourceRequest("a.zarr")
