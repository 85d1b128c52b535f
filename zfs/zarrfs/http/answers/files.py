"""GET and HEAD of a file: conditions, ranges, and the bytes."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Final

from zarrfs.http.answers.body import Body
from zarrfs.http.answers.media_types import media_type
from zarrfs.http.answers.ranges import Interval, requested
from zarrfs.http.answers.validators import validators
from zarrfs.http.exchange import Exchange
from zarrfs.http.site import Site
from zarrfs.trees.entry import BytesLike, File, OpenFile

_SAFE: Final = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
}
"""A browser neither guesses that a stored value is a page, nor runs what is in it."""

Part = tuple[bytes, Interval]
"""A part of a file, and the text to send before it."""


async def answer_file(exchange: Exchange, site: Site, entry: File, opened: OpenFile) -> None:
    """Answer a request for a file.

    Raises:
        ClientGoneError: the client has gone away.
        As `OpenFile.read`.
    """
    size = opened.size
    known = validators(exchange.place, entry, opened, site.trees.freshness)
    headers = {**known.headers(), "cache-control": site.cache_control}
    if not known.meets(exchange.field("if-match"), exchange.headers.get("if-unmodified-since")):
        await exchange.refuse(412, "the file has changed")
        return
    if known.is_unchanged(exchange.field("if-none-match"), exchange.headers.get("if-modified-since")):
        await exchange.begin(304, headers)
        await exchange.end()
        return
    headers |= {"accept-ranges": "bytes", **_SAFE}
    is_part_wanted = exchange.method == "GET" and known.permits_range(exchange.headers.get("if-range"))
    wanted = requested(exchange.field("range"), size) if is_part_wanted else None
    if wanted is not None and not wanted:
        await exchange.refuse(416, "the file has no such bytes", {"content-range": f"bytes */{size}"})
        return
    status, more, parts, tail = _plan(media_type(exchange.names[-1]), wanted, size)
    length = sum(len(text) + stop - start for text, (start, stop) in parts) + len(tail)
    headers |= {**more, "content-length": str(length)}
    if exchange.method == "HEAD":
        await exchange.begin(status, headers)
        await exchange.end()
        return
    async with aclosing(
        _contents(Body(opened, exchange.client, site.workers, site.memory), parts)
    ) as contents:
        # An error of the first piece still has a status of its own.
        first = await anext(contents, b"")
        await exchange.begin(status, headers)
        await exchange.send(first)
        async for content in contents:
            await exchange.send(content)
    await exchange.end(tail)


async def _contents(body: Body, parts: Sequence[Part]) -> AsyncGenerator[BytesLike]:
    """The parts of a file in pieces, with the text before each."""
    for text, interval in parts:
        async with aclosing(body.pieces(interval)) as pieces:
            first = await anext(pieces, b"")
            yield b"".join((text, first)) if text else first
            async for piece in pieces:
                yield piece


def _plan(
    kind: str, wanted: Sequence[Interval] | None, size: int
) -> tuple[int, Mapping[str, str], Sequence[Part], bytes]:
    """Status, headers, parts of the file, and the last text of an answer."""
    if wanted is None:
        return 200, {"content-type": kind}, [(b"", (0, size))], b""
    if len(wanted) == 1:
        return 206, {"content-type": kind, "content-range": _told(wanted[0], size)}, [(b"", wanted[0])], b""
    boundary = secrets.token_hex(12)
    parts = [
        (
            f"\r\n--{boundary}\r\nContent-Type: {kind}\r\nContent-Range: {_told(each, size)}\r\n\r\n".encode(),
            each,
        )
        for each in wanted
    ]
    headers = {"content-type": f"multipart/byteranges; boundary={boundary}"}
    return 206, headers, parts, f"\r\n--{boundary}--\r\n".encode()


def _told(interval: Interval, size: int) -> str:
    return f"bytes {interval[0]}-{interval[1] - 1}/{size}"
