"""The application: limits, errors, other origins, and many clients at once."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import logging
import socket
import threading
from pathlib import Path

import httpx
import pytest
import zarr

from tests.waiting import PATIENCE_S, wait_until
from tests.zfs.http.conftest import RAW, VALUES
from tests.zfs.http.serving import Served, get, serving
from tests.zfs.trees.entries import Remote
from zarrcore.errors import AccessDeniedError, StoreTimeoutError
from zarrcore.stores import ByteRange, BytesLike, MemoryStore, StoreStat

ORIGIN = "https://viewer.example"


def test_pages_of_a_named_origin_may_read(client: httpx.Client) -> None:
    answer = client.get("/zarr3/g/x/zarr.json", headers={"origin": ORIGIN})
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert {"Content-Range", "ETag"} <= {*answer.headers["access-control-expose-headers"].split(", ")}
    preflight = {
        "origin": ORIGIN,
        "access-control-request-method": "GET",
        "access-control-request-headers": "range",
    }
    answer = client.options(
        "/zarr3/g/x/c/0/0/0", headers={**preflight, "access-control-request-private-network": "true"}
    )
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-private-network"] == "true"
    assert client.get("/none", headers={"origin": ORIGIN}).headers["access-control-allow-origin"] == ORIGIN


def test_pages_of_other_origins_may_not(client: httpx.Client, source: Path) -> None:
    answer = client.get("/zarr3/g/x/zarr.json", headers={"origin": "https://attacker.example"})
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["vary"] == "Origin"
    with serving(source) as server:
        answer = get(f"{server.url}/keys/zarr.json", headers={"origin": ORIGIN})
        assert "access-control-allow-origin" not in answer.headers
    with serving(source, origins=("*",)) as server:
        answer = get(f"{server.url}/keys/zarr.json", headers={"origin": "https://any.example"})
        assert answer.headers["access-control-allow-origin"] == "*"


def test_a_damaged_chunk_is_an_error_and_no_missing_chunk(
    client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    answer = client.get("/zarr3/damaged/c/0")
    assert (answer.status_code, answer.text) == (500, "a chunk does not decode\n")
    assert "damaged" in caplog.text


def test_chunks_of_an_array_that_was_deleted_since_metadata_were_consolidated_are_no_missing_chunks(
    tmp_path: Path,
) -> None:
    group = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    group.create_array("gone", shape=2, dtype="i4")
    zarr.consolidate_metadata(tmp_path, zarr_format=2)
    store = Remote({name: (tmp_path / name).read_bytes() for name in (".zgroup", ".zmetadata")})
    with serving(store) as server:
        for place in ("zarr3/gone/c/0", "arrays/gone/data.raw"):
            assert get(f"{server.url}/{place}").status_code == 502
        assert get(f"{server.url}/keys/gone/0").status_code == 404


def test_what_a_node_cannot_have_is_not_implemented(client: httpx.Client) -> None:
    assert client.get("/hdf5/words.h5").status_code == 501
    assert client.get("/arrays/words/data.npy").status_code == 404
    assert client.get("/arrays/words/data.json").json() == ["a", "b"]


class Failing(Remote):
    """A store that fails, with an error that the test chooses."""

    def __init__(self, error: Exception) -> None:
        super().__init__({})
        self.error = error

    def stat(self, key: str) -> StoreStat | None:
        if key == "zarr.json":
            return None
        raise self.error


@pytest.mark.parametrize(
    ("error", "status"),
    [(AccessDeniedError("secret place"), 502), (StoreTimeoutError("secret place"), 504), (MemoryError(), 503),
     (ZeroDivisionError("secret place"), 500)],
)  # fmt: skip
def test_a_store_that_fails_is_told_without_its_secrets(
    error: Exception, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(Failing(error), view="keys") as server:
        answer = get(f"{server.url}/x")
    assert answer.status_code == status
    assert "secret" not in answer.text
    assert answer.headers.get("retry-after") == ("1" if status == 503 else None)
    assert isinstance(error, MemoryError) or "secret place" in caplog.text


class Hanging(MemoryStore):
    """A remote store whose values arrive when the test says so."""

    is_remote = True

    def __init__(self) -> None:
        self.values = {"a": b"1" * 10, "b": b"2"}
        super().__init__(values=self.values)
        self.go, self.asked = threading.Event(), 0

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        if key in self.values:
            self.asked += 1
            assert self.go.wait(PATIENCE_S)
        return super().get(key, byte_range, max_nbytes=max_nbytes)


def test_too_many_requests_are_told_to_come_again() -> None:
    store = Hanging()
    with serving(store, view="keys", requests_max=2) as server:
        threads = [threading.Thread(target=get, args=(f"{server.url}/a",)) for _ in range(2)]
        for thread in threads:
            thread.start()
        wait_until(lambda: store.asked == 2)
        refused = get(f"{server.url}/a")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        store.go.set()
        for thread in threads:
            thread.join()
        assert get(f"{server.url}/a").content == b"1" * 10


def test_a_client_that_goes_away_ends_its_read(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "zarrfs.http")
    store = Hanging()
    with serving(store, view="keys", threads=1) as server:
        leaving = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(5)]
        for each in leaving:
            each.sendall(b"GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: store.asked == 1)
        for each in leaving:
            each.close()
        wait_until(lambda: caplog.text.count("GET /a gone") + caplog.text.count("GET /a 200") == 5)
        store.go.set()
        assert get(f"{server.url}/b").content == b"2"
        assert store.asked == 2  # four of the five reads were never begun
        wait_until(lambda: server.site.memory.used == 0)  # the answer is sent before its memory is given back


def test_headers_that_are_too_long_are_refused(served: Served) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", served.port)
    connection.request("GET", "/", headers={"X-Long": "x" * 40_000})
    assert connection.getresponse().status == 431
    connection.close()
    endless = http.client.HTTPConnection("127.0.0.1", served.port)
    with contextlib.suppress(OSError):  # the server closes the connection before it has read all of it
        endless.request("GET", "/", headers={"X-Long": "x" * 4_000_000})
        assert endless.getresponse().status == 400
    endless.close()


def test_one_address_does_not_take_all_places() -> None:
    store = Hanging()
    with serving(store, view="keys", requests_max=9) as server:  # of which one address has 8
        threads = [threading.Thread(target=get, args=(f"{server.url}/a",)) for _ in range(8)]
        for thread in threads:
            thread.start()
        wait_until(lambda: store.asked == 8)
        assert get(f"{server.url}/none").status_code == 503
        other = httpx.HTTPTransport(local_address="127.0.0.2")
        with httpx.Client(transport=other, timeout=PATIENCE_S) as neighbour:
            assert neighbour.get(f"{server.url}/none").status_code == 404
        store.go.set()
        for thread in threads:
            thread.join()
        assert get(f"{server.url}/none").status_code == 404


def test_two_hundred_clients_at_once(served: Served) -> None:
    async def read(client: httpx.AsyncClient, number: int) -> bytes:
        paths = (
            f"/arrays/g/x/slices/{number % 4}.raw",
            "/arrays/g/x/data.raw",
            f"/zarr3/g/x/c/{number % 4}/1/0",
        )
        return (await client.get(paths[number % 3])).raise_for_status().content

    async def read_all() -> list[bytes]:
        limits = httpx.Limits(max_connections=200)
        async with httpx.AsyncClient(base_url=served.url, limits=limits, timeout=60) as client:
            return await asyncio.gather(*(read(client, number) for number in range(200)))

    for number, content in enumerate(asyncio.run(read_all())):
        plane = VALUES[number % 4]
        assert content == (plane.tobytes(), RAW, plane[25:].tobytes())[number % 3]
