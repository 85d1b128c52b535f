"""Listings: complete, readable by programs, and harmless whatever the names are."""

from __future__ import annotations

import html.parser
import http.client
import urllib.parse
from pathlib import Path

import httpx
import pytest

import zarrcore as zc
from tests.zfs.http.conftest import HOSTILE
from tests.zfs.http.serving import Served, get, serving
from zarrcore.stores import ListableStore, open_store


class Page(html.parser.HTMLParser):
    """The elements and links of a page, and the text of each link."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.links: dict[str, str] = {}
        self._link = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self._link = dict(attributes).get("href") or ""

    def handle_data(self, data: str) -> None:
        if self._link:
            self.links[data] = self._link
            self._link = ""


def test_a_page_links_to_every_entry(client: httpx.Client, served: Served) -> None:
    page = Page(client.get("/arrays/g/x/").text)
    assert list(page.links) == [
        "../", "metadata.json", "attributes.json", "data.raw", "data.npy", "slices/", "view in this browser",
    ]  # fmt: skip
    for link in page.links.values():
        assert client.get(urllib.parse.urljoin("/arrays/g/x/", link)).status_code == 200


def test_names_that_are_markup_stay_text(client: httpx.Client) -> None:
    answer = client.get("/arrays/")
    page = Page(answer.text)
    assert "script" not in page.elements
    link = page.links[f"{HOSTILE.replace('/', '|')}/"]
    below = client.get(urllib.parse.urljoin("/arrays/", link))
    assert below.status_code == 200
    assert "script" not in Page(below.text).elements
    assert "attributes.json" in Page(below.text).links
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "script-src" not in answer.headers["content-security-policy"]


def test_names_that_control_a_terminal_are_escaped_and_their_links_work(tmp_path: Path) -> None:
    name = "a\x1b[31m\u202e<b\n"
    zc.create(tmp_path / "a.zarr")
    (tmp_path / "a.zarr" / name).mkdir()
    (tmp_path / "a.zarr" / name / "c\u2067").write_bytes(b"1")
    with serving(tmp_path / "a.zarr", view="keys") as server:
        page = get(f"{server.url}/")
        link = Page(page.text).links["a\\x1b[31m\\u202e<b\\n/"]
        below = get(urllib.parse.urljoin(f"{server.url}/", link))
        for text in (page.text, below.text):
            assert text.replace("\n", "").isprintable()
        assert "<title>Index of /a\\x1b[31m\\u202e&lt;b\\n/</title>" in below.text
        assert get(urllib.parse.urljoin(str(below.url), Page(below.text).links["c\\u2067"])).content == b"1"
        listed = get(f"{server.url}/", headers={"accept": "application/json"})
        assert name in {entry["name"] for entry in listed.json()}
        assert listed.text.replace("\n", "").isprintable()


def test_programs_get_json(client: httpx.Client) -> None:
    answer = client.get("/arrays/g/x/", headers={"accept": "application/json"})
    entries = {entry["name"]: entry for entry in answer.json()}
    assert {name: entry["type"] for name, entry in entries.items()} == {
        "metadata.json": "file", "attributes.json": "file", "data.raw": "file", "data.npy": "file", "slices": "directory",
    }  # fmt: skip
    assert entries["data.raw"]["size"] == 48_000
    assert client.get("/keys/words/c/", headers={"accept": "application/json"}).json()[0]["type"] == "file"


def test_an_empty_directory_is_an_empty_list(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        assert get(f"{server.url}/keys/", headers={"accept": "application/json"}).json() == []
        assert list(Page(get(f"{server.url}/keys/").text).links) == ["../"]


def test_a_directory_of_many_names_is_complete(tmp_path: Path) -> None:
    zc.create(tmp_path / "a.zarr").create_array("x", shape=(3000, 2, 2), dtype="int8", chunks=(3000, 2, 2))
    with serving(tmp_path / "a.zarr", show=("raw",)) as server:
        listed = get(f"{server.url}/arrays/x/slices/", headers={"accept": "application/json"}).json()
        assert [entry["name"] for entry in listed] == [f"{number}.raw" for number in range(3000)]


def test_a_directory_without_a_slash_leads_to_the_one_with_it(client: httpx.Client, served: Served) -> None:
    answer = client.get("/arrays/g?token=x")
    assert (answer.status_code, answer.headers["location"]) == (308, "./g/?token=x")
    assert client.get("/arrays/g", follow_redirects=True).url.path == "/arrays/g/"
    # A name that looks like another server, or another scheme, leads nowhere else.
    hostile = urllib.parse.quote(HOSTILE.replace("/", "|"), safe="")
    moved = client.get(f"/arrays/{hostile}", follow_redirects=True)
    assert (moved.status_code, moved.url.host) == (200, "127.0.0.1")
    connection = http.client.HTTPConnection("127.0.0.1", served.port)
    for path in (
        "//evil.example",
        "//evil.example/..",
        "/arrays/.",
        "/arrays/g/../g",
        "/arrays/%2e%2e",
        "/arrays%2Fg",
    ):
        connection.request("GET", path)
        refused = connection.getresponse()
        assert (refused.status, refused.read()) == (404, b"there is no such file\n"), path
    connection.request("GET", "//arrays//g")
    moved_here = connection.getresponse()
    assert (moved_here.status, moved_here.getheader("location"), moved_here.read()) == (
        308,
        "./g/",
        b"this is a directory\n",
    )
    connection.close()


@pytest.mark.parametrize("tree", ["keys", "zarr3"])
def test_zarrcore_reads_the_listings_of_its_own_server(served: Served, source: Path, tree: str) -> None:
    with open_store(f"{served.url}/{tree}/") as store:
        assert isinstance(store, ListableStore)
        keys = {entry.key for entry in store.list_prefix("g/")}
    if tree == "keys":
        assert keys == {
            path.relative_to(source).as_posix() for path in (source / "g").rglob("*") if path.is_file()
        }
    else:
        chunks = {f"g/x/c/{i}/{j}/0" for i in range(4) for j in range(2)}
        assert keys == {"g/zarr.json", "g/x/zarr.json", *chunks}


def test_the_first_page_and_those_of_zarr_v3_link_to_viewers(client: httpx.Client, served: Served) -> None:
    for path, node in (("/", "/zarr3/g/x/"), ("/zarr3/g/x/", "/zarr3/g/x/")):
        text = client.get(path).text
        links = Page(text).links
        assert links["vizarr"] == "https://hms-dbmi.github.io/vizarr/?source=" + urllib.parse.quote(
            served.url + node, safe=""
        )
        assert "(needs <code>--allow-origin vizarr</code>)" in text
    assert "gridlook" in Page(client.get("/zarr3/g/").text).links
    assert "viewer" not in client.get("/arrays/").text
