"""Requests that read values: the head of each answer arrives first, and no more of its body than the reader wants.

obstore reads the body of a refusal whole, however long it is, and does not show headers such as ``Retry-After``. So values of web
servers, and of S3 where the keys are known, are read with pyreqwest, whose answers have the interface of obstore's here.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from zarrcore.late_imports import imported
from zarrcore.stores.connection.clients import WHOLE_READ, certificates, is_loopback
from zarrcore.stores.connection.failures import Failure, RequestFailedError, trouble_in
from zarrcore.stores.connection.netrc_logins import has_logins, login_headers
from zarrcore.stores.connection.retries import retry_after_s
from zarrcore.stores.interface import ByteRange
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.targets.policy import check_redirection

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from pyreqwest.client import SyncClient
    from pyreqwest.request import SyncStreamRequest
    from pyreqwest.response import SyncResponse

Request = tuple[str, Mapping[str, str]]
"""A URL, and headers to send in addition to those of all requests."""

NOT_SECRET: Final = frozenset({"accept", "accept-encoding", "accept-language", "range", "user-agent"})
"""Headers that any server may get."""

REASON_MAX: Final = 1 << 16
"""Bytes of the body of a refusal that are read for its reason."""
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_PAGES: Final = ("text/html", "application/json")
"""The types of listing pages."""
_MOST_REDIRECTIONS: Final = 20
_INVALID: Final = "ValueError"
INVALID_REDIRECTION: Final = "the server redirects to an invalid address"
_PORTS: Final = {"http": 80, "https": 443}
_CONTENT_RANGE: Final = re.compile(r"bytes (\d{1,19})-(\d{1,19})/(\d{1,19})")
_CERTIFICATE: Final = re.compile(rb"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)


def is_directory_of(url: str, path: str) -> bool:
    """Whether a request for the value at ``path`` was redirected to the directory of that name: the value does not exist.

    >>> is_directory_of("http://host/a%20b/", "a b"), is_directory_of("http://host/login/", "a b")
    (True, False)
    """
    name = path.rpartition("/")[2]
    return bool(name) and unquote(urlsplit(url).path).endswith(f"/{name}/")


class Reader:
    """Sends GET and HEAD requests for the values of one server, with obstore's methods. Thread-safe.

    Redirections are followed where `check_redirection` allows it; other servers do not get the user's headers.

    Args:
        server: the address, ``http://host:port``.
        options: how to connect.
        request_of: returns what to request, by method and path of a value.
        headers: to send with all requests, in addition to those of the options.
        logs_in: whether to give servers that a redirection leads to the logins of a netrc file, and to keep cookies.
    """

    def __init__(
        self,
        server: str,
        options: StoreOptions,
        request_of: Callable[[str, str], Request],
        headers: Mapping[str, str] | None = None,
        *,
        logs_in: bool = False,
    ) -> None:
        self._logs_in = logs_in and has_logins(options)
        self._server = urlsplit(server)
        self._options = options
        self._request_of = request_of
        sent = {**options.headers, **(headers or {})}
        self._secret = {name: text for name, text in sent.items() if name.lower() not in NOT_SECRET}
        general = {name: text for name, text in sent.items() if name not in self._secret}
        self._client = self._make(server, {"Accept-Encoding": "identity", **general})

    def _make(self, server: str, headers: Mapping[str, str]) -> SyncClient:
        _load()
        silent = timedelta(seconds=self._options.timeout_s)
        made = (
            imported("pyreqwest.client").SyncClientBuilder().user_agent("zarrscope").default_headers(headers)
        )
        made = made.follow_redirects(enable=False).default_cookie_store(self._logs_in)
        made = made.connect_timeout(silent).read_timeout(silent).timeout(silent * WHOLE_READ)
        made = made.gzip(enable=False).brotli(enable=False).zstd(enable=False).deflate(enable=False)
        made = made.runtime_multithreaded(enable=True)  # to decrypt on all cores
        if is_loopback(server):
            made = made.no_proxy()
        if self._options.ca_bundle is not None:
            for certificate in _CERTIFICATE.findall(certificates(self._options.ca_bundle)):
                made = made.add_root_certificate_pem(certificate)
        client: SyncClient = made.build()
        return client

    def get(self, path: str, *, options: Mapping[str, Any]) -> Response:
        """The answer to a request for a value, or part of it: its head has arrived.

        Args:
            path: of the value.
            options: as obstore's: ``range`` or ``head``, or neither.

        Raises:
            RequestFailedError: the request failed, or its answer is not about the value.
            BrokenReferenceError: it was redirected to a place that must not be read.
        """
        return self._ask("HEAD" if options.get("head") else "GET", path, options.get("range"))

    def _ask(self, method: str, path: str, wanted: Any) -> Response:
        try:
            url, headers = self._request_of(method, path)
        except UnicodeEncodeError as error:
            raise RequestFailedError(Failure(0, "", "", type(error).__name__, "")) from None
        part = None
        if wanted is not None:
            part = _byte_range(wanted)
            headers = {**headers, "Range": range_header(part)}
        if self._secret:
            headers = {**self._secret, **headers}
        answer = self._sent(method, url, headers)
        if answer.moved is not None:
            answer = self._followed(answer, path, method, url, headers)
        answer.check(part)
        return answer

    def _followed(
        self, answer: Response, path: str, method: str, url: str, headers: Mapping[str, str]
    ) -> Response:
        """The answer after all redirections."""
        began_s, has_left = time.monotonic(), False
        for _ in range(_MOST_REDIRECTIONS):
            if (moved := answer.moved) is None:
                if answer.is_page and is_directory_of(url, path):
                    raise RequestFailedError(Failure.of_status(HTTPStatus.NOT_FOUND))
                return answer
            answer.end(REASON_MAX)
            if time.monotonic() - began_s > self._options.timeout_s:
                raise RequestFailedError(Failure.of_kind("Timeout"))
            before = url
            try:
                # The client reads some addresses otherwise than Python does: in https://a\@b the host is a, not b.
                url = str(imported("pyreqwest.http").Url(urljoin(url, moved)))
                place = urlsplit(url)
                is_own = is_same_server(self._server, place)
            except ValueError:
                raise RequestFailedError(Failure.of_kind("", INVALID_REDIRECTION)) from None
            if place.scheme not in _PORTS:
                raise RequestFailedError(Failure.of_kind("", INVALID_REDIRECTION))
            check_redirection(before, url, self._options)
            if not is_own:
                headers = {name: text for name, text in headers.items() if name.lower() in NOT_SECRET}
                has_left = True
                if self._logs_in:
                    headers |= login_headers(url, self._options)
            elif has_left:  # the login of the server that leads back
                headers = {name: text for name, text in headers.items() if name.lower() in NOT_SECRET}
            try:
                answer = self._sent(method, url, headers)
            except RequestFailedError as error:
                if error.failure.name != _INVALID:
                    raise
                raise RequestFailedError(Failure.of_kind("", INVALID_REDIRECTION)) from None
        raise RequestFailedError(Failure.of_kind("Connect", trouble=trouble_in("error following redirect")))

    def _sent(self, method: str, url: str, headers: Mapping[str, str]) -> Response:
        try:
            request = self._client.request(method, url)
            if headers:
                request = request.headers(headers)
            # Without a limit of 0, the head would wait for the beginning of the body.
            sent = request.streamed_read_buffer_limit(0).build_streamed()
            return Response(sent, sent.__enter__())
        except _errors() as error:
            raise RequestFailedError(_failure(error)) from None


class Response:
    """An answer with a value or part of it, with the interface of obstore's ``GetResult``.

    Args:
        sent: the request, which ends with its answer.
        answer: the answer: its head.

    Attributes:
        range: the part of the value that the body is: its first byte, and the one after its last.
    """

    __slots__ = ("_answer", "_etag", "_sent", "_size", "_status", "range")

    def __init__(self, sent: SyncStreamRequest, answer: SyncResponse) -> None:
        self._sent = sent
        self._answer = answer
        self._status = answer.status
        self._etag: str | None = None
        self._size = 0
        self.range = (0, 0)

    @property
    def moved(self) -> str | None:
        """Where it redirects the request."""
        return self._header("location") if self._status in _REDIRECTS else None

    @property
    def is_page(self) -> bool:
        """Whether it is the listing page of a directory, if it came in place of a value."""
        return self._status == HTTPStatus.OK and (self._header("content-type", "unknown") or "").startswith(
            _PAGES
        )

    def check(self, part: ByteRange | None) -> None:
        """Read the size of the value and its part from the head.

        Args:
            part: what was requested; None for all.

        Raises:
            RequestFailedError: it is a refusal, or its head does not say what its body is.
        """
        status = self._status
        if status not in (200, 206):
            reason = str(self.end(REASON_MAX), "utf-8", "replace")
            pause_s = retry_after_s(self._header("retry-after", "unknown") or "")
            date = self._header("date", "") or ""
            raise RequestFailedError(Failure.of_refusal(status, reason, pause_s, date))
        self._etag = self._header("etag")
        length = self._header("content-length") or ""
        # Of an answer with both headers, the length does not count: RFC 9112, "Message Body Length".
        if not length.isascii() or not length.isdigit() or self._header("transfer-encoding") is not None:
            raise self._unfit("the answer has no valid Content-Length")
        if status == 200:
            if part is not None:
                raise self._unfit("non-partial response")
            self._size = int(length)
            self.range = (0, self._size)
            return
        match = _CONTENT_RANGE.fullmatch(self._header("content-range") or "")
        if match is None:
            raise self._unfit("the answer has no valid Content-Range")
        self._size = int(match[3])
        self.range = int(match[1]), int(match[2]) + 1
        if self.range != (part or ByteRange(0)).resolve(self._size) or self.range[1] - self.range[0] != int(
            length
        ):
            raise self._unfit("the answer is another part")

    def _unfit(self, why: str) -> RequestFailedError:
        self.end(0)
        return RequestFailedError(Failure(0, "", "", "GenericError", why))

    def _header(self, name: str, otherwise: str | None = None) -> str | None:
        """A header; None if it is missing, and ``otherwise`` if it is not ASCII.

        Raises:
            RequestFailedError: it is not ASCII, and nothing stands for it.
        """
        try:
            return self._answer.get_header(name)
        except ValueError:
            if otherwise is None:
                raise self._unfit(f"the header {name} is not ASCII") from None
            return otherwise

    @property
    def attributes(self) -> Mapping[str, str]:
        """Its headers ``Content-Type`` and ``Content-Encoding``, if it has them."""
        found = {name: self._header(name, "unknown") for name in ("Content-Type", "Content-Encoding")}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def meta(self) -> Mapping[str, Any]:
        """The facts about the whole value: ``size`` in bytes, ``e_tag``, and ``last_modified``, the epoch if not stated."""
        modified = self._header("last-modified", "unknown") or ""
        return {
            "size": self._size,
            "e_tag": self._etag,
            "last_modified": modification_time(modified) or _EPOCH,
        }

    def bytes(self) -> memoryview:
        """The body, as far as it arrives.

        Raises:
            RequestFailedError: it broke off.
        """
        return self._read(self.range[1] - self.range[0])

    def stream(self, min_chunk_size: int) -> Iterator[memoryview]:
        """The pieces of the body, each of at least ``min_chunk_size`` bytes except the last.

        Raises:
            RequestFailedError: it broke off.
        """
        left = self.range[1] - self.range[0]
        while left and len(piece := self._read(min(left, min_chunk_size))):
            left -= len(piece)
            yield piece

    def _read(self, nbytes: int) -> memoryview:
        """So many bytes of the body; those that arrive next if it is 0."""
        reader = self._answer.body_reader
        try:
            piece = reader.read(nbytes) if nbytes else reader.read_chunk()
        except _errors() as error:
            is_silence = _failure(error).kind == "Timeout"
            raise RequestFailedError(Failure.of_kind("Timeout" if is_silence else "Interrupted")) from None
        return memoryview(b"" if piece is None else piece)

    def end(self, limit: int) -> memoryview:
        """Read at most ``limit`` bytes of the body, and end the answer. A connection is used again if that was all of it."""
        try:
            found = self._answer.body_reader.read(limit) if limit else None
            self._sent.__exit__(None, None, None)
        except _errors():
            found = None
        return memoryview(b"" if found is None else found)


def is_same_server(known: SplitResult, other: SplitResult) -> bool:
    """Whether a URL leads to a known server, or to its secure port."""
    if known.hostname != other.hostname:
        return False
    schemes, ports = (known.scheme, other.scheme), (_port(known), _port(other))
    return (schemes[0] == schemes[1] and ports[0] == ports[1]) or (*ports, schemes[1]) == (80, 443, "https")


def _port(address: SplitResult) -> int | None:
    return address.port or _PORTS.get(address.scheme)


def range_header(part: ByteRange) -> str:
    """The Range header for a part. For an empty part it requests one byte, which shows if the value exists."""
    start, stop = part
    if start < 0:
        return f"bytes={start}"
    return f"bytes={start}-" if stop is None else f"bytes={start}-{max(stop, start + 1) - 1}"


def modification_time(header: str) -> datetime | None:
    """The time in a ``Last-Modified`` header; None if it is missing or invalid."""
    try:
        return parsedate_to_datetime(header)
    except (ValueError, OverflowError):
        return None


def _byte_range(wanted: Any) -> ByteRange:
    """The part that obstore's option ``range`` names."""
    if isinstance(wanted, tuple):
        return ByteRange(*wanted)
    return ByteRange(-wanted["suffix"]) if "suffix" in wanted else ByteRange(wanted["offset"])


_loading = threading.Lock()


def _load() -> None:
    """Import pyreqwest, in a thread that never ends.

    Once the thread has ended that loaded its allocator (mimalloc), a later thread with the same identifier crashes the process.
    """
    with _loading:
        _load_once()


@cache
def _load_once() -> None:
    outcome = Future[None]()

    def load() -> None:
        try:
            imported("pyreqwest.client")
            # It looks each class of its exceptions up when it first raises it. For a package that runs Python, where a pending
            # signal raises KeyboardInterrupt, and then the process aborts.
            del imported("pyreqwest.exceptions").__path__
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            outcome.set_exception(error)
        else:
            outcome.set_result(None)
            threading.Event().wait()

    threading.Thread(target=load, name="zarrcore-pyreqwest", daemon=True).start()
    outcome.result()


@cache
def _errors() -> tuple[type[Exception], ...]:
    return (imported("pyreqwest.exceptions").PyreqwestError, ValueError)


def _failure(error: Exception) -> Failure:
    """The meaning of an exception of pyreqwest."""
    known = imported("pyreqwest.exceptions")
    kinds = {known.RequestTimeoutError: "Timeout", known.DecodeError: "Decode", known.ConnectError: "Connect"}
    if isinstance(error, ValueError):
        return Failure(0, "", "", _INVALID, "")  # an address that no request can have
    kind = next((kind for one, kind in kinds.items() if isinstance(error, one)), "Request")
    return Failure.of_kind(kind, trouble=trouble_in(str(error)))
