"""Files over HTTP: ranges and conditions, compared with the bytes of the trees."""

from __future__ import annotations

import email
import email.policy
from pathlib import Path

import httpx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore as zc
from tests.waiting import PATIENCE_S, wait_until
from tests.zfs.http.conftest import RAW, VALUES
from tests.zfs.http.serving import get, serving
from tests.zfs.trees.entries import Remote
from zarrcore.stores import StoreStat

DATA = "/arrays/g/x/data.raw"
OFFSETS = st.integers(0, len(RAW) + 10)


def test_files_of_all_trees_are_served_with_their_type_and_length(client: httpx.Client, source: Path) -> None:
    key = client.get("/keys/g/x/zarr.json")
    assert key.content == (source / "g/x/zarr.json").read_bytes()
    assert key.headers["content-type"] == "application/json"
    assert client.get(DATA).content == RAW
    assert client.get("/zarr3/g/x/c/2/1/0").content == VALUES[2, 25:].tobytes()
    assert client.get("/hdf5/g/x.h5").content.startswith(b"\x89HDF")
    picture = client.get("/arrays/g/x/slices/3.png")
    assert (picture.content[:4], picture.headers["content-type"]) == (b"\x89PNG", "image/png")
    selected = client.get("/arrays/g/x/[3,:,0:10].npy")
    assert selected.content.endswith(VALUES[3, :, :10].tobytes())
    assert client.get("/arrays/g/x/3,_,0-10.npy").content == selected.content


def test_a_head_has_the_headers_of_a_get(client: httpx.Client) -> None:
    for path in (DATA, "/keys/g/x/zarr.json", "/arrays/g/x/metadata.json"):
        whole, head = client.get(path), client.head(path)
        assert head.content == b""
        same = ("content-length", "content-type", "accept-ranges", "last-modified", "cache-control")
        assert [head.headers.get(name) for name in same] == [whole.headers.get(name) for name in same]


@settings(max_examples=60)
@given(first=OFFSETS, length=st.integers(1, len(RAW)))
def test_any_range_is_that_of_the_whole(client: httpx.Client, first: int, length: int) -> None:
    answer = client.get(DATA, headers={"range": f"bytes={first}-{first + length - 1}"})
    if first >= len(RAW):
        assert (answer.status_code, answer.headers["content-range"]) == (416, f"bytes */{len(RAW)}")
        return
    expected = RAW[first : first + length]
    assert (answer.status_code, answer.content) == (206, expected)
    assert answer.headers["content-range"] == f"bytes {first}-{first + len(expected) - 1}/{len(RAW)}"


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, len(RAW) - 1), st.integers(1, 5000)), min_size=2, max_size=6))
def test_many_ranges_are_parts_of_one_answer(client: httpx.Client, asked: list[tuple[int, int]]) -> None:
    header = ",".join(f"{first}-{first + length - 1}" for first, length in asked)
    answer = client.get(DATA, headers={"range": f"bytes={header}"})
    assert answer.status_code == 206
    expected = {offset for first, length in asked for offset in range(first, min(first + length, len(RAW)))}
    found: dict[int, int] = {}
    for content_range, content in parts_of(answer):
        start = int(content_range.removeprefix("bytes ").partition("-")[0])
        found.update(enumerate(content, start))
    assert found == {offset: RAW[offset] for offset in expected}


def parts_of(answer: httpx.Response) -> list[tuple[str, bytes]]:
    """The parts of an answer, parsed by Python's own parser of MIME."""
    kind = answer.headers["content-type"]
    if not kind.startswith("multipart/"):
        return [(answer.headers["content-range"], answer.content)]
    text = f"Content-Type: {kind}\r\n\r\n".encode() + answer.content
    boundary = kind.partition("boundary=")[2].encode()
    assert answer.content.endswith(b"\r\n--" + boundary + b"--\r\n")
    headers = [
        part["content-range"]
        for part in email.message_from_bytes(text, policy=email.policy.HTTP).iter_parts()
    ]
    bodies = [part.partition(b"\r\n\r\n")[2] for part in answer.content.split(b"\r\n--" + boundary)[1:-1]]
    return [*zip(headers, bodies, strict=True)]


def test_a_client_that_has_the_file_gets_no_bytes(client: httpx.Client) -> None:
    for path in (DATA, "/keys/g/x/zarr.json", "/arrays/g/x/metadata.json"):
        known = client.get(path).headers
        again = client.get(path, headers={"if-none-match": known["etag"]})
        # A weak tag may change between the two requests.
        assert (again.status_code, again.content) == (304, b"") or known["etag"].startswith("W/")
        assert client.get(path, headers={"if-none-match": '"x"'}).status_code == 200
    known = client.get("/keys/g/x/zarr.json").headers
    assert (
        client.get("/keys/g/x/zarr.json", headers={"if-modified-since": known["last-modified"]}).status_code
        == 304
    )
    assert client.get("/keys/g/x/zarr.json", headers={"if-match": '"x"'}).status_code == 412


def test_conditions_may_be_lists_in_several_lines(client: httpx.Client) -> None:
    path = "/keys/g/x/zarr.json"
    etag = client.get(path).headers["etag"]
    for name, status in (("if-match", 200), ("if-none-match", 304)):
        assert client.get(path, headers=[(name, '"x"'), (name, f'"y", {etag}')]).status_code == status
    assert client.get(path, headers={"if-match": f"W/{etag}"}).status_code == 412
    assert client.get(path, headers={"if-none-match": f"W/{etag}"}).status_code == 304
    part = {"range": "bytes=0-4"}
    for weak in (f"W/{etag}", client.get(path).headers["last-modified"]):
        assert client.get(path, headers={**part, "if-range": weak}).status_code == 200
    # A part is sent only of the file that the client means.
    assert client.get(path, headers={**part, "if-match": '"x"', "if-range": etag}).status_code == 412
    assert client.get(path, headers={**part, "if-none-match": etag}).status_code == 304


@pytest.mark.parametrize("path", [DATA, "/keys/g/x/zarr.json"])
def test_ranges_beyond_all_numbers(client: httpx.Client, path: str) -> None:
    whole = client.get(path).content
    for first in (2**64, 10**4000):
        answer = client.get(path, headers={"range": f"bytes={first}-"})
        assert (answer.status_code, answer.headers["content-range"]) == (416, f"bytes */{len(whole)}")
        for asked in (f"-{first}", f"0-{first}"):
            answer = client.get(path, headers={"range": f"bytes={asked}"})
            assert (answer.status_code, answer.content) == (206, whole)
    assert client.get(path, headers={"range": "bytes=0-" + "9" * 100_000}).status_code in {400, 431}


def test_a_range_of_a_file_that_has_changed_is_the_whole_file(client: httpx.Client) -> None:
    path = "/keys/g/x/zarr.json"
    etag = client.get(path).headers["etag"]
    part = {"range": "bytes=0-4"}
    assert client.get(path, headers={**part, "if-range": etag}).status_code == 206
    assert client.get(path, headers={**part, "if-range": '"other"'}).status_code == 200
    weak = client.get(DATA).headers["etag"]
    assert client.get(DATA, headers={**part, "if-range": weak}).content == RAW


def test_a_browser_runs_nothing_that_is_stored(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<script>alert(1)</script>")
    (tmp_path / "picture.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>")
    with serving(tmp_path) as server:
        for name in ("page.html", "picture.svg"):
            headers = get(f"{server.url}/keys/{name}").headers
            assert headers["content-type"] == "application/octet-stream"
            assert headers["x-content-type-options"] == "nosniff"
            assert "sandbox" in headers["content-security-policy"]


def test_a_range_decodes_only_the_chunks_that_it_crosses(tmp_path: Path) -> None:
    array = zc.create(tmp_path / "a.zarr").create_array(
        "x", shape=(64, 1000), dtype="int32", chunks=(1, 1000)
    )
    array[...] = np.arange(64_000).reshape(64, 1000)
    with serving(tmp_path / "a.zarr") as server:
        part = get(f"{server.url}/arrays/x/data.raw", headers={"range": "bytes=12000-15999"})
        assert part.content == np.arange(3000, 4000, dtype="<i4").tobytes()
        assert server.site.trees.stats()["decoded"]["chunks"] == 1


def test_the_age_of_a_copy_is_a_share_of_the_time_to_live(source: Path) -> None:
    for ttl_s, expected in (
        (60.0, "public, max-age=20"),
        (0.0, "no-cache"),
        (float("inf"), "public, max-age=31536000"),
    ):
        with serving(source, ttl_s=ttl_s) as server:
            answer = httpx.head(server.url + DATA, timeout=PATIENCE_S)
            assert answer.headers["cache-control"] == expected
            assert ("etag" in answer.headers) == bool(ttl_s)


@pytest.mark.parametrize("size", [0, 1, 300_000, 9_000_000])
def test_files_of_any_size(tmp_path: Path, size: int) -> None:
    content = np.random.default_rng(0).bytes(size)
    (tmp_path / "file").write_bytes(content)
    with serving(tmp_path) as server:
        assert get(f"{server.url}/keys/file").content == content
        wait_until(lambda: server.site.memory.used == 0)  # the answer is sent before its memory is given back


@pytest.mark.parametrize("time_s", [-1.0, 0.0, 1e15, 1e30])
def test_any_time_of_a_store_can_be_told(time_s: float) -> None:
    class Odd(Remote):
        def stat(self, key: str) -> StoreStat | None:
            return StoreStat(1, time_s) if key in self.values else None

    with serving(Odd({"a": b"1"}), view="keys") as server:
        assert get(f"{server.url}/a").content == b"1"
        assert 'href="a"' in get(f"{server.url}/").text
        assert (
            httpx.request(
                "PROPFIND", f"{server.url}/a", headers={"depth": "0"}, timeout=PATIENCE_S
            ).status_code
            == 207
        )
