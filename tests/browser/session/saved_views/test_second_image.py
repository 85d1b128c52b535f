"""The second image of a view as JSON."""

from __future__ import annotations

import json

from tests.browser.fakes import FakeGroup, FakeHierarchy
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.saved_views.second_image import SecondImage
from zarrbrowser.session.sources import Source, SourceRequest

SETTINGS = {"zooms": True, "moves": False, "view": {"rows": 0}}


def source(address: str, options: Connection | None = None) -> Source:
    hierarchy = FakeHierarchy(FakeGroup({}))
    hierarchy.url = address
    return Source(SourceRequest(address, options=options), hierarchy, hierarchy.root)


def test_it_is_read_as_it_was_written() -> None:
    request = SourceRequest("s3://b/a", "/x", "v2", Connection("https://mine", "eu-west-1", "work"))
    for refused in ("", "Links cannot."):
        second = SecondImage(request, SETTINGS, refused)
        assert SecondImage.of(json.loads(json.dumps(second.document()))) == second
    root = SecondImage(SourceRequest("/data/a.zarr"), {})
    assert root.document() == {"address": "/data/a.zarr", "path": "/"}
    assert SecondImage.of(root.document()) == root


def test_no_document_and_malformed_ones_are_none() -> None:
    good = SecondImage(SourceRequest("/a"), SETTINGS).document()
    bad = [None, [], {}, *({**good, name: 3} for name in ("address", "path", "format", "refused", "profile"))]
    bad += [{**good, "path": "/a\0b"}, {**good, "address": "x" * 5000}, {**good, "anonymous": "yes"}]
    assert [SecondImage.of(document) for document in bad] == [None] * len(bad)


def test_it_is_of_a_source_at_its_address_on_its_server() -> None:
    def second(endpoint_url: str = "") -> SecondImage:
        options = Connection(endpoint_url) if endpoint_url else None
        return SecondImage(SourceRequest("s3://b/a/", "/x", options=options), {})

    there, elsewhere = source("s3://b/a", Connection("https://mine")), source("s3://b/other")
    assert second().is_of(there)
    assert second("https://mine").is_of(there)
    assert not second("https://evil").is_of(there)
    assert not second().is_of(elsewhere)
