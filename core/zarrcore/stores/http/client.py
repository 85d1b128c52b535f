"""HTTP requests that `Reader` does not make: listing pages, unusual servers, and repeats after failures."""

from __future__ import annotations

import functools
import re
import ssl
import threading
import time
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import unquote, urlsplit

from zarrcore.errors import StoreError
from zarrcore.printable import is_page, printable, title_of_page
from zarrcore.stores.connection.bodies import WHOLE_MAX, BodyError, Pace
from zarrcore.stores.connection.clients import httpx_client, is_loopback, trust
from zarrcore.stores.connection.content_encoding import COMPRESSED, inflated
from zarrcore.stores.connection.failures import Failure, trouble_in, without_secrets
from zarrcore.stores.connection.netrc_logins import has_logins, login_headers
from zarrcore.stores.connection.reader import (
    INVALID_REDIRECTION,
    NOT_SECRET,
    REASON_MAX,
    is_directory_of,
    is_same_server,
    modification_time,
    range_header,
)
from zarrcore.stores.connection.retries import Retries, retry_after_s
from zarrcore.stores.connection.service_codes import LOGIN_PAGE
from zarrcore.stores.http.connections import send, until
from zarrcore.stores.interface import ByteRange, StoreStat
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.targets.policy import check_redirection

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    import httpx

T = TypeVar("T")

_CONTENT_RANGE: Final = re.compile(r"bytes (\d{1,19})-(\d{1,19})/(\d{1,19}|\*)")
_ENCODINGS: Final = ("", "identity", *COMPRESSED)
"""Encodings of a body that can be decoded."""
_UNFIT: Final = "Unfit"
"""The kind of failure if the wrong part arrived; the whole value may be right."""
_KEPT: Final = 1 << 20
_MOST_REDIRECTIONS: Final = 20
_REDIRECTED: Final = "zarrcore.redirected"
"""The extension of requests that a redirection leads to."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A successful answer."""

    url: str
    """The final URL, after redirections."""
    content_type: str
    body: memoryview
    """The part that was wanted."""
    stat: StoreStat | None
    """The facts about the whole value, if the answer has its size."""


@functools.lru_cache(maxsize=8)
def _context(ca_bundle: str | None) -> ssl.SSLContext:
    """Reading some hundred certificates takes longer than most requests, so it is done once."""
    import httpx

    try:
        context = httpx.create_ssl_context()
        context.load_default_certs()
    except OSError as error:
        raise StoreError(
            f"cannot read the certificates that SSL_CERT_FILE or SSL_CERT_DIR names: {error}"
        ) from error
    if ca_bundle is not None:
        trust(context, ca_bundle)
    return context


def tls_context(options: StoreOptions) -> ssl.SSLContext:
    """The certificates that TLS connections trust: those of httpx, of the system, and in ``ca_bundle``.

    Raises:
        StoreError: the bundle cannot be read.
    """
    return _context(options.ca_bundle)


class WebClient:
    """An HTTP client that is made when first used and closed with its owner.

    Args:
        address: the server; a proxy of the environment is used unless it is this machine.
        options: how to connect.
        headers: headers to send in addition to those of the options.
        logs_in: as of `Reader`.

    Attributes:
        has_answered: whether the server was ever there; if it is not any more, it is awaited for longer.
    """

    def __init__(
        self, address: str, options: StoreOptions, headers: Mapping[str, str], *, logs_in: bool = False
    ) -> None:
        self._logs_in = logs_in
        self._address = address
        self._options = options
        self._headers = headers
        self._made: httpx.Client | None = None
        self._lock = threading.Lock()
        self.has_answered = False

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(WebClient, logs_in=self._logs_in), (self._address, self._options, self._headers)

    def close(self) -> None:
        """Close idle connections; a later request opens new ones."""
        client, self._made = self._made, None
        if client is not None:
            client.close()

    def fetch(
        self,
        url: str,
        byte_range: ByteRange | None = None,
        *,
        limit: int,
        ranged: bool = True,
        tried: Failure | None = None,
    ) -> Answer | Failure:
        """The body at ``url``, or the part of it in ``byte_range``; repeated as `Retries` says.

        Args:
            url: the URL to request.
            byte_range: the wanted part.
            limit: the maximum number of bytes to read.
            ranged: request only the part; otherwise request all and stop reading after the part.
            tried: the outcome of a first attempt, if one was made elsewhere.
        """
        return self.repeat(
            lambda: self._sent(lambda: self._fetch_once(url, byte_range, limit, ranged)), tried
        )

    def repeat(self, attempt: Callable[[], T | Failure], tried: Failure | None = None) -> T | Failure:
        """The first outcome of ``attempt`` that is not a temporary failure, or the last one."""
        retries = Retries(self._options, without_secrets(self._address))
        result = tried or attempt()
        while (
            isinstance(result, Failure)
            and result.passing
            and retries.wait(
                result.retry_after_s or 0.0, briefly=result.has_no_server and not self.has_answered
            )
        ):
            result = attempt()
        if isinstance(result, Failure):
            result = replace(result, repeats=retries.made)
        self.has_answered = self.has_answered or not isinstance(result, Failure) or result.status > 0
        return result

    def head(self, url: str) -> StoreStat | Failure:
        """The facts about the value at ``url``, from an answer without a body."""
        return self._sent(lambda: self._head(url))

    def _head(self, url: str) -> StoreStat | Failure:
        with self._asked("HEAD", url, {}) as answer:
            size = _whole_size(answer)
        if answer.status_code != 200:
            return Failure.of_status(answer.status_code, retry_after_s(answer.headers.get("retry-after", "")))
        if size is None or may_be_page(urlsplit(url).path, answer.headers.get("content-type", "")):
            return Failure.of_status(405)  # the answer is not about the value
        return StoreStat(size, *_version(answer.headers))

    def _sent(self, request: Callable[[], T | Failure]) -> T | Failure:
        """The outcome of one request."""
        import httpx

        try:
            return request()
        except httpx.HTTPError as error:
            return failure_of(error)
        except UnicodeError:  # of Python's codec for names of hosts
            return Failure.of_kind("Connect", trouble=trouble_in("dns error"))
        except (httpx.InvalidURL, ValueError):
            return Failure.of_kind("", INVALID_REDIRECTION)

    def speaks_webdav(self, url: str) -> bool:
        """Whether a request for the WebDAV properties of ``url`` alone is understood."""
        return isinstance(self._sent(lambda: self._propfind(url, "0", 1)), Answer)

    def children(self, url: str, limit: int) -> Answer | Failure:
        """The WebDAV properties of what is directly beneath ``url``, at most ``limit`` bytes of them."""
        return self.repeat(lambda: self._sent(lambda: self._propfind(url, "1", limit)))

    def document(self, url: str, headers: Mapping[str, str], limit: int) -> memoryview | Failure:
        """The body of an answer, at most ``limit`` bytes of it; a refusal with the reason that its body gives."""
        return self.repeat(lambda: self._sent(lambda: self._document(url, headers, limit)))

    def _document(self, url: str, headers: Mapping[str, str], limit: int) -> memoryview | Failure:
        with self._asked("GET", url, headers) as answer:
            is_right = answer.status_code == HTTPStatus.OK
            body = self._read(answer, ByteRange(0), limit if is_right else REASON_MAX)
            if is_right:
                return body if isinstance(body, Failure) else memoryview(body)
            reason = "" if isinstance(body, Failure) else str(body, "utf-8", "replace")
            return Failure.of_refusal(
                answer.status_code,
                reason,
                retry_after_s(answer.headers.get("retry-after", "")),
                answer.headers.get("date", ""),
            )

    def _propfind(self, url: str, depth: str, limit: int) -> Answer | Failure:
        with self._asked("PROPFIND", url, {"Depth": depth}) as answer:
            if answer.status_code != HTTPStatus.MULTI_STATUS:
                return Failure.of_status(
                    answer.status_code, retry_after_s(answer.headers.get("retry-after", ""))
                )
            body = self._read(answer, ByteRange(0), limit)
            if isinstance(body, Failure):
                return body
            return Answer(str(answer.url), "application/xml", memoryview(body).toreadonly(), None)

    def _fetch_once(
        self, url: str, byte_range: ByteRange | None, limit: int, ranged: bool
    ) -> Answer | Failure:
        result = self._ask(url, byte_range, limit, ranged and byte_range is not None)
        if isinstance(result, Failure) and result.kind == _UNFIT:
            result = self._ask(url, byte_range, limit, False)
        return result

    def _ask(self, url: str, byte_range: ByteRange | None, limit: int, ranged: bool) -> Answer | Failure:
        part = byte_range or ByteRange(0)
        headers = {"Range": range_header(part)} if ranged else {}
        with self._asked("GET", url, headers) as answer:
            if elsewhere := _page_elsewhere(answer, urlsplit(url).path):
                return elsewhere
            if answer.status_code == 206 and ranged:
                body = self._part(answer, part, limit)
            elif answer.status_code == 200:
                body = self._read(answer, part, limit)
            else:
                return Failure.of_status(
                    answer.status_code, retry_after_s(answer.headers.get("retry-after", ""))
                )
            if isinstance(body, Failure):
                return body
            is_all = part == (0, None) and len(body) < limit
            size = len(body) if is_all else _whole_size(answer)
            stat = None if size is None else StoreStat(size, *_version(answer.headers))
            content_type = answer.headers.get("content-type", "")
            return Answer(str(answer.url), content_type, memoryview(body).toreadonly(), stat)

    def _part(self, answer: httpx.Response, part: ByteRange, limit: int) -> bytearray | Failure:
        """The body, if it is the requested part as the server claims."""
        size = _announced_size(answer.headers, part)
        if size is None:
            return Failure.of_kind(_UNFIT)
        body = self._read(answer, ByteRange(0), limit)
        wanted = min(size, limit)
        return Failure.of_kind(_UNFIT) if isinstance(body, bytearray) and len(body) != wanted else body

    def _read(self, answer: httpx.Response, part: ByteRange, limit: int) -> bytearray | Failure:
        """The part of a body. Bytes before it are not kept, bytes after it are not fetched."""
        import httpx

        encoding = answer.headers.get("content-encoding", "").lower()
        if encoding not in _ENCODINGS:
            return Failure.of_kind("", f"it is encoded as {encoding[:20]!r}, which was not requested")
        start, stop = part
        skip = max(0, start)
        wanted = None if start < 0 else limit if stop is None else min(limit, max(0, stop - start))
        body, passed, pace = bytearray(), 0, Pace(self._options.timeout_s)
        try:
            pieces = answer.iter_raw()
            for piece in inflated(pieces, encoding) if encoding in COMPRESSED else pieces:
                if not passed and _is_page(answer, piece):
                    return Failure.of_kind("", _page_instead(answer, piece))
                body += piece[skip:] if skip else piece
                skip = max(0, skip - len(piece))
                if wanted is not None and len(body) >= wanted:
                    del body[wanted:]
                    break
                passed += len(piece)
                if passed > WHOLE_MAX:
                    return Failure.of_kind("", f"it does not end after {WHOLE_MAX} bytes")
                if start < 0 and len(body) > _KEPT - 2 * start:
                    del body[:start]
                pace.count(len(piece))
        except BodyError as error:
            return Failure.of_kind(error.kind)
        except zlib.error:
            return Failure.of_kind("Decode")
        except (httpx.RemoteProtocolError, httpx.ReadError):
            return Failure.of_kind("Interrupted")
        return body[start:] if start < 0 else body

    @contextmanager
    def _asked(self, method: str, url: str, headers: Mapping[str, str]) -> Iterator[httpx.Response]:
        """The answer after all redirections: its head has arrived within the timeout."""
        import httpx

        client = self._client()
        request = client.build_request(method, url, headers=headers)
        with ExitStack() as answers:
            with until(time.monotonic() + self._options.timeout_s):
                for _ in range(_MOST_REDIRECTIONS):
                    answer = send(client, request)
                    answers.callback(answer.close)
                    if answer.next_request is None:
                        break
                    _read_to_end(answer)
                    check_redirection(str(request.url), str(answer.next_request.url), self._options)
                    request = answer.next_request
                    request.extensions = {**request.extensions, _REDIRECTED: True}
                else:
                    raise httpx.TooManyRedirects("Exceeded maximum allowed redirects.")
            yield answer

    def _client(self) -> httpx.Client:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _make(self) -> httpx.Client:
        self._logs_in = self._logs_in and has_logins(self._options)
        client = httpx_client(
            headers={
                "Accept-Encoding": "identity",
                "User-Agent": "zarrscope",
                **self._options.headers,
                **self._headers,
            },
            timeout=self._options.timeout_s,
            verify=tls_context(self._options),
            # Only logins need them.
            cookies=CookieJar(None if self._logs_in else DefaultCookiePolicy(allowed_domains=())),
            event_hooks={"request": [self._withhold]},
            trust_env=not is_loopback(self._address),
        )
        weakref.finalize(self, client.close)
        return client

    def _withhold(self, request: httpx.Request) -> None:
        """Remove the user's headers from a request that another server redirected to. httpx only removes Authorization."""
        if not is_same_server(urlsplit(self._address), urlsplit(str(request.url))):
            for name in {*self._options.headers, *self._headers}:
                if name.lower() not in NOT_SECRET:
                    request.headers.pop(name, None)
            if self._logs_in:
                request.headers.update(login_headers(str(request.url), self._options))


def _read_to_end(answer: httpx.Response) -> None:
    """Read the body of a redirection, so that its connection can be used again; not if it is long, or its length unknown."""
    said = answer.headers.get("content-length", "")
    if said.isascii() and said.isdigit() and int(said) <= _KEPT:
        for _ in answer.iter_raw():
            pass


def _page_elsewhere(answer: httpx.Response, path: str) -> Failure | None:
    """The failure if the request was redirected to a page in place of the value at ``path``."""
    found = answer.url.path
    name = unquote(path).rpartition("/")[2]
    if not name or answer.request.extensions.get(_REDIRECTED) is None:
        return None
    if is_directory_of(str(answer.url), unquote(path)):
        # The page of the directory, which the server may show or refuse: the value does not exist.
        return Failure.of_status(404)
    is_page = answer.headers.get("content-type", "").startswith("text/html") or found.endswith("/")
    if is_page and answer.status_code in (200, 206, 403) and not name.endswith((".html", ".htm")):
        return Failure(0, LOGIN_PAGE, "", "", "")
    return None


def _is_page(answer: httpx.Response, begin: bytes) -> bool:
    """Whether a body is a page of HTML, which no key names that does not end as one."""
    return (
        answer.status_code == HTTPStatus.OK
        and answer.headers.get("content-type", "").startswith("text/html")
        and not answer.url.path.endswith(("/", ".html", ".htm"))
        and is_page(begin)
    )


def _page_instead(answer: httpx.Response, begin: bytes) -> str:
    """What came in place of a value, and what to do."""
    kind = printable(answer.headers["content-type"].partition(";")[0][:40])
    what = ", ".join(part for part in (str(answer.status_code), kind, title_of_page(begin)) if part)
    return (
        f"the server answers with a web page ({what}), perhaps one to log in; "
        "give credentials with --header, in a netrc file, or in the URL"
    )


def may_be_page(path: str, content_type: str) -> bool:
    """Whether this may be the page of a directory, to which servers redirect a URL without the final slash."""
    if content_type.startswith("text/html"):
        return True
    # Documents have a dot in their names.
    return content_type.startswith("application/json") and "." not in path.rpartition("/")[2]


def _announced_size(headers: httpx.Headers, part: ByteRange) -> int | None:
    """The number of bytes to come, or None if they are not the part. A part may end early only at the value's end."""
    match = _CONTENT_RANGE.fullmatch(headers.get("content-range", ""))
    if match is None or headers.get("content-encoding", "identity") != "identity":
        return None
    first, stop = int(match[1]), int(match[2]) + 1
    wanted = (part.start, part.stop) if match[3] == "*" else part.resolve(int(match[3]))
    return stop - first if wanted == (first, stop) else None


def _whole_size(answer: httpx.Response) -> int | None:
    """The size of the whole value, if the answer has it. A compressed body has another size in transfer."""
    match = _CONTENT_RANGE.fullmatch(answer.headers.get("content-range", ""))
    said = answer.headers.get("content-length", "") if match is None else match[3]
    packed = answer.headers.get("content-encoding", "identity") != "identity"
    return int(said) if said.isascii() and said.isdigit() and not packed else None


def _version(headers: httpx.Headers) -> tuple[float | None, str | None]:
    """Modification time and etag."""
    changed = modification_time(headers.get("last-modified", ""))
    return None if changed is None else changed.timestamp(), headers.get("etag")


def failure_of(error: httpx.HTTPError) -> Failure:
    """The meaning of an exception of httpx."""
    import httpx

    if isinstance(error, httpx.TimeoutException):
        return Failure.of_kind("Timeout")
    if isinstance(error, httpx.DecodingError):
        return Failure.of_kind("Decode")
    trouble = trouble_in(str(error))
    if not trouble and isinstance(error, httpx.ProxyError):
        trouble = trouble_in("tunnel error: unsuccessful")
    return Failure.of_kind("Connect", trouble=trouble)
