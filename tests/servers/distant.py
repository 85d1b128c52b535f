"""A distant server: it serves the files of a directory, and delays each answer.

It implements HTTP with ranges and listing pages, and the S3 requests to read, list, put and delete in path style: each folder
of the directory is also a bucket. It counts requests, and may send and receive only so fast. In a separate process, without
that limit, it sends several hundred MiB/s more than the measured readers can take, each file directly from the page cache.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from functools import partial
from html import escape, unescape
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote

from tests.servers.closing import close
from tests.waiting import PATIENCE_S

_ASKED = "/.asked"
"""The path that answers at once with the counts since it was last requested, and is not counted."""
_PAGE = 1000
_PIECE = 1 << 16
"""Bytes that a connection sends at once over a line that others share."""


@dataclass(frozen=True)
class Distance:
    """How far away a server is.

    Attributes:
        delay_s: between a request and its answer.
        bytes_per_s: of all connections together, in each direction; 0 means no limit.
    """

    delay_s: float = 0.05
    bytes_per_s: float = 0.0

    def __str__(self) -> str:
        limit = f" and {self.bytes_per_s / 2**20:g} MiB/s" if self.bytes_per_s else ""
        return f"{self.delay_s * 1e3:g} ms{limit}"


@dataclass
class Line:
    """What all connections share in one direction."""

    bytes_per_s: float = 0.0
    free_at_s: float = 0.0

    def time_s(self, nbytes: int) -> float:
        """Seconds until it has carried so many more bytes."""
        if not self.bytes_per_s:
            return 0.0
        now_s = time.monotonic()
        self.free_at_s = max(self.free_at_s, now_s) + nbytes / self.bytes_per_s
        return self.free_at_s - now_s


class Counts(NamedTuple):
    """What a server was asked for in some time: attributes of `DistantServer`."""

    requests: int
    sent: int
    most_at_once: int
    round_trips: int


@dataclass
class DistantServer:
    """A running server.

    Attributes:
        root: the directory that it serves.
        url: its address.
        requests: method and target of each request, in order.
        most_at_once: the largest number of requests that waited for their answers at once.
        round_trips: the longest chain of requests that each arrived after the answer of the one before.
    """

    root: Path
    url: str = ""
    delay_s: float = 0.0
    requests: list[tuple[str, str]] = field(default_factory=list)
    sent: int = 0
    """Bytes of bodies."""
    most_at_once: int = 0
    round_trips: int = 0
    waiting: int = 0
    answered: list[int] = field(default_factory=lambda: [0])
    """The length of the longest chain that was answered. `forget` makes a new list: answers to older requests do not count."""
    connections: set[asyncio.Transport] = field(default_factory=set)
    lists: bool = True
    """Whether directories have listing pages."""
    redirects: bool = True
    """Whether the name of a directory leads to it, as on a web server; in a bucket there is nothing of that name."""
    refused: dict[str, int] = field(default_factory=dict)
    """Key to the status of its answer."""
    attests: bool = True
    """Whether it answers with the MD5 sum of a value that it is sent."""
    received: Callable[[bytes], bytes] = bytes
    """What it stores of a value that it is sent."""
    in_waves: bool = False
    """Whether answers wait until no request has arrived for the time of the delay. Then a busy machine, on which threads start
    late, has no more round trips than another."""
    held: list[Callable[[], None]] = field(default_factory=list)
    """The answers that wait for that."""
    wave: asyncio.TimerHandle | None = None
    is_closed: bool = False
    """Whether it answers no more."""
    down: Line = field(default_factory=Line)
    up: Line = field(default_factory=Line)

    @property
    def s3_options(self) -> dict[str, object]:
        """Keywords of `zarrcore.open_store` for this server as S3."""
        return {"endpoint_url": self.url, "region": "us-east-1", "anonymous": True}

    def forget(self) -> None:
        """Reset the counts, and walk buckets again."""
        _keys.clear()
        self.take_counts()

    def answer_later(
        self, loop: asyncio.AbstractEventLoop, answer: Callable[[], None], arrives_s: float
    ) -> None:
        """Answer a request that arrives in so many seconds."""
        if not self.in_waves:
            loop.call_later(arrives_s + self.delay_s, answer)
            return
        self.held.append(answer)
        if self.wave is not None:
            self.wave.cancel()
        self.wave = loop.call_later(arrives_s + self.delay_s, self._answer_wave)

    def _answer_wave(self) -> None:
        held, self.held = self.held, []
        for answer in held:
            answer()

    def take_counts(self) -> Counts:
        """The counts, which begin anew."""
        found = Counts(len(self.requests), self.sent, self.most_at_once, self.round_trips)
        self.requests.clear()
        self.answered = [0]
        self.sent = self.most_at_once = self.round_trips = 0
        return found


@contextlib.contextmanager
def distant_server(root: Path, delay_s: float = 0.0, bytes_per_s: float = 0.0) -> Iterator[DistantServer]:
    """A server in a thread of this process."""
    state = DistantServer(root, delay_s=delay_s, down=Line(bytes_per_s), up=Line(bytes_per_s))
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=_run, args=(loop, state, started := threading.Event()))
    thread.start()
    started.wait()
    try:
        yield state
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


@contextlib.contextmanager
def distant_process(root: Path, distance: Distance, *, redirects: bool = True) -> Iterator[str]:
    """The address of a server in a separate process."""
    command = [
        sys.executable,
        "-m",
        "tests.servers.distant",
        str(root),
        str(distance.delay_s),
        str(distance.bytes_per_s),
        "redirects" * redirects,
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout is None:  # pragma: no cover - it is a pipe
            raise RuntimeError("no output")
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def asked(url: str) -> Counts:
    """The counts of a server in a separate process since the last call."""
    with urllib.request.urlopen(url + _ASKED, timeout=PATIENCE_S) as answer:
        return Counts(*map(int, answer.read().split()))


def _run(loop: asyncio.AbstractEventLoop, state: DistantServer, started: threading.Event) -> None:
    asyncio.set_event_loop(loop)
    server = loop.run_until_complete(
        loop.create_server(lambda: _Connection(loop, state), "127.0.0.1", 0, backlog=512)
    )
    state.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    started.set()
    try:
        loop.run_forever()
    finally:
        state.is_closed = True
        loop.run_until_complete(close(server))
        quiet = 0
        # A connection or request that has just arrived begins in the loop, and one whose beginning is cancelled ends in it.
        while quiet < 3:
            for transport in list(state.connections):
                transport.abort()
            loop.run_until_complete(asyncio.sleep(0))
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            quiet = 0 if tasks or state.connections else quiet + 1
        loop.close()


class _Connection(asyncio.Protocol):
    """One connection; requests on it are answered one after another."""

    def __init__(self, loop: asyncio.AbstractEventLoop, state: DistantServer) -> None:
        self._loop = loop
        self._state = state
        self._received = bytearray()
        self._head = ""
        self._body_nbytes = 0
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._state.connections.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._state.connections.discard(self._transport)
        self._transport = None

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._head:
            end = self._received.find(b"\r\n\r\n")
            if end < 0:
                return
            self._head = self._received[:end].decode("latin-1")
            del self._received[: end + 4]
            length = re.search(r"(?mi)^content-length: *(\d+)", self._head)
            self._body_nbytes = int(length[1]) if length else 0
            if re.search(r"(?mi)^expect: *100-continue", self._head) and self._transport is not None:
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if len(self._received) >= self._body_nbytes:
            body = bytes(self._received[: self._body_nbytes])
            del self._received[: self._body_nbytes]
            head, self._head, state = self._head, "", self._state
            if head.split(" ", 2)[1] == _ASKED:
                self._send_at_once("GET", 200, " ".join(map(str, state.take_counts())).encode())
                return
            chain = state.answered[0] + 1
            state.round_trips = max(state.round_trips, chain)
            state.waiting += 1
            state.most_at_once = max(state.most_at_once, state.waiting)
            answer = partial(self._begin, head, body, state.answered, chain)
            state.answer_later(self._loop, answer, state.up.time_s(len(body)))

    def _begin(self, head: str, body: bytes, answered: list[int], chain: int) -> None:
        if self._state.is_closed:  # the loop, which may have ended its tasks already, would not end this one
            return
        answered[0] = max(answered[0], chain)
        self._state.waiting -= 1
        self._task = self._loop.create_task(self._answer(head, body))

    async def _answer(self, head: str, body: bytes) -> None:
        state = self._state
        method, target, _ = head.split(" ", 2)
        path, _, query = target.partition("?")
        state.requests.append((method, target))
        key = unquote(path).strip("/")
        if key in state.refused:
            await self._send(method, state.refused[key])
        elif method == "PUT":
            file = state.root / key
            file.parent.mkdir(parents=True, exist_ok=True)
            body = state.received(body)
            file.write_bytes(body)
            _keys.pop(state.root / key.partition("/")[0], None)
            told = {"ETag": f'"{hashlib.md5(body).hexdigest()}"'} if state.attests else {}
            self._send_head(200, 0, "text/plain", told)
        elif method == "POST" and "delete" in parse_qs(query, keep_blank_values=True):
            names = re.findall("<Key>(.*?)</Key>", body.decode())
            for name in names:
                (state.root / key / unescape(name)).unlink(missing_ok=True)
            _keys.pop(state.root / key, None)
            told = "".join(f"<Deleted><Key>{name}</Key></Deleted>" for name in names)
            await self._send(method, 200, f"<DeleteResult>{told}</DeleteResult>".encode(), "application/xml")
        elif "list-type=2" in query:
            await self._send(method, 200, _s3_page(state.root / key, parse_qs(query)), "application/xml")
        elif (state.root / key).is_dir():
            if not path.endswith("/") and not state.redirects:
                await self._send(method, 404)
            elif not path.endswith("/"):
                await self._send(method, 301, b"", location=path + "/")
            elif state.lists:
                await self._send(method, 200, _listing(state.root / key), "text/html")
            else:
                await self._send(method, 403)
        else:
            await self._send_file(method, state.root / key, head)

    async def _send_file(self, method: str, path: Path, head: str) -> None:
        try:
            file = open(path, "rb")  # noqa: SIM115 - from the page cache
        except OSError:
            await self._send(method, 404, b"<Error><Code>NoSuchKey</Code></Error>", "application/xml")
            return
        with file:
            size = os.fstat(file.fileno()).st_size
            start, stop = 0, size
            asked_range = re.search(r"(?mi)^range: bytes=(\d*)-(\d*)", head)
            if asked_range:
                first, last = asked_range.groups()
                start = int(first) if first else max(0, size - int(last))
                stop = min(int(last) + 1, size) if first and last else size
                if start >= size:
                    await self._send(method, 416)
                    return
            headers = {"ETag": _etag(os.fstat(file.fileno()))}
            if asked_range:
                headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
            self._send_head(206 if asked_range else 200, stop - start, "application/octet-stream", headers)
            if method == "GET" and self._transport is not None and stop > start:
                self._state.sent += stop - start
                piece = _PIECE if self._state.down.bytes_per_s else stop - start
                for at in range(start, stop, piece):
                    count = min(piece, stop - at)
                    await self._carried(count)
                    if self._transport is None:
                        return
                    with contextlib.suppress(ConnectionError, RuntimeError):
                        await self._loop.sendfile(self._transport, file, at, count)

    async def _carried(self, nbytes: int) -> None:
        """Wait until the line has carried so many bytes."""
        if time_s := self._state.down.time_s(nbytes):
            await asyncio.sleep(time_s)

    async def _send(
        self, method: str, status: int, body: bytes = b"", kind: str = "text/plain", location: str = ""
    ) -> None:
        if method in ("GET", "POST"):
            self._state.sent += len(body)
            await self._carried(len(body))
        self._send_at_once(method, status, body, kind, location)

    def _send_at_once(
        self, method: str, status: int, body: bytes = b"", kind: str = "text/plain", location: str = ""
    ) -> None:
        self._send_head(status, len(body), kind, {"Location": location} if location else {})
        if method in ("GET", "POST") and self._transport is not None:
            self._transport.write(body)

    def _send_head(self, status: int, size: int, kind: str, headers: dict[str, str]) -> None:
        lines = {
            "Content-Type": kind,
            "Content-Length": str(size),
            "Accept-Ranges": "bytes",
            "ETag": '"e"',
            "Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT",
            "Date": formatdate(usegmt=True),
            **headers,
        }
        text = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        if self._transport is not None:
            self._transport.write(f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n{text}\r\n".encode())


def _etag(facts: os.stat_result) -> str:
    """The version of a file: a new one has another number or time."""
    return f'"{facts.st_ino:x}-{facts.st_mtime_ns:x}-{facts.st_size:x}"'


def _listing(path: Path) -> bytes:
    with os.scandir(path) as found:
        names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in found)
    links = "".join(f'<a href="{quote(name)}">{escape(name)}</a>\n' for name in names)
    return f"<html><head><title>Index of /</title></head><body><pre>{links}</pre></body></html>".encode()


_keys: dict[Path, list[str]] = {}


def _bucket(path: Path) -> list[str]:
    """All keys of a bucket at its first listing, sorted."""
    if path not in _keys:
        _keys[path] = sorted(file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file())
    return _keys[path]


def _s3_page(path: Path, query: dict[str, list[str]]) -> bytes:
    """An answer to ListObjectsV2; its tokens are the last listed key or prefix."""
    prefix, delimiter = query.get("prefix", [""])[0], query.get("delimiter", [""])[0]
    after = query.get("continuation-token", query.get("start-after", [""]))[0]
    most = min(_PAGE, int(query.get("max-keys", ["1000"])[0]))
    keys, entries, last = _bucket(path), [], after
    position = bisect_right(keys, after) if after > prefix else bisect_left(keys, prefix)
    while position < len(keys) and keys[position].startswith(prefix) and len(entries) < most:
        key = keys[position]
        end = key.find(delimiter, len(prefix)) if delimiter else -1
        if end >= 0:
            last = key[: end + 1] + "\U0010ffff"
            entries.append(f"<CommonPrefixes><Prefix>{escape(key[: end + 1])}</Prefix></CommonPrefixes>")
            position = bisect_right(keys, last)
        else:
            facts = (path / key).stat()
            entries.append(
                f"<Contents><Key>{escape(key)}</Key><LastModified>2025-01-01T00:00:00.000Z</LastModified>"
                f"<ETag>{escape(_etag(facts))}</ETag><Size>{facts.st_size}</Size>"
                "<StorageClass>STANDARD</StorageClass></Contents>"
            )
            last = key
            position += 1
    more = position < len(keys) and keys[position].startswith(prefix)
    token = f"<NextContinuationToken>{escape(last)}</NextContinuationToken>" if more else ""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>{path.name}</Name>'
        f"<Prefix>{escape(prefix)}</Prefix><KeyCount>{len(entries)}</KeyCount><MaxKeys>{most}</MaxKeys>"
        f"<IsTruncated>{str(more).lower()}</IsTruncated>{token}{''.join(entries)}</ListBucketResult>"
    ).encode()


def _main(root: str, delay: str, bandwidth: str, redirects: str) -> None:
    with distant_server(Path(root), float(delay), float(bandwidth)) as server:
        server.redirects = bool(redirects)
        print(server.url, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    _main(*sys.argv[1:])
