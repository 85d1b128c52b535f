"""What our own requests for a bucket have in common, whatever its service: how they are made, and how a listing goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from zarrcore.errors import BrokenBodyError, StoreTimeoutError
from zarrcore.stores.connection.failures import Failure
from zarrcore.stores.connection.reader import Request
from zarrcore.stores.http.client import WebClient
from zarrcore.stores.object.listing import Repeats
from zarrcore.stores.options import StoreOptions

_NO_END: Final = "the listing is incomplete, and the service does not say how to continue it"


class Access(Protocol):
    """How to request what is in one bucket."""

    address: str
    options: StoreOptions

    @property
    def ends_s(self) -> float: ...
    def request(self, method: str, key: str, query: Mapping[str, str] | None = None) -> Request: ...


Renewed = Callable[[Failure, Any], Any]
"""Returns the `Access` with which to repeat a request that was refused, or None if that is of no use."""


@dataclass(frozen=True, slots=True)
class Page:
    """One answer: obstore's facts about objects, and prefixes that end in ``/``, with all names as the service has them."""

    objects: list[dict[str, Any]]
    prefixes: list[str]
    next: str
    is_cut: bool
    """Whether more pages follow."""


class Listing(Protocol):
    """Lists one bucket by our own requests."""

    access: Any
    """An `Access`, which a new one replaces if credentials expire during a listing."""
    web: WebClient

    @property
    def renewed(self) -> Renewed: ...

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
    if isinstance(found, Failure) and (renewed := listing.renewed(found, listing.access)) is not None:
        listing.access = renewed
        url, headers = renewed.request("GET", "", query)
        found = listing.web.document(url, headers, most_nbytes + 1)
    if isinstance(found, Failure):
        raise FailedListingError(found)
    if len(found) > most_nbytes:
        raise FailedListingError(Failure.of_kind("", "the listing has a page that is too large"))
    return found


def following(page: Callable[[str], Page]) -> Iterator[Page]:
    """All pages of a listing.

    Args:
        page: returns the page at the place that the page before it names; the first for an empty text.

    Raises:
        FailedListingError: a request failed.
    """
    place = ""
    while True:
        found = page(place)
        yield found
        if found.is_cut and not found.next:
            raise FailedListingError(Failure.of_kind("", _NO_END))
        if not found.next:
            return
        place = found.next


def with_an_end(pages: Iterator[Page], url: str, patience_s: float) -> Iterator[Page]:
    """The pages of a listing. A listing without an end is an error.

    Raises:
        BrokenBodyError: the service repeats itself.
        StoreTimeoutError: it keeps answering without naming anything.
    """
    repeats, named_s, place = Repeats(url), time.monotonic(), ""
    for page in pages:
        if page.next and page.next == place:
            raise BrokenBodyError(f"{url}: the listing repeats itself", url=url)
        place = page.next
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


def listed_size(text: str) -> int:
    """The size of an object, as a listing states it.

    Raises:
        ValueError: no object has it.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ValueError(f"expected a size, found {text[:40]!r}")
    return int(text)


class FailedListingError(Exception):
    """A request failed. Never leaves this package."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure
