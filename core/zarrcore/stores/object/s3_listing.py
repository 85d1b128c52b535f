"""Listing a bucket of S3, page by page.

obstore reads a page whole, however long it is, refuses it for one key such as ``a//b``, takes ``/a`` for ``a``, and ends a
listing that is cut without a word of how to continue. These requests are our own.

Specification: Amazon S3, "ListObjectsV2".
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol
from urllib.parse import unquote_plus
from xml.etree import ElementTree

from zarrcore.errors import BrokenBodyError, StoreTimeoutError
from zarrcore.stores.connection.failures import Failure
from zarrcore.stores.http.client import WebClient
from zarrcore.stores.object.listing import Repeats
from zarrcore.stores.object.s3_access import Access, S3Access

_PAGE_NBYTES: Final = 8 << 20
"""A page has at most 1,000 keys of 1,024 bytes, each of which may be written as three."""

_NO_END: Final = "the listing is incomplete, and the service does not say how to continue it"


@dataclass(frozen=True, slots=True)
class Page:
    """One answer: obstore's facts about objects, and prefixes that end in ``/``, with all names as the service has them."""

    objects: list[dict[str, Any]]
    prefixes: list[str]
    next: str
    is_cut: bool
    """Whether more pages follow."""


@dataclass(frozen=True, slots=True)
class S3Listing:
    """Lists one bucket."""

    access: S3Access
    web: WebClient

    def pages(self, prefix: str, *, delimiter: str = "", after: str = "", most: int = 0) -> Iterator[Page]:
        """The pages of names that begin with ``prefix``, from the one after ``after`` on, at most ``most`` on each.

        Raises:
            FailedListingError: a request failed.
        """
        query = {"list-type": "2", "encoding-type": "url", "prefix": prefix}
        query |= {"delimiter": delimiter} if delimiter else {}
        query |= {"start-after": after} if after else {}
        query |= {"max-keys": str(most)} if most else {}

        def page(token: str) -> Page:
            return parsed(
                fetch_page(self, query | ({"continuation-token": token} if token else {}), _PAGE_NBYTES)
            )

        return following(page, self.access.address)


class Listing(Protocol):
    """Lists one bucket by our own requests."""

    @property
    def access(self) -> Access: ...
    @property
    def web(self) -> WebClient: ...

    def pages(
        self, prefix: str, *, delimiter: str = "", after: str = "", most: int = 0
    ) -> Iterator[Page]: ...


def fetch_page(listing: Listing, query: Mapping[str, str], most_nbytes: int) -> memoryview:
    """The answer to one request of a listing, which may have so many bytes.

    Raises:
        FailedListingError: it failed, or its answer is too large.
    """
    url, headers = listing.access.request("GET", "", query)
    found = listing.web.document(url, headers, most_nbytes + 1)
    if isinstance(found, Failure):
        raise FailedListingError(found)
    if len(found) > most_nbytes:
        raise FailedListingError(Failure.of_kind("", "the listing has a page that is too large"))
    return found


def following(page: Callable[[str], Page], url: str) -> Iterator[Page]:
    """All pages of a listing.

    Args:
        page: returns the page at the place that the page before it names; the first for an empty text.
        url: of the bucket.

    Raises:
        FailedListingError: a request failed.
        BrokenBodyError: the service repeats itself.
    """
    place = ""
    while True:
        found = page(place)
        yield found
        if found.is_cut and not found.next:
            raise FailedListingError(Failure.of_kind("", _NO_END))
        if not found.next:
            return
        if found.next == place:
            raise BrokenBodyError(f"{url}: the listing repeats itself", url=url)
        place = found.next


def with_an_end(pages: Iterator[Page], url: str, patience_s: float) -> Iterator[Page]:
    """The pages of a listing. A listing without an end is an error.

    Raises:
        BrokenBodyError: the service repeats itself.
        StoreTimeoutError: it keeps answering without naming anything.
    """
    repeats, named_s = Repeats(url), time.monotonic()
    for page in pages:
        names = (*page.prefixes, *(facts["path"] for facts in page.objects))
        for name in names:
            repeats.check(name)
        if names:
            named_s = time.monotonic()
        elif time.monotonic() - named_s > patience_s:
            raise StoreTimeoutError(
                f"{url}: the listing goes on for {patience_s:.0f} s without naming a key", url=url
            )
        yield page


class FailedListingError(Exception):
    """A request failed. Never leaves this package."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure


def parsed(body: bytes | memoryview) -> Page:
    """One page of a listing.

    Raises:
        FailedListingError: it is not one.
    """
    try:
        root = ElementTree.fromstring(re.sub(rb'\sxmlns="[^"]*"', b"", bytes(body), count=1))  # noqa: S314 - as in TIFF
        if root.tag != "ListBucketResult":
            raise ValueError(root.tag)
        is_encoded = root.findtext("EncodingType") == "url"  # some services ignore the wish
        objects = [
            {
                "path": _name(item, "Key", is_encoded),
                "size": int(item.findtext("Size", "")),
                "last_modified": datetime.fromisoformat(item.findtext("LastModified", "")),
                "e_tag": item.findtext("ETag"),
            }
            for item in root.iter("Contents")
        ]
        prefixes = [_name(item, "Prefix", is_encoded) for item in root.iter("CommonPrefixes")]
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # an unknown encoding is the second
        raise FailedListingError(Failure.of_kind("", "Got invalid list response")) from error
    is_cut = root.findtext("IsTruncated") == "true"
    return Page(objects, prefixes, root.findtext("NextContinuationToken", ""), is_cut)


def _name(item: ElementTree.Element, tag: str, is_encoded: bool) -> str:
    name = item.findtext(tag, "")
    return unquote_plus(name, errors="surrogateescape") if is_encoded else name
