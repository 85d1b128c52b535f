"""Listing a bucket of S3, page by page.

obstore reads a page whole, however long it is, refuses it for one key such as ``a//b``, takes ``/a`` for ``a``, and ends a
listing that is cut without a word of how to continue. These requests are our own.

Specification: Amazon S3, "ListObjectsV2", and "Authenticating Requests (AWS Signature Version 4)".
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote_plus, urlsplit
from xml.etree import ElementTree

from zarrcore.errors import BrokenBodyError, StoreTimeoutError
from zarrcore.stores.connection.failures import Failure
from zarrcore.stores.http.client import WebClient
from zarrcore.stores.object.listing import Repeats

if TYPE_CHECKING:
    from obstore.store import S3Credential

_PAGE_NBYTES: Final = 8 << 20
"""A page has at most 1,000 keys of 1,024 bytes, each of which may be written as three."""

_NO_END: Final = "the listing is incomplete, and the service does not say how to continue it"

_EMPTY: Final = hashlib.sha256(b"").hexdigest()


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

    address: str
    """The URL of the bucket, without a slash at its end."""
    region: str
    credentials: S3Credential | None
    """The keys to sign with; None for anonymous requests."""
    web: WebClient
    requester_pays: bool = False

    def pages(self, prefix: str, *, delimiter: str = "", after: str = "", most: int = 0) -> Iterator[Page]:
        """The pages of names that begin with ``prefix``, from the one after ``after`` on, at most ``most`` on each.

        Raises:
            FailedListingError: a request failed.
        """
        query = {"list-type": "2", "encoding-type": "url", "prefix": prefix}
        query |= {"delimiter": delimiter} if delimiter else {}
        query |= {"start-after": after} if after else {}
        query |= {"max-keys": str(most)} if most else {}
        token = ""
        while True:
            page = parsed(self._get(query | ({"continuation-token": token} if token else {})))
            yield page
            if page.is_cut and not page.next:
                raise FailedListingError(Failure.of_kind("", _NO_END))
            if not page.next:
                return
            if page.next == token:
                raise BrokenBodyError(f"{self.address}: the listing repeats itself", url=self.address)
            token = page.next

    def _get(self, query: Mapping[str, str]) -> memoryview:
        text = "&".join(f"{name}={_quoted(query[name])}" for name in sorted(query))
        found = self.web.document(f"{self.address}?{text}", self._headers(text), _PAGE_NBYTES + 1)
        if isinstance(found, Failure):
            raise FailedListingError(found)
        if len(found) > _PAGE_NBYTES:
            raise FailedListingError(Failure.of_kind("", "the listing has a page that is too large"))
        return found

    def _headers(self, query: str) -> dict[str, str]:
        """The headers of a request, with a signature."""
        more = {"x-amz-request-payer": "requester"} if self.requester_pays else {}
        if self.credentials is None:
            return more
        return more | signature(self.address, query, self.region, self.credentials, datetime.now(UTC), more)


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


def signature(
    address: str, query: str, region: str, keys: S3Credential, now: datetime, more: Mapping[str, str]
) -> dict[str, str]:
    """The headers that sign a GET request without a body.

    Args:
        address: the URL without its query.
        query: the query, sorted and encoded.
        region: the region of the bucket.
        keys: what to sign with.
        now: the time in UTC.
        more: further headers, which are signed, too.
    """
    parts, moment = urlsplit(address), now.strftime("%Y%m%dT%H%M%SZ")
    headers = {"host": parts.netloc, "x-amz-content-sha256": _EMPTY, "x-amz-date": moment, **more}
    if token := keys.get("token"):
        headers["x-amz-security-token"] = token
    names = ";".join(sorted(headers))
    listed = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join(["GET", parts.path, query, listed, names, _EMPTY])
    scope = f"{moment[:8]}/{region}/s3/aws4_request"
    digest = hashlib.sha256(request.encode()).hexdigest()
    key = f"AWS4{keys['secret_access_key']}".encode()
    for word in scope.split("/"):
        key = hmac.digest(key, word.encode(), "sha256")
    signed = hmac.digest(key, f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{digest}".encode(), "sha256").hex()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={keys['access_key_id']}/{scope}, SignedHeaders={names}, Signature={signed}"
    )
    return headers


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
    except (ElementTree.ParseError, ValueError) as error:
        raise FailedListingError(Failure.of_kind("", "Got invalid list response")) from error
    is_cut = root.findtext("IsTruncated") == "true"
    return Page(objects, prefixes, root.findtext("NextContinuationToken", ""), is_cut)


def _name(item: ElementTree.Element, tag: str, is_encoded: bool) -> str:
    name = item.findtext(tag, "")
    return unquote_plus(name, errors="surrogateescape") if is_encoded else name


def _quoted(text: str) -> str:
    return quote(text, safe="-_.~", errors="surrogateescape")
