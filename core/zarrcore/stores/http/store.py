"""A directory of a web server: its values, and its keys if the server lists them.

Listings are read through httpx, which stops where they grow too large.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from zarrcore.errors import BrokenBodyError, ListingUnsupportedError, StoreError, StoreNotFoundError
from zarrcore.stores.connection.failures import Failure
from zarrcore.stores.http.client import Answer
from zarrcore.stores.http.listing_pages import parse_listing
from zarrcore.stores.http.values import HTTPValues
from zarrcore.stores.http.webdav import parse_multi_status
from zarrcore.stores.interface import ListableStore, StoreEntry
from zarrcore.stores.keys import check_path_like_prefix
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.wrapper.read_only import RefusingStore

_REFUSES_LISTINGS: Final = (403, 405, 501)
"""The statuses of servers that show no listings, in addition to "not found"."""
_PAGE_MAX: Final = 128 * 2**20
"""Bytes of the largest listing: about a million names."""
_NAMES_MAX: Final = 1_500_000
"""Names in the largest listing: short names take more memory than their page."""
_DEEPEST: Final = 100
"""The depth of nested directories above which a listing counts as endless."""


class HTTPStore(HTTPValues, ListableStore, RefusingStore):
    """The files beneath a URL, listed if the server supports WebDAV or shows directory pages of a known form.

    Args:
        url: the directory, ``http://`` or ``https://``.
        options: how to connect.
    """

    finds_prefixes_by_listing = True

    def __init__(self, url: str, options: StoreOptions | None = None) -> None:
        super().__init__(url, options)
        self._shows_pages = False
        self._speaks_webdav = False

    def _refusal(self) -> str:
        return "web servers are read-only; write to a directory or a bucket, and let the server serve it"

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_path_like_prefix(prefix, self.url)
        for number, entry in enumerate(self._entries(prefix)):
            if number == _NAMES_MAX:
                raise BrokenBodyError(
                    f"{self.url}: the listing of {prefix or '/'} has more than {_NAMES_MAX:,} names",
                    url=self.url,
                )
            yield entry

    def _entries(self, prefix: str) -> Iterator[StoreEntry]:
        if not self._speaks_webdav:
            entries = self._page_entries(prefix)
            if entries is not None:
                yield from entries
                return
            self._speaks_webdav = self._pages.speaks_webdav(self._address(""))
            if not self._speaks_webdav:
                raise self._not_listable()
        yield from self._webdav_entries(prefix)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        pending = [prefix]
        while pending:
            for entry in self.list_dir(pending.pop()):
                if not entry.is_prefix:
                    yield entry
                elif entry.key.count("/") < _DEEPEST:
                    pending.append(entry.key)
                else:
                    raise BrokenBodyError(
                        f"{self.url}: its listings are nested without end, as if a directory contained itself",
                        url=self.url,
                    )

    def _page_entries(self, prefix: str) -> Iterator[StoreEntry] | None:
        """The entries on the page of a prefix, or None if the page is not a listing."""
        answer = self._pages.fetch(self._address(prefix), limit=_PAGE_MAX + 1)
        if isinstance(answer, Answer):
            if len(answer.body) > _PAGE_MAX:
                del answer  # the error may be kept, with this frame
                raise self._too_large(prefix)
            entries = parse_listing(answer.content_type, answer.body, answer.url, prefix)
            self._shows_pages = self._shows_pages or entries is not None
            return entries
        if not answer.absent and answer.status not in _REFUSES_LISTINGS:
            raise self._error(answer, prefix or None)
        if not self._shows_pages and prefix:
            self._page_entries("")
        # If other pages exist, a missing page means an absent prefix.
        return iter(()) if answer.absent and self._shows_pages else None

    def _webdav_entries(self, prefix: str) -> Iterator[StoreEntry]:
        # Without the slash, as Apache does not take the properties of a file with one.
        answer = self._pages.children(self._address(prefix.removesuffix("/")), _PAGE_MAX + 1)
        if isinstance(answer, Failure):
            if prefix and answer.absent:
                return
            raise self._error(answer, prefix or None)
        if len(answer.body) > _PAGE_MAX:
            del answer
            raise self._too_large(prefix)
        try:
            yield from parse_multi_status(answer.body, answer.url, prefix)
        except ValueError as error:
            raise BrokenBodyError(
                f"{self.url}: the listing of {prefix or '/'} cannot be read: {error}", url=self.url
            ) from None

    def _too_large(self, prefix: str) -> BrokenBodyError:
        return BrokenBodyError(
            f"{self.url}: the listing of {prefix or '/'} has more than {_PAGE_MAX} bytes", url=self.url
        )

    def _not_listable(self) -> StoreError:
        """The error if the server lists nothing: there is nothing to list, or it shows no listings."""
        parent = self.prefix.rstrip("/").rpartition("/")[0]
        above = f"{self._origin}/{quote(parent)}{'/' if parent else ''}{self._query}"
        root = self._pages.fetch(self._address(""), limit=0)
        if self.prefix and isinstance(root, Failure) and root.absent:
            page = self._pages.fetch(above, limit=_PAGE_MAX)
            if self._pages.speaks_webdav(above) or (
                isinstance(page, Answer) and parse_listing(page.content_type, page.body, page.url, "")
            ):
                own = f"{self._origin}/{quote(self.prefix.rstrip('/'))}{self._query}"
                value = self._pages.fetch(own, limit=0)
                if isinstance(value, Failure) and value.absent:
                    reason = f"there is nothing at {self.url}"
                else:
                    reason = f"{self.url} is neither a folder nor a file of a known kind"
                return StoreNotFoundError(reason, url=self.url)
        return ListingUnsupportedError(
            f"{self.url}: the server shows no directory listings; name a path in it, or show its consolidated "
            "metadata, if it has any (zarrscope tree)",
            url=self.url,
        )
