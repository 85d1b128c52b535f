"""A directory of a web server.

Values come through obstore, several times as fast as any client in Python and on threads that need no interpreter
lock. What obstore cannot do goes through httpx: listing pages, and values from servers that ignore ranges or do
not announce a length.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Hashable, Iterator
from typing import Any, Final
from urllib.parse import SplitResult, quote, unquote

from zarrcore.errors import InvalidKeyError, ListingUnsupportedError
from zarrcore.stores.checks import check_address
from zarrcore.stores.clients import client_options, retry_config
from zarrcore.stores.failures import Failure, obstore_errors
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    StoreEntry,
    StoreStat,
)
from zarrcore.stores.keys import check_path_like_key, check_path_like_prefix
from zarrcore.stores.listing_pages import parse_listing
from zarrcore.stores.object import ObstoreStore
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.read_only import RefusingStore
from zarrcore.stores.web_client import WebClient

_REFUSES_LISTINGS: Final = (403, 405)
"""What servers answer that show no listings, beside "not found"."""


class HTTPStore(ObstoreStore, RefusingStore):
    """The files beneath a URL.

    A query in the URL, which may be a signature, goes with every request; user and password in it become a
    header. Neither is shown. Keys are listed where the server shows directory pages that we can read.

    Args:
        url: the directory, ``http://`` or ``https://``.
        options: how to reach it.
    """

    service = "a web server"

    def __init__(self, url: str, options: StoreOptions | None = None) -> None:
        parts = check_address(url)
        self._origin = f"{parts.scheme.lower()}://{parts.netloc.rpartition('@')[2]}"
        self._query = f"?{parts.query}" if parts.query else ""
        self._headers = _authorization(parts)
        path = unquote(parts.path).strip("/")
        super().__init__(self._origin, path + "/" if path else "", options or StoreOptions())
        # What is shown is what may be typed again.
        self.url = f"{self._origin}/{quote(path)}".rstrip("/")
        self._pages = WebClient(self.options, self._headers)
        self._ignores_ranges = False
        self._tells_no_length = False
        self._lists = False

    @property
    def identity(self) -> Hashable:
        secrets = hashlib.sha256(repr((self._query, self._headers)).encode()).digest()
        return super().identity, secrets

    def close(self) -> None:
        super().close()
        self._pages.close()

    def _make_client(self) -> Any:
        from obstore.store import HTTPStore as Client

        plain = self._origin.startswith("http://")
        return Client(
            f"{self._origin}/{self._query}",
            client_options=client_options(self.options, plain_http=plain, headers=self._headers),
            retry_config=retry_config(self.options),
        )

    def _hint(self) -> str:
        return "give credentials by --header, or take it for absent with --treat-403-as-missing"

    def _refusal(self) -> str:
        return "web servers are only read; write to a directory or a bucket, and let the server serve it"

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        if self._tells_no_length or (self._ignores_ranges and byte_range is not None):
            check_path_like_key(key, self.url)
            return self._get_plainly(key, byte_range, max_nbytes)
        return super().get(key, byte_range, max_nbytes=max_nbytes)

    def _fetch(
        self, client: Any, path: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> BytesLike | None:
        options = {} if byte_range is None else {"range": _request_range(byte_range)}
        answer = client.get(path, options=options)
        if _may_be_page(path, answer):
            return self._get_plainly(path[len(self.prefix) :], byte_range, max_nbytes)
        value = self._body(answer, path, max_nbytes)
        return value[:0] if byte_range is not None and _is_empty(byte_range) else value

    def _fetch_failed(
        self, failure: Failure, key: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> BytesLike | None:
        if not failure.range_ignored and not failure.no_length and failure.status != 403:
            return super()._fetch_failed(failure, key, byte_range, max_nbytes)
        value = self._get_plainly(key, byte_range, max_nbytes)
        if value is not None:  # pages of directories, too, come without ranges and lengths, or are forbidden
            self._ignores_ranges = self._ignores_ranges or failure.range_ignored
            self._tells_no_length = self._tells_no_length or failure.no_length
        return value

    def _get_plainly(
        self, key: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> BytesLike | None:
        """The value from a server that sends it whole, whatever part was asked for."""
        start, stop = byte_range or (0, None)
        # One byte more than allowed is enough to see that there is too much; the last bytes come last.
        enough = None if max_nbytes is None or start < 0 else start + max_nbytes + 1
        stop = enough if stop is None or start < 0 else stop if enough is None else min(stop, enough)
        answer = self._pages.fetch(self._address(key), max(0, start), stop)
        if isinstance(answer, Failure):
            self._check_absent(answer, key)
            return None
        body = answer.body[start:] if start < 0 else answer.body
        self._check_size(len(body), self.prefix + key, max_nbytes)
        return body

    def stat(self, key: str) -> StoreStat | None:
        check_path_like_key(key, self.url)
        client = self._client()
        try:
            answer = client.get(self.prefix + key, options={"head": True})
        except obstore_errors() as error:
            failure = Failure.of(error)
            if not failure.no_length and failure.status not in (403, 405, 501):
                self._check_absent(failure, key)
                return None
        else:
            if not _may_be_page(key, answer):
                return _stat_of(answer.meta)
        value = self._get_plainly(key, None, None)
        return None if value is None else StoreStat(len(value))

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_path_like_prefix(prefix, self.url)
        answer = self._pages.fetch(self._address(prefix))
        if isinstance(answer, Failure):
            self._check_refused(answer, prefix)
            if not answer.absent or not self._root_lists():
                raise self._not_listable()
            return
        entries = parse_listing(answer.content_type, answer.text(), answer.url, prefix)
        if entries is None:
            raise self._not_listable()
        self._lists = True
        yield from entries

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        pending = [prefix]
        while pending:
            for entry in self.list_dir(pending.pop()):
                if entry.is_prefix:
                    pending.append(entry.key)
                else:
                    yield entry

    def has_prefix(self, prefix: str) -> bool:
        return ListableStore.has_prefix(self, prefix)

    def _root_lists(self) -> bool:
        """Whether a page that is not there means an absent prefix, and not a server without listings."""
        if not self._lists:
            answer = self._pages.fetch(self._address(""))
            if isinstance(answer, Failure):
                self._check_refused(answer, "")
                return False
            self._lists = parse_listing(answer.content_type, answer.text(), answer.url, "") is not None
        return self._lists

    def _check_refused(self, failure: Failure, prefix: str) -> None:
        """Return where the server means to show no listing, raise what happened otherwise."""
        if not failure.absent and failure.status not in _REFUSES_LISTINGS:
            raise self._error(failure, prefix or None)

    def _not_listable(self) -> ListingUnsupportedError:
        return ListingUnsupportedError(f"{self.url}: the server shows no directory listings", url=self.url)

    def _address(self, key: str) -> str:
        try:
            path = quote(self.prefix + key)
        except UnicodeEncodeError:
            raise InvalidKeyError(
                f"{key!r} in {self.url}: a web server can hold no such name", key=key, url=self.url
            ) from None
        return f"{self._origin}/{path}{self._query}"


def _request_range(byte_range: ByteRange) -> Any:
    """obstore's words for a range; one byte where none is wanted, which tells whether the value is there."""
    start, stop = byte_range
    if start < 0:
        return {"suffix": -start}
    return {"offset": start} if stop is None else (start, max(stop, start + 1))


def _is_empty(byte_range: ByteRange) -> bool:
    return byte_range.stop is not None and 0 <= byte_range.start >= byte_range.stop


def _may_be_page(path: str, answer: Any) -> bool:
    """Whether this may be the page of a directory, to which servers send on who asks for it without a slash."""
    content_type = str(answer.attributes.get("Content-Type", ""))
    if content_type.startswith("text/html"):
        return True
    # Documents have a dot in their names.
    return content_type.startswith("application/json") and "." not in path.rpartition("/")[2]


def _stat_of(facts: Any) -> StoreStat:
    # obstore takes the epoch for a date that the server does not tell.
    return StoreStat(facts["size"], facts["last_modified"].timestamp() or None, facts["e_tag"])


def _authorization(parts: SplitResult) -> dict[str, str]:
    if parts.username is None:
        return {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
