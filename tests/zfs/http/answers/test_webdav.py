"""WebDAV: what clients ask, and what rclone and zarrscope's own client make of the answers."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import httpx
import pytest

from tests.waiting import PATIENCE_S
from tests.zfs.http.conftest import HOSTILE, RAW
from tests.zfs.http.serving import Served, serving
from zarrcore.stores import open_store
from zarrfs.http.answers.webdav import BadPropfindError, Wanted, wanted_properties

RCLONE = Path(sys.executable).with_name("rclone")
DAV = {"D": "DAV:"}


def propfind(client: httpx.Client, path: str, depth: str | None, body: str = "") -> httpx.Response:
    headers = {} if depth is None else {"depth": depth}
    return client.request("PROPFIND", path, headers=headers, content=body)


def test_a_file_and_a_directory_tell_their_properties(client: httpx.Client) -> None:
    answer = propfind(client, "/arrays/g/x/", "1")
    assert (answer.status_code, answer.headers["content-type"]) == (207, "application/xml; charset=utf-8")
    responses = ElementTree.fromstring(answer.content).findall("D:response", DAV)
    found = {response.findtext("D:href", None, DAV): response for response in responses}
    assert list(found) == [
        f"/arrays/g/x/{name}" for name in ("", "metadata.json", "attributes.json", "data.raw", "data.npy", "slices/")
    ]  # fmt: skip
    data = found["/arrays/g/x/data.raw"]
    assert data.findtext(".//D:getcontentlength", None, DAV) == str(len(RAW))
    assert data.find(".//D:collection", DAV) is None
    assert found["/arrays/g/x/slices/"].find(".//D:collection", DAV) is not None
    only = ElementTree.fromstring(propfind(client, "/arrays/g/x/data.raw", "0").content)
    assert [response.findtext("D:href", None, DAV) for response in only] == ["/arrays/g/x/data.raw"]


def test_named_properties_are_told_or_missing(client: httpx.Client) -> None:
    body = '<a:propfind xmlns:a="DAV:"><a:prop><a:getcontentlength/><b:c xmlns:b="urn:&quot;&lt;"/></a:prop></a:propfind>'
    answer = ElementTree.fromstring(propfind(client, "/arrays/g/x/data.raw", "0", body).content)
    told, missing = answer.findall(".//D:propstat", DAV)
    assert [prop.tag for prop in told[0]] == ["{DAV:}getcontentlength"]
    assert [prop.tag for prop in missing[0]] == ['{urn:"<}c']
    assert missing.findtext("D:status", None, DAV) == "HTTP/1.1 404 Not Found"


def test_names_of_properties_can_be_listed(client: httpx.Client) -> None:
    body = '<propfind xmlns="DAV:"><propname/></propfind>'
    answer = ElementTree.fromstring(propfind(client, "/arrays/g", "0", body).content)
    props = answer.findall(".//D:prop/*", DAV)
    assert {prop.tag.removeprefix("{DAV:}") for prop in props} == {
        "resourcetype",
        "displayname",
        "getlastmodified",
    }
    assert not any(prop.text or len(prop) for prop in props)


@pytest.mark.parametrize(
    "folder", ["keys/g/x", "arrays/g/x", "arrays/words", "arrays/g/x/slices", "zarr3/g/x", "hdf5/g"]
)
def test_files_have_the_etag_that_a_get_has(source: Path, folder: str) -> None:
    with (
        serving(source, ttl_s=math.inf) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE_S) as client,
    ):
        listed = ElementTree.fromstring(propfind(client, f"/{folder}/", "1").content)
        paths = {response.findtext("D:href", "", DAV): response for response in listed}
        files = {path: response for path, response in paths.items() if not path.endswith("/")}
        assert files
        for path, response in files.items():
            etag = client.get(path).headers["etag"]
            assert response.findtext(".//D:getetag", None, DAV) == etag
            alone = ElementTree.fromstring(propfind(client, path, "0").content)
            assert alone.findtext(".//D:getetag", None, DAV) == etag
            assert client.get(path, headers={"if-none-match": etag}).status_code == 304
        directories = [response for path, response in paths.items() if path not in files]
        assert all(each.find(".//D:getetag", DAV) is None for each in directories)


def test_live_properties_are_those_of_a_get(client: httpx.Client) -> None:
    path = "/keys/g/x/zarr.json"
    told, got = ElementTree.fromstring(propfind(client, path, "0").content), client.get(path).headers
    for live, header in (("contentlength", "content-length"), ("contenttype", "content-type"),
                         ("lastmodified", "last-modified"), ("etag", "etag")):  # fmt: skip
        assert told.findtext(f".//D:get{live}", None, DAV) == got[header]
    resource_type = told.find(".//D:resourcetype", DAV)
    assert resource_type is not None
    assert len(resource_type) == 0
    body = '<propfind xmlns="DAV:"><prop><creationdate/></prop></propfind>'
    missing = ElementTree.fromstring(propfind(client, path, "0", body).content)
    assert missing.findtext(".//D:status", None, DAV) == "HTTP/1.1 404 Not Found"


def test_a_request_cannot_ask_for_a_long_answer_for_each_entry(client: httpx.Client) -> None:
    body = '<propfind xmlns="DAV:"><prop>' + "<a/>" * 101 + "</prop></propfind>"
    answer = propfind(client, "/", "1", body)
    assert (answer.status_code, answer.text) == (400, "a request must not name more than 100 properties\n")
    assert propfind(client, "/", "1", body.replace("<a/>", "", 1)).status_code == 207


def test_a_name_is_shown_as_in_other_listings(tmp_path: Path) -> None:
    name = "a\x1b[31m\u202e<b"
    (tmp_path / name).write_bytes(b"1")
    with serving(tmp_path) as server, httpx.Client(base_url=server.url, timeout=PATIENCE_S) as client:
        answer = propfind(client, "/keys/", "1")
        assert answer.text.replace("\n", "").isprintable()
        file = ElementTree.fromstring(answer.content).findall("D:response", DAV)[1]
        assert file.findtext(".//D:displayname", None, DAV) == "a\\x1b[31m\\u202e<b"
        assert client.get(file.findtext("D:href", "", DAV)).content == b"1"


def test_a_tree_is_not_walked_in_one_request(client: httpx.Client) -> None:
    for depth in (None, "infinity", "2"):
        answer = propfind(client, "/", depth)
        assert answer.status_code == 403
        assert ElementTree.fromstring(answer.content)[0].tag == "{DAV:}propfind-finite-depth"


def test_what_does_not_exist_and_what_is_not_valid(client: httpx.Client) -> None:
    assert propfind(client, "/arrays/none", "0").status_code == 404
    assert propfind(client, "/arrays/g/x/data.raw/", "0").status_code == 404
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]><propfind xmlns="DAV:"><prop>&a;</prop></propfind>'
    assert propfind(client, "/", "0", bomb).status_code == 400
    assert propfind(client, "/", "0", " " * 70_000).status_code == 413


@pytest.mark.parametrize(
    "body",
    [b"<", b"<x/>", b'<propfind xmlns="DAV:"/>', b"<propfind><allprop/></propfind>", b"\xff",
     b'<?xml version="1.0" encoding="x"?><a/>'],
)  # fmt: skip
def test_a_body_that_is_not_a_propfind_is_refused(body: bytes) -> None:
    with pytest.raises(BadPropfindError):
        wanted_properties(body)


def test_no_body_asks_for_all_properties() -> None:
    assert (
        wanted_properties(b" \n")
        == wanted_properties(b'<propfind xmlns="DAV:"><allprop/></propfind>')
        == Wanted()
    )


def test_options_tell_that_it_is_webdav(client: httpx.Client) -> None:
    answer = client.options("/")
    assert (answer.status_code, answer.headers["dav"]) == (200, "1")
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS, PROPFIND"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "MKCOL", "PROPPATCH", "MOVE", "LOCK", "POST", "X"])
def test_nothing_can_be_changed(client: httpx.Client, method: str) -> None:
    answer = client.request(method, "/keys/new", content=b"1")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS, PROPFIND")
    assert client.get("/keys/new").status_code == 404


def rclone(served: Served, *arguments: str) -> str:
    remote = ("--webdav-url", served.url, "--config", "/dev/null")
    done = subprocess.run([RCLONE, *arguments, *remote], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_rclone_lists_and_copies(served: Served, source: Path, tmp_path: Path) -> None:
    listed = rclone(served, "lsf", "--recursive", ":webdav:keys").splitlines()
    paths = {path.relative_to(source) for path in source.rglob("*")}
    assert {name.rstrip("/") for name in listed} == {path.as_posix() for path in paths}
    rclone(served, "copy", ":webdav:keys", str(tmp_path / "copy"))
    for path in paths:
        assert (source / path).is_dir() or (tmp_path / "copy" / path).read_bytes() == (
            source / path
        ).read_bytes()
    rclone(served, "copyto", ":webdav:arrays/g/x/slices/2.raw", str(tmp_path / "2.raw"))
    assert (tmp_path / "2.raw").read_bytes() == RAW[24_000:36_000]
    assert HOSTILE.replace("/", "|") in rclone(served, "lsf", ":webdav:arrays")


def test_the_webdav_client_of_zarrscope_reads_it(served: Served, source: Path) -> None:
    with open_store(f"{served.url}/keys/") as store:
        assert store.get("g/x/zarr.json") == (source / "g/x/zarr.json").read_bytes()
