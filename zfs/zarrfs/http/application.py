"""The server's application: who may ask, what is asked, and an answer for each error."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from typing import Final

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from zarrfs.http.access import CHALLENGE, has_token, is_loopback, names_loopback
from zarrfs.http.answers.files import answer_file
from zarrfs.http.answers.listings import answer_directory
from zarrfs.http.answers.view import NAME as VIEWER
from zarrfs.http.answers.view import answer_view
from zarrfs.http.answers.webdav import answer_propfind
from zarrfs.http.connection import neighbourhood
from zarrfs.http.entrance import Entrance
from zarrfs.http.exchange import Exchange
from zarrfs.http.options import ServeOptions, Token
from zarrfs.http.site import Site
from zarrfs.http.statuses import NOT_FOUND, UNAVAILABLE, UNFORESEEN, pause_s, status_of
from zarrfs.http.workers import ClientGoneError
from zarrfs.trees.entry import Content, Directory, Entry
from zarrfs.trees.paths import find, open_file

_log = logging.getLogger(__name__)

_ALLOWED: Final = {"allow": "GET, HEAD, OPTIONS, PROPFIND", "dav": "1", "ms-author-via": "DAV"}
_HEADERS_MAX: Final = 16 << 10
"""Bytes of the headers of a request. The parser has a limit, too, but takes longer headers if they arrive all at once."""
_AGAIN: Final = {"retry-after": "1"}
_READ_BY_PAGES: Final = ("Accept-Ranges", "Content-Length", "Content-Range", "ETag", "Last-Modified")
"""Headers that pages of other origins may read."""
_SENT_BY_PAGES: Final = ("Authorization", "If-Match", "If-None-Match", "If-Range", "Range")
"""Headers that pages of other origins may send."""


def application(site: Site, options: ServeOptions) -> ASGIApp:
    """The application for a site."""
    answers: ASGIApp = Application(site, options.token, options.requests_max)
    if site.origins:
        answers = CORSMiddleware(
            answers,
            allow_origins=sorted(site.origins),
            allow_methods=["GET", "HEAD"],
            allow_headers=_SENT_BY_PAGES,
            expose_headers=_READ_BY_PAGES,
            allow_private_network=True,
        )
    if options.token is None and is_loopback(options.host):
        answers = HostCheck(answers)
    return Entrance(answers)


class HostCheck:
    """Refuses requests that do not name this machine.

    Args:
        answers: answers the others.
    """

    def __init__(self, answers: ASGIApp) -> None:
        self._answers = answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if names_loopback(Headers(scope=scope).get("host")):
            await self._answers(scope, receive, send)
        else:
            await Exchange(scope, receive, send).refuse(
                421, "this server answers requests to localhost only; another name needs --token"
            )


class Application:
    """Answers all requests.

    Args:
        site: what it shows.
        token: what a request must have; None if everyone who reaches the server may read.
        requests_max: the requests that are answered at once; more are told to come again. One address has 7 of 8 at most.
    """

    def __init__(self, site: Site, token: Token | None, requests_max: int) -> None:
        self._site = site
        self._token = token
        self._requests_max = requests_max
        self._in_flight: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send)
        if sum(len(name) + len(value) for name, value in scope["headers"]) > _HEADERS_MAX:
            await exchange.refuse(431, "the headers are too long")
            return
        address = neighbourhood(scope["client"][0]) if scope.get("client") else ""
        others_max = -(-self._requests_max * 7 // 8)
        if self._in_flight.total() >= self._requests_max or self._in_flight[address] >= others_max:
            await exchange.refuse(UNAVAILABLE, "too many requests at once: try again", _AGAIN)
            return
        self._in_flight[address] += 1
        try:
            await self._answer(exchange)
        except ClientGoneError:
            return
        except Exception as error:  # noqa: BLE001 - no store, document or fault of ours may end the server
            await self._answer_error(exchange, error)
        finally:
            self._in_flight -= Counter((address,))  # drops those at 0
            exchange.client.release()
            _log.info("%s %s %s", exchange.method, exchange.path, exchange.status or "gone")

    async def _answer(self, exchange: Exchange) -> None:
        if self._token is not None and not has_token(exchange, self._token.value):
            await exchange.refuse(401, "this server needs a token", CHALLENGE)
        elif exchange.method == "OPTIONS":
            await exchange.begin(200, {**_ALLOWED, "content-length": "0"})
            await exchange.end()
        elif exchange.method not in {"GET", "HEAD", "PROPFIND"}:
            await exchange.refuse(405, "this server is read-only", _ALLOWED)
        elif exchange.method == "PROPFIND":
            await self._propfind(exchange)
        else:
            await self._get(exchange)

    async def _get(self, exchange: Exchange) -> None:
        site, names = self._site, exchange.names
        if site.has_viewer and names[0] == VIEWER:
            await answer_view(exchange, site)
            return
        opened = None
        if not exchange.is_directory:
            opened = await site.workers.ask(exchange.client, partial(open_file, site.root, names))
        if opened is not None:
            made_nbytes = opened[1].size if isinstance(opened[1], Content) else 0
            with closing(opened[1]), site.documents.holding(made_nbytes):
                await answer_file(exchange, site, *opened)
            return
        entry = await self._find(exchange, names)
        if isinstance(entry, Directory):
            await answer_directory(exchange, site, entry)
        else:
            await exchange.refuse(NOT_FOUND, "there is no such file")

    async def _propfind(self, exchange: Exchange) -> None:
        body = await exchange.body()
        if body is None:
            await exchange.refuse(413, "the request is too long")
            return
        entry = await self._find(exchange, exchange.names)
        if entry is None:
            await exchange.refuse(NOT_FOUND, "there is no such file")
        else:
            await answer_propfind(exchange, self._site, entry, body)

    async def _find(self, exchange: Exchange, names: Sequence[str]) -> Entry | None:
        """The entry at a path, which may end in a slash only if it is a directory."""
        parts = names[:-1] if exchange.is_directory else names
        entry = await self._site.workers.ask(exchange.client, partial(find, self._site.root, parts))
        return None if exchange.is_directory and not isinstance(entry, Directory) else entry

    async def _answer_error(self, exchange: Exchange, error: Exception) -> None:
        """Answer with the status of an error; an answer that has begun is broken off, so that the client notices."""
        told = status_of(error)
        if told is None:
            _log.error(
                "%s %s failed with an unexpected error", exchange.method, exchange.path, exc_info=error
            )
        elif told[0] != NOT_FOUND:
            _log.warning("%s %s: %s", exchange.method, exchange.path, error)
        if exchange.status is None:
            status, reason = told or (UNFORESEEN, "the server has failed")
            await exchange.refuse(
                status, reason, {"retry-after": str(pause_s(error))} if status == UNAVAILABLE else None
            )
