"""A proxy that delays and spoils what a real server answers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import re
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from urllib.parse import urlsplit

from tests.servers.closing import close
from tests.servers.processes import free_port


class Trouble(Enum):
    """What goes wrong with one request."""

    REFUSED = "the connection is reset before the request reaches the server"
    RESET = "the connection is reset within the answer"
    CUT = "the connection ends within the answer"
    HANGS = "the answer stops at some byte, and the connection stays open"
    DRIPS = "the answer comes in small pieces, each after a pause"
    ENDLESS = "the answer's headers come byte by byte, and never end"
    LONG = "more bytes follow the answer"
    FLIPPED = "a bit of the body is flipped"
    STATUS = "an error answer, instead of asking the server"
    LOST = "an error answer, after the server has done what was asked"
    STALE = "an earlier answer to the same request"
    DUPLICATED = "a listing names a key twice"
    REORDERED = "a listing is in another order"


@dataclass(frozen=True)
class Request:
    """What the client asks."""

    method: str
    target: str
    headers: dict[str, str]
    """In lower case."""


@dataclass(frozen=True)
class Change:
    """What passes in place of what client and server send."""

    answer: Callable[[bytes], bytes] = bytes
    """Returns what the client gets, from the server's answer."""
    head: Callable[[bytes], bytes] = bytes
    """Returns what the server gets, from the head of the request."""


Script = Callable[[Request], tuple[Trouble, random.Random] | Change | bytes | None]
"""Says what goes wrong with a request; the random numbers choose the byte, the status, … Bytes are the answer itself."""


@dataclass
class Proxy:
    """A running proxy.

    Attributes:
        url: its address.
        delay_s: the delay before each answer.
        script: what goes wrong.
        requests: how many were asked.
        given: the troubles of all requests.
        at_the_server: how many requests the server has not answered, also of clients that gave up.
        pause_s: the pause between the pieces of an answer that drips.
        idle_s: how long a connection may be idle; then it is closed without a word.
        tls: the TLS context, if it speaks TLS; a new one counts when it listens again.
        resumed: how many connections resumed a TLS session.
        leave: ends all connections, and lets nothing listen at the address for so many seconds.
    """

    url: str = ""
    delay_s: float = 0.0
    script: Script | None = None
    requests: int = 0
    given: list[Trouble] = field(default_factory=list)
    at_the_server: int = 0
    pause_s: float = 0.002
    idle_s: float | None = None
    tls: ssl.SSLContext | None = None
    resumed: int = 0
    leave: Callable[[float], object] = field(default=lambda _: None)
    answers: dict[tuple[str, str, str], list[bytes]] = field(default_factory=dict)
    """Some earlier answers, by method, target and range."""


_STATUSES = (429, 500, 502, 503, 504)
_AFTER = ("0", "1", "", "soon", "-1", "Wed, 21 Oct 2015 07:28:00 GMT", "99999999")
_PIECES = 24
_KEPT = 3
_ENTRY = re.compile(rb"<Contents>.*?</Contents>|<a href=[^>]*>[^<]*</a>[^<]*", re.DOTALL)


@contextlib.contextmanager
def proxy(
    url: str, delay_s: float = 0.0, script: Script | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[Proxy]:
    """A proxy in front of the server at ``url``, in a thread; with TLS if a context is given."""
    state = Proxy(delay_s=delay_s, script=script, tls=tls)
    started = threading.Event()
    stop: list[Callable[[], object]] = []
    writers: set[asyncio.StreamWriter] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.add(writer)
        if (made := writer.get_extra_info("ssl_object")) is not None:
            state.resumed += bool(made.session_reused)
        with contextlib.suppress(OSError, EOFError):
            await _Connection(state, url, reader, writer).serve()
        writer.close()
        with contextlib.suppress(OSError):  # a client may take its time to end TLS, and the proxy ends before
            await writer.wait_closed()
        writers.discard(writer)

    async def run() -> None:
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        stop.append(lambda: loop.call_soon_threadsafe(stopped.set))
        port = free_port()
        server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=512, ssl=tls)
        state.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{port}"

        async def leave(away_s: float) -> None:
            nonlocal server
            await close(server)
            for writer in list(writers):
                writer.transport.abort()
            await asyncio.sleep(away_s)
            server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=512, ssl=state.tls)

        state.leave = lambda away_s: asyncio.run_coroutine_threadsafe(leave(away_s), loop)
        started.set()
        await stopped.wait()
        await close(server)
        for writer in list(writers):
            writer.transport.abort()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    started.wait()
    try:
        yield state
    finally:
        stop[0]()
        thread.join()


class _Connection:
    """A connection of a client, with one to the server."""

    def __init__(
        self, state: Proxy, url: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._state = state
        self._reader = reader
        self._writer = writer
        self._place = (urlsplit(url).hostname or "", urlsplit(url).port or 80)

    async def serve(self) -> None:
        """Answer until one side ends the connection."""
        while True:
            try:
                async with asyncio.timeout(self._state.idle_s):
                    head = await self._reader.readuntil(b"\r\n\r\n")
            except TimeoutError:
                return
            first, headers = _parsed(head)
            method, target, _ = first.split(" ", 2)
            body = await self._reader.readexactly(int(headers.get("content-length", 0)))
            request = Request(method, target, headers)
            self._state.requests += 1
            if self._state.delay_s:
                await asyncio.sleep(self._state.delay_s)
            found = self._state.script(request) if self._state.script else None
            if found is None:
                await self._send(await self._asked(request, head, body))
                continue
            if isinstance(found, bytes):
                await self._send(found)
                continue
            if isinstance(found, Change):
                await self._send(found.answer(await self._asked(request, found.head(head), body)))
                continue
            trouble, choice = found
            self._state.given.append(trouble)
            if not await self._spoil(trouble, choice, request, head, body):
                return

    async def _spoil(
        self, trouble: Trouble, choice: random.Random, request: Request, head: bytes, body: bytes
    ) -> bool:
        """Answer in a wrong way; whether the connection goes on."""
        if trouble is Trouble.REFUSED:
            self._reset()
            return False
        if trouble in (Trouble.STATUS, Trouble.LOST):
            if trouble is Trouble.LOST:
                await self._asked(request, head, body)
            await self._send(_error(choice))
            return True
        kept = self._state.answers.get(_name(request))
        if trouble is Trouble.STALE and kept:
            await self._send(choice.choice(kept))
            return True
        answer = await self._asked(request, head, body)
        match trouble:
            case Trouble.RESET | Trouble.CUT | Trouble.HANGS:
                at = choice.choice([0, choice.randrange(len(answer)), len(answer) - 1])
                await self._send(answer[:at])
                await self._break_off(trouble)
                return False
            case Trouble.DRIPS:
                ends = sorted(choice.randrange(len(answer)) for _ in range(_PIECES))
                for start, stop in zip([0, *ends], [*ends, len(answer)], strict=True):
                    await self._send(answer[start:stop])
                    await asyncio.sleep(self._state.pause_s)
            case Trouble.ENDLESS:
                await self._send(answer[: answer.index(b"\r\n") + 2])
                with contextlib.suppress(OSError):  # when the client gives up
                    for byte in itertools.cycle(b"X-More: 1\r\n"):
                        if self._reader.at_eof():
                            break
                        await self._send(bytes([byte]))
                        await asyncio.sleep(self._state.pause_s)
                return False
            case Trouble.LONG:
                await self._send(answer + choice.choice([b"\0", b"more", b"HTTP/1.1 2", answer[:9]]))
            case Trouble.FLIPPED:
                changed = bytearray(answer)
                start = answer.index(b"\r\n\r\n") + 4
                if start < len(answer):
                    changed[choice.randrange(start, len(answer))] ^= 1 << choice.randrange(8)
                await self._send(bytes(changed))
            case _:
                await self._send(_listed_wrongly(answer, trouble, choice))
        return True

    async def _break_off(self, trouble: Trouble) -> None:
        with contextlib.suppress(OSError):
            if trouble is Trouble.RESET:
                self._reset()
            elif trouble is Trouble.HANGS:
                while await self._reader.read(1 << 16):
                    pass  # until the client gives up
            elif self._writer.can_write_eof():  # which TLS cannot; closing ends it
                self._writer.write_eof()

    async def _asked(self, request: Request, head: bytes, body: bytes) -> bytes:
        """The server's whole answer."""
        self._state.at_the_server += 1
        reader, writer = await asyncio.open_connection(*self._place)
        try:
            lines = [line for line in head[:-4].split(b"\r\n") if not re.match(rb"(?i)connection:", line)]
            writer.write(b"\r\n".join([*lines, b"Connection: close", b"", b""]) + body)
            await writer.drain()
            answer = _kept_open(await _whole(reader, request.method), request.method)
        finally:
            self._state.at_the_server -= 1
            writer.close()
        if request.method in ("GET", "HEAD") and self._state.script is not None:
            kept = self._state.answers.setdefault(_name(request), [])
            kept.append(answer)
            del kept[:-_KEPT]
        return answer

    async def _send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    def _reset(self) -> None:
        made: socket.socket = self._writer.get_extra_info("socket")
        made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()


def _name(request: Request) -> tuple[str, str, str]:
    return request.method, request.target, request.headers.get("range", "")


def _parsed(head: bytes) -> tuple[str, dict[str, str]]:
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return first, {name.lower(): value.strip() for name, _, value in pairs}


async def _whole(reader: asyncio.StreamReader, method: str) -> bytes:
    """An answer. If its length is known, the end of the connection is not awaited: some servers linger."""
    head = await reader.readuntil(b"\r\n\r\n")
    first, headers = _parsed(head)
    if method == "HEAD" or first.split()[1] in ("204", "304"):
        return head
    if "content-length" in headers:
        return head + await reader.readexactly(int(headers["content-length"]))
    return head + await reader.read(-1)


def _kept_open(answer: bytes, method: str) -> bytes:
    """An answer of known length that does not end the connection, from one that ended with it."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, headers = _parsed(head + b"\r\n\r\n")
    if headers.get("transfer-encoding") == "chunked":
        body = _joined(body)
    lines = head.split(b"\r\n")[1:]
    kept = [
        line for line in lines if not re.match(rb"(?i)(connection|transfer-encoding|content-length):", line)
    ]
    if method == "HEAD" and "content-length" in headers:
        kept.append(b"Content-Length: " + headers["content-length"].encode())
    elif method != "HEAD" and first.split()[1] not in ("204", "304"):
        kept.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([first.encode("latin-1"), *kept, b"", body])


def _joined(body: bytes) -> bytes:
    """A body that was sent in chunks."""
    parts = []
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size.split(b";")[0], 16)
        if not length:
            break
        parts.append(body[:length])
        body = body[length + 2 :]
    return b"".join(parts)


def _error(choice: random.Random) -> bytes:
    status = choice.choice(_STATUSES)
    body = choice.choice([b"", b"<html>busy</html>", b"<Error><Code>SlowDown</Code></Error>"])
    after = choice.choice(_AFTER)
    asked = f"Retry-After: {after}\r\n" if choice.random() < 0.7 else ""
    head = f"HTTP/1.1 {status} Busy\r\n{asked}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _listed_wrongly(answer: bytes, trouble: Trouble, choice: random.Random) -> bytes:
    """A listing with an entry twice, or in another order; any other answer unchanged."""
    head, _, body = answer.partition(b"\r\n\r\n")
    found = list(_ENTRY.finditer(body))
    if len(found) < 2 or b"Content-Length" not in head:
        return answer
    entries = [one[0] for one in found]
    if trouble is Trouble.DUPLICATED:
        entries.insert(choice.randrange(len(entries)), choice.choice(entries))
    else:
        choice.shuffle(entries)
    body = body[: found[0].start()] + b"".join(entries) + body[found[-1].end() :]
    head = re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % len(body), head)
    return head + b"\r\n\r\n" + body
