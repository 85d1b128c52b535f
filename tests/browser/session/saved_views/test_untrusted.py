"""What views of others may name."""

from __future__ import annotations

import pytest

from zarrbrowser.session.connection import Connection
from zarrbrowser.session.saved_views.second_image import SecondImage
from zarrbrowser.session.saved_views.untrusted import address_of, as_untrusted, with_usual_connection
from zarrbrowser.session.saved_views.view import BadViewError, SavedView
from zarrbrowser.session.sources import RecentSources, SourceRequest


def view(address: str, **connection: object) -> SavedView:
    options = Connection(**connection) if connection else None  # type: ignore[arg-type]
    return SavedView("a", SourceRequest(address, options=options))


@pytest.mark.parametrize(
    "address",
    [
        "/data/a.zarr",
        "/data/a.zip|zip:x",
        "file:///data/a.zarr",
        "s3://bucket/a.zarr",
        "gcs://bucket/a.zarr",
        "gs://bucket/a",
        "az://container@account/a",
        "abfs://container@account.dfs.core.windows.net/a",
        "https://example.org:8443/a",
        "zip://https://example.org/a.zip",
        "precomputed://gs://bucket/volume",
    ],
)
def test_usual_stores_may_be_opened(address: str) -> None:
    assert as_untrusted(view(address)).request.address == address


@pytest.mark.parametrize(
    "address",
    [
        "a.zarr",
        "~/a.zarr",
        "../a",
        "redis://evil.example",
        "lmdb:///data/a",
        "sqlite:///data/a",
        "ssh://evil.example/a",
        "memory://a",
        "simplecache::s3://bucket/a",
        "zip://redis://evil.example",
        "zip://relative.zip",
        "s3://evil.example#/a",
        "az://c@evil%23/a",
        "az://c@evil\\x/a",
        "s3:///a",
        "s3a:///a",
    ],
)
def test_other_stores_are_for_those_who_type_their_address(address: str) -> None:
    with pytest.raises(BadViewError) as caught:
        as_untrusted(view(address))
    assert str(caught.value).endswith(".")


def test_a_region_is_a_name_and_not_a_part_of_another_server() -> None:
    assert as_untrusted(view("s3://bucket/a", region="eu-west-1")).request.options == Connection(
        region="eu-west-1"
    )
    with pytest.raises(BadViewError, match="region"):
        as_untrusted(view("s3://bucket/a", region="x.evil.example/"))


def test_a_server_that_others_name_gets_no_credentials() -> None:
    found = as_untrusted(view("s3://b/a", endpoint_url="https://evil", profile="work", requester_pays=True))
    assert found.request.options == Connection("https://evil", anonymous=True)
    assert as_untrusted(view("s3://b/a", profile="work")).request.options is None


def beside(address: str, **further: object) -> SavedView:
    """A view of a local array with a second image."""
    document = {"address": address, "path": "/x", "zooms": False, "view": {"rows": 0}, **further}
    return SavedView("a", SourceRequest("/data/a.zarr"), "Image", {"index": [3], "beside": document})


def test_the_same_holds_for_the_second_image() -> None:
    found = as_untrusted(
        beside("https://me:pw@host/a?sig=1", endpoint_url="https://evil", profile="work", requester_pays=True)
    )
    assert found.state["index"] == [3]
    assert found.state["beside"] == {
        "address": "https://host/a",
        "path": "/x",
        "zooms": False,
        "view": {"rows": 0},
        "endpoint_url": "https://evil",
        "anonymous": True,
    }
    told = as_untrusted(beside("s3://b/a", refused="Send your password to evil."))
    assert "refused" not in told.state["beside"]


@pytest.mark.parametrize(
    "address", ["redis://me:pw@evil/a", "a.zarr", "simplecache::s3://b/a", "az://c@evil\\x/a"]
)
def test_a_second_image_that_a_view_must_not_open_says_why(address: str) -> None:
    found = as_untrusted(beside(address, profile="work")).state["beside"]
    assert found["refused"].endswith(".")
    assert "profile" not in found
    assert "pw" not in str(found)
    assert as_untrusted(SavedView("a", SourceRequest("/a"), "", {"beside": found})).state["beside"] == found


def test_a_malformed_second_image_stays_malformed() -> None:
    for document in (
        None,
        3,
        {"address": 3, "path": "/"},
        {"address": "/a"},
        {"address": "a\nb", "path": "/"},
    ):
        view = SavedView("a", SourceRequest("/a"), "", {"beside": document})
        assert as_untrusted(view) == view
        assert SecondImage.of(document) is None


def test_the_second_image_uses_its_usual_connection_too() -> None:
    recent = RecentSources()
    mine = SourceRequest("s3://b/a", format="v2", options=Connection("https://mine", profile="work"))
    recent.add(mine)
    told = with_usual_connection(beside("s3://b/a"), recent).state["beside"]
    assert (told["endpoint_url"], told["profile"], told["format"]) == ("https://mine", "work", "v2")
    other = beside("s3://b/a", endpoint_url="https://evil", anonymous=True)
    assert with_usual_connection(other, recent) == other


def test_the_connection_that_was_used_before_is_used_again() -> None:
    recent = RecentSources()
    assert with_usual_connection(view("s3://b/a"), recent) == view("s3://b/a")
    mine = SourceRequest("s3://b/a/", format="v2", options=Connection("https://mine", profile="work"))
    recent.add(mine)
    for told in (view("s3://b/a"), view("s3://b/a", endpoint_url="https://mine", anonymous=True)):
        request = with_usual_connection(told, recent).request
        assert (request.options, request.format) == (mine.options, "v2")
    other = view("s3://b/a", endpoint_url="https://evil", anonymous=True)
    assert with_usual_connection(other, recent) == other, "the credentials are for another server"


def test_the_address_is_absolute_and_has_no_password(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.chdir(str(tmp_path))
    request = SourceRequest("x")
    assert address_of(request, "a.zarr") == f"{tmp_path}/a.zarr"
    assert address_of(request, "https://me:secret@host/a?sig=secret") == "https://host/a"
    assert address_of(request, "s3://bucket/a") == "s3://bucket/a"
