"""The values on a web server.

`Reader` fetches them, which is several times faster than any client in Python and does not hold the GIL. httpx does
the rest: values from servers that ignore ranges, send no length or compress bodies without being asked, repeats
after failures, and servers whose certificate is their own authority.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, quote, unquote

from zarrcore.errors import BodyTooLargeError, BrokenBodyError, InvalidKeyError, StoreError
from zarrcore.stores.connection.bodies import WHOLE_MAX
from zarrcore.stores.connection.failures import Failure
from zarrcore.stores.connection.netrc_logins import login_headers
from zarrcore.stores.connection.reader import Reader, Request
from zarrcore.stores.connection.service_codes import LOGIN_PAGE
from zarrcore.stores.http.client import Answer, WebClient, may_be_page
from zarrcore.stores.http.listing_pages import parse_listing
from zarrcore.stores.interface import ByteRange, BytesLike, StoreStat
from zarrcore.stores.keys import check_path_like_key
from zarrcore.stores.object.store import ObstoreStore, Stated, stat_of
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.validation import check_address

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from obstore.store import RetryConfig

_UNAUTHORIZED: Final = 401
_NOT_ALLOWED: Final = 405
_REFUSES_DIRECTORIES: Final = (403, 405)
"""The statuses for a directory that is requested like a file, in addition to a redirect to its page."""
_COUNTED_MAX: Final = 64 << 20
"""Bytes of the largest value that is fetched to learn its size."""
_LISTING_BEGIN: Final = 1 << 16
"""Bytes that show whether a page is a listing."""
_REFUSES_HEAD: Final = (403, 405, 501)


class _NotTheValueError(Exception):
    """The head of an answer shows a directory's page, or a body that `Reader` does not decode."""


class HTTPValues(ObstoreStore):
    """The files beneath a URL, by key.

    A query in the URL, which may be a signature, is sent with every request; user and password become a
    header. Neither is shown.

    Args:
        url: the directory, ``http://`` or ``https://``.
        options: how to connect.
    """

    service = "a web server"

    def __init__(self, url: str, options: StoreOptions | None = None) -> None:
        parts = check_address(url)
        self._origin = f"{parts.scheme.lower()}://{parts.netloc.rpartition('@')[2]}"
        self._query = f"?{parts.query}" if parts.query else ""
        options = options or StoreOptions()
        self._headers = _authorization(parts)
        if not self._headers and "authorization" not in map(str.lower, options.headers):
            self._headers = login_headers(self._origin, options)
        path = unquote(parts.path).strip("/")
        super().__init__(self._origin, path + "/" if path else "", options)
        # The URL that is shown can be typed again.
        self.url = f"{self._origin}/{quote(path)}".rstrip("/")
        self._pages = WebClient(self._origin, self.options, self._headers, logs_in=True)
        self._needs_httpx = False
        self._ignores_ranges = False
        self._tells_no_length = False

    @property
    def identity(self) -> Hashable:
        secrets = hashlib.sha256(repr((self._query, self._headers)).encode()).digest()
        return super().identity, secrets

    def close(self) -> None:
        super().close()
        self._pages.close()

    def _make_client(self, repeats: RetryConfig, timeouts: int) -> Reader:
        return Reader(self._origin, self.options, self._request, self._headers, logs_in=True)

    def _request(self, method: str, path: str) -> Request:
        return f"{self._origin}/{quote(path)}{self._query}", {}

    def _hint(self) -> str:
        return "give credentials with --header or in a netrc file, or treat it as absent with --treat-403-as-missing"

    def _fetch(
        self, key: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> tuple[BytesLike, Stated] | None:
        check_path_like_key(key, self.url)
        found = self._try(key, byte_range, max_nbytes)
        if isinstance(found, tuple):
            return found
        if found is not None:
            if found.past_end and byte_range is not None:
                return self._past_end(key, byte_range, max_nbytes)
            if not self._asks_again(found):
                self._check_absent(found, key)
                return None
        plain = self._get_plainly(key, byte_range, max_nbytes, found)
        if plain == (b"", None) and byte_range is not None and byte_range.start < 0:
            return self._past_end(key, byte_range, max_nbytes)
        return None if plain is None else (plain[0], lambda: plain[1])

    def _try(
        self, key: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> tuple[BytesLike, Stated] | Failure | None:
        """The value from `Reader`; None if its answer is not the value, or it is not worth trying."""
        if self._needs_httpx or self._tells_no_length or (self._ignores_ranges and byte_range is not None):
            return None
        path = self.prefix + key
        try:
            found = self._tried(lambda client: self._download(client, path, byte_range, max_nbytes))
        except _NotTheValueError:
            return None
        self._pages.has_answered |= not isinstance(found, Failure) or found.status > 0
        if isinstance(found, Failure):
            return None if self._turns_to_httpx(found) else found
        value, answer = found
        empty = byte_range is not None and byte_range.is_empty
        return (value[:0] if empty else value), lambda: stat_of(answer.meta)

    def _turns_to_httpx(self, failure: Failure) -> bool:
        """Whether to use httpx from now on: it trusts a server's own certificate in the bundle, which `Reader` refuses."""
        self._needs_httpx = self._needs_httpx or failure.untrusted
        return self._needs_httpx

    def _check_head(self, answer: Any, path: str) -> None:
        if _is_not_value(path, answer):
            raise _NotTheValueError

    def _asks_again(self, failure: Failure) -> bool:
        return (
            failure.passing
            or failure.past_end
            or failure.range_ignored
            or failure.not_parsed
            or failure.status in _REFUSES_DIRECTORIES
        )

    def _get_plainly(
        self,
        key: str,
        byte_range: ByteRange | None,
        max_nbytes: int | None,
        tried: Failure | None = None,
    ) -> tuple[BytesLike, StoreStat | None] | None:
        """The value through httpx, from a server that `Reader` cannot handle, or in a repeat."""
        answer = self._pages.fetch(
            self._address(key),
            byte_range,
            # One byte more than allowed shows that the value is too large.
            limit=(WHOLE_MAX if max_nbytes is None else max_nbytes) + 1,
            ranged=not (self._ignores_ranges or (tried is not None and tried.range_ignored)),
            tried=tried if tried is not None and tried.passing else None,
        )
        if isinstance(answer, Failure):
            if answer.past_end and byte_range is not None:
                return b"", None
            if answer.status != _NOT_ALLOWED or not self._is_directory(key):
                self._check_absent(answer, key)
            return None
        if tried is not None:  # pages of directories also have no ranges and lengths, or are forbidden
            self._ignores_ranges = self._ignores_ranges or tried.range_ignored
            self._tells_no_length = self._tells_no_length or tried.no_length
        self._check_size(len(answer.body), self.prefix + key, max_nbytes)
        empty = byte_range is not None and byte_range.is_empty
        return answer.body[:0] if empty else answer.body, answer.stat

    def _is_directory(self, key: str) -> bool:
        """Whether the server lists ``key/``: WebDAV servers forbid getting a directory without the slash."""
        url = self._address(key + "/")
        page = self._pages.fetch(url, limit=_LISTING_BEGIN)
        if isinstance(page, Answer) and parse_listing(page.content_type, page.body, page.url, "") is not None:
            return True
        return self._pages.speaks_webdav(url)

    def stat(self, key: str) -> StoreStat | None:
        check_path_like_key(key, self.url)
        found = self._pages.repeat(lambda: self._head(key))
        if isinstance(found, StoreStat):
            return found
        if not found.not_parsed and found.status not in _REFUSES_HEAD:
            self._check_absent(found, key)
            return None
        try:
            plain = self._get_plainly(key, None, _COUNTED_MAX)
        except BodyTooLargeError:
            raise BrokenBodyError(
                f"{key} in {self.url}: the server does not announce its size, which is more than {_COUNTED_MAX} bytes",
                key=key,
                url=self.url,
            ) from None
        return None if plain is None else plain[1]

    def _head(self, key: str) -> StoreStat | Failure:
        if self._needs_httpx:
            return self._pages.head(self._address(key))
        path = self.prefix + key
        answer = self._tried(lambda client: client.get(path, options={"head": True}))
        if isinstance(answer, Failure):
            return self._pages.head(self._address(key)) if self._turns_to_httpx(answer) else answer
        if _is_not_value(path, answer):
            return Failure.of_status(_NOT_ALLOWED)  # its answer is not about the value
        return stat_of(answer.meta)

    def _error(self, failure: Failure, key: str | None, hint: str = "") -> StoreError:
        if (
            failure.status == _UNAUTHORIZED or failure.code == LOGIN_PAGE
        ):  # which never mean that something is missing
            hint = "give credentials with --header, in a netrc file, or in the URL"
        return super()._error(failure, key, hint)

    def _address(self, key: str) -> str:
        try:
            path = quote(self.prefix + key)
        except UnicodeEncodeError:
            raise InvalidKeyError(
                f"{key!r} in {self.url}: this name is not possible on a web server", key=key, url=self.url
            ) from None
        return f"{self._origin}/{path}{self._query}"


def _is_not_value(path: str, answer: Any) -> bool:
    """Whether an answer may be a page, or is compressed for transfer, so that its announced size is not the value's."""
    headers = answer.attributes
    is_encoded = headers.get("Content-Encoding", "identity") != "identity"
    return is_encoded or may_be_page(path, headers.get("Content-Type", ""))


def _authorization(parts: SplitResult) -> dict[str, str]:
    if parts.username is None:
        return {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
