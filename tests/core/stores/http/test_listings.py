"""HTTPStore: listings from the pages of web servers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.any_store import open_store
from tests.command import Outcome
from tests.core.stores.conftest import Opener
from tests.servers import FaultServer, WebServer
from tests.waiting import PATIENCE_S
from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    ListingUnsupportedError,
    StoreError,
    StoreNotFoundError,
    StoreTimeoutError,
    UnreachableError,
)


def test_faults_of_listings_keep_their_class(faults: FaultServer, opened: Opener) -> None:
    expected = [
        (401, AccessDeniedError),
        (503, UnreachableError),
        ("hang", StoreTimeoutError),
        ("drip", StoreTimeoutError),
    ]
    for fault, kind in (*expected, (403, ListingUnsupportedError)):
        store = opened(timeout_s=0.3 if kind is StoreTimeoutError else PATIENCE_S)
        faults.faults["a/"] = fault
        with pytest.raises(kind):
            list(store.list_dir("a/"))


def test_a_server_without_listings_says_so(nginx: WebServer, faults: FaultServer) -> None:
    faults.values[""] = faults.values["a/"] = b"<html><title>Welcome</title><a href='a/'>a</a></html>"
    faults.content_types = {"": "text/html", "a/": "text/html"}
    for url in (f"{nginx.plain_url}/values", faults.url, f"{faults.url}/none"):
        store = open_store(url, timeout_s=5)
        for prefix in ("", "a/"):
            with pytest.raises(ListingUnsupportedError, match="no directory listings"):
                list(store.list_dir(prefix))


APACHE = b"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
<html><head><title>Index of /data</title></head><body><h1>Index of /data</h1>
<table><tr><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th></tr>
<tr><td><a href="/">Parent Directory</a></td></tr>
<tr><td><a href="a%20b/">a b/</a></td><td>-</td></tr>
<tr><td><a href="c.bin">c.bin</a></td><td>1.2K</td></tr>
<tr><td><a href="%C3%BC">&uuml;</a></td></tr>
<tr><td><a href="./d">d</a></td></tr>
<tr><td><a href="/data/e">e</a></td></tr>
<tr><td><a href="../data/f/">f</a></td></tr>
<tr><td><a href="c.bin">again</a></td></tr>
<tr><td><a href="..">up</a> <a href="../other">beside</a> <a href="deep/er">deeper</a> <a href="#top">top</a></td></tr>
<tr><td><a href="http://elsewhere/data/x">x</a> <a href="//elsewhere/data/y">y</a> <a href="javascript:0">z</a></td></tr>
<tr><td><a href="%2e%2e/g">g</a> <a href="h%2Fi">h/i</a> <a href="mailto:a@b">m</a> <a href="http://[">w</a></td></tr>
</table></body></html>"""


def test_listings_contain_only_entries_beneath_the_directory(faults: FaultServer, opened: Opener) -> None:
    faults.values["data/"] = APACHE
    faults.content_types["data/"] = "text/html;charset=UTF-8"
    keys = [entry.key for entry in opened("data").list_dir("")]
    assert keys == ["a b/", "c.bin", "ü", "d", "e", "f/"]


def test_a_moved_directory_is_listed(faults: FaultServer, opened: Opener) -> None:
    faults.faults["x/"] = f"moved:{faults.url}/data/"
    faults.values["data/"] = APACHE
    faults.content_types["data/"] = "text/html"
    assert "c.bin" in [entry.key for entry in opened("x").list_dir("")]


@pytest.mark.parametrize(
    ("fault", "kind"), [(503, UnreachableError), ("hang", StoreTimeoutError), (401, AccessDeniedError)]
)
def test_an_outage_of_the_root_does_not_mean_that_listings_are_unsupported(
    faults: FaultServer, opened: Opener, fault: int | str, kind: type[StoreError]
) -> None:
    faults.faults[""] = fault
    with pytest.raises(kind):
        list(opened(timeout_s=0.3 if fault == "hang" else PATIENCE_S).list_dir("absent/"))


@pytest.mark.parametrize("status", [403, 404, 405])
def test_a_root_without_a_page_means_that_listings_are_unsupported(
    faults: FaultServer, opened: Opener, status: int
) -> None:
    faults.faults[""] = status
    for prefix in ("", "absent/"):
        with pytest.raises(ListingUnsupportedError):
            list(opened().list_dir(prefix))


def test_the_page_of_a_prefix_lists_its_entries(nginx: WebServer) -> None:
    store = open_store(f"{nginx.url}/values")
    assert store.has_prefix("a/c/")
    assert not store.has_prefix("absent/")


def test_a_url_with_nothing_at_it_is_reported(
    nginx: WebServer, apache: WebServer, rclone: WebServer, python_web: WebServer
) -> None:
    for url in (nginx.url, nginx.json_url, apache.url, apache.webdav_url, rclone.url, python_web.url):
        for place in ("absent", "values/absent/"):
            with pytest.raises(StoreNotFoundError, match=rf"^there is nothing at {url}/{place.rstrip('/')}$"):
                list(open_store(f"{url}/{place}").list_dir(""))
        assert list(open_store(f"{url}/values").list_dir("absent/")) == []


def test_a_url_of_another_file_is_not_called_empty(nginx: WebServer, python_web: WebServer) -> None:
    for server in (nginx.url, nginx.json_url, python_web.url):
        url = f"{server}/values/ab/x"
        with pytest.raises(
            StoreNotFoundError, match=f"^{url} is neither a folder nor a file of a known kind$"
        ):
            list(open_store(url).list_dir(""))


def test_an_error_about_missing_listings_gives_advice(
    nginx: WebServer, zarrscope: Callable[..., Outcome]
) -> None:
    url = f"{nginx.plain_url}/values"
    assert zarrscope("ls", url).stderr == (
        f"zarrscope: {url}: the server shows no directory listings; name a path in it, or show its "
        "consolidated metadata, if it has any (zarrscope tree)\n"
    )
    assert zarrscope("ls", url, "a").status == 1
    assert zarrscope("ls", url, "a/zarr.json").text == "a/zarr.json\n"


def test_a_directory_that_contains_itself_is_reported(faults: FaultServer, opened: Opener) -> None:
    class Endless(dict[str, bytes]):
        """The same page for every directory."""

        def __contains__(self, key: object) -> bool:
            return str(key).endswith("/") or key == ""

        def __getitem__(self, key: str) -> bytes:
            return b"<title>Index of /</title><a href='a/'>a</a> <a href='b'>b</a> <a href='c/'>c</a>"

    class Pages(dict[str, str]):
        def get(self, key: str, default: object = None) -> str:
            return "text/html"

    faults.values, faults.content_types = Endless(), Pages()
    with pytest.raises(BrokenBodyError, match="are nested without end") as caught:
        list(opened(timeout_s=10).list())
    assert "\n" not in str(caught.value)
    assert len(faults.requests) < 150


def test_half_a_page_is_not_a_listing(faults: FaultServer, opened: Opener) -> None:
    faults.values[""] = APACHE
    faults.content_types[""] = "text/html"
    faults.faults[""] = "truncate"
    with pytest.raises(BrokenBodyError):
        list(opened(retries=0).list_dir(""))
    faults.faults[""] = []
    faults.values[""] = b'[{"name": "a", "type": "file"}, {"name"'
    faults.content_types[""] = "application/json"
    with pytest.raises(ListingUnsupportedError):
        list(opened().list_dir(""))


@pytest.mark.parametrize(
    "page", [b"", b"garbage", b"<D:multistatus xmlns:D='DAV:'><D:response>", b"<html></html>"]
)
def test_a_malformed_webdav_listing_is_reported(faults: FaultServer, opened: Opener, page: bytes) -> None:
    # The page of the root is refused, the server claims to support WebDAV, and then sends garbage.
    faults.bodies[207] = page
    faults.faults[""] = [403, 207, 207]
    with pytest.raises(BrokenBodyError, match="listing of / cannot be read") as caught:
        list(opened(timeout_s=5).list_dir(""))
    assert "\n" not in str(caught.value)


def test_names_beside_the_webdav_folder_are_left_out(faults: FaultServer, opened: Opener) -> None:
    response = (
        "<D:response><D:href>{}</D:href><D:propstat><D:prop><D:getcontentlength>1</D:getcontentlength>"
        "<D:getlastmodified>Sun, 01 Jan 2023 00:00:00 GMT</D:getlastmodified><D:resourcetype>{}</D:resourcetype>"
        "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
    )
    hrefs = ("/a/", "/a/b/", "/", "/other/", "/ab/", "spare/")
    responses = [response.format(href, "<D:collection/>") for href in hrefs]
    responses += [response.format(href, "") for href in ("/a/c", "/other/c")]
    page = f"<?xml version='1.0'?><D:multistatus xmlns:D='DAV:'>{''.join(responses)}</D:multistatus>"
    faults.bodies[207] = page.encode()
    faults.faults = {"a/": [403, 207, 207], "a": 207}
    entries = opened("a", timeout_s=5).list_dir("")
    assert [entry.key for entry in entries] == ["b/", "c"]


def test_more_names_than_any_directory_has_are_an_error(
    faults: FaultServer, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrcore.stores.http.store._NAMES_MAX", 3)
    faults.content_types[""] = "application/json"
    for count in (3, 4):
        names = ", ".join(f'{{"name": "{number}", "type": "file"}}' for number in range(count))
        faults.values[""] = f"[{names}]".encode()
        found = opened().list_dir("")
        assert [next(found).key for _ in range(3)] == ["0", "1", "2"]
        if count == 3:
            assert next(found, None) is None
        else:
            with pytest.raises(BrokenBodyError, match="more than 3 names"):
                next(found)
