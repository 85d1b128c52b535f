"""Listing a bucket of S3, page by page.

obstore reads a page whole, however long it is, refuses it for one key such as ``a//b``, takes ``/a`` for ``a``, and ends a
listing that is cut without a word of how to continue. These requests are our own.

Specification: Amazon S3, "ListObjectsV2".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import unquote_plus
from xml.etree import ElementTree

from zarrcore.stores.connection.failures import Failure
from zarrcore.stores.http.client import WebClient
from zarrcore.stores.object.own_requests import (
    FailedListingError,
    Page,
    Renewed,
    fetch_page,
    following,
    listed_size,
)
from zarrcore.stores.object.s3_access import S3Access

_PAGE_NBYTES: Final = 8 << 20
"""A page has at most 1,000 keys of 1,024 bytes, each of which may be written as three."""


@dataclass(slots=True)
class S3Listing:
    """Lists one bucket."""

    access: S3Access
    web: WebClient
    renewed: Renewed

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

        return following(page)


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
                "size": listed_size(item.findtext("Size", "")),
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
