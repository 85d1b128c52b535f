"""Requests for a container of Azure Blob Storage, and its listing, page by page.

Specification: Azure Storage, "Create an account SAS", "List Blobs".
"""

from __future__ import annotations

import base64
import hmac
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import quote, unquote, urlencode
from xml.etree import ElementTree

from zarrcore.stores.connection.failures import Failure
from zarrcore.stores.connection.reader import Request
from zarrcore.stores.http.client import WebClient
from zarrcore.stores.object.own_requests import (
    FailedListingError,
    Page,
    Renewed,
    fetch_page,
    following,
    listed_size,
)
from zarrcore.stores.options import StoreOptions

_VERSION: Final = "2023-11-03"
_PAGE_NBYTES: Final = 32 << 20
"""A page has at most 5,000 names of 1,024 characters, each of which may be written as nine bytes in the worst case, and facts."""
_LASTING_S: Final = 3600.0
_HEADERS: Final = {"x-ms-version": _VERSION}


class AzureAccess:
    """How to request what is in one container.

    Args:
        address: the URL of the container, without a slash at its end.
        options: how to connect.
        token: a shared access signature, which is the query of each request; empty for anonymous requests.
        ends_s: when it expires, in seconds since the epoch.
    """

    def __init__(self, address: str, options: StoreOptions, token: str, ends_s: float) -> None:
        self.address = address
        self.options = options
        self.ends_s = ends_s
        self._token = token

    def request(self, method: str, key: str, query: Mapping[str, str] | None = None) -> Request:
        """The URL of a blob, or of the container if the key is empty, and the headers of the request.

        Raises:
            UnicodeEncodeError: the key is not text.
        """
        path = "/" + quote(key) if key else ""
        text = "&".join(part for part in (urlencode(query or {}, quote_via=quote), self._token) if part)
        return f"{self.address}{path}?{text}" if text else self.address + path, _HEADERS


def shared_access_signature(account: str, key: str, now_s: float) -> tuple[str, float]:
    """A token that allows to read and list an account's blobs for an hour, and when it expires.

    Args:
        account: the name of the account.
        key: its key, in base64.
        now_s: the time, in seconds since the epoch.

    Raises:
        ValueError: the key is not base64.
    """
    ends_s = now_s + _LASTING_S
    until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ends_s))
    members = {"sp": "rl", "ss": "b", "srt": "co", "se": until, "spr": "https,http", "sv": _VERSION}
    # Account, permissions, services, kinds of resources, start, end, address, protocol, version, scope of encryption.
    signed = [account, "rl", "b", "co", "", until, "", "https,http", _VERSION, "", ""]
    digest = hmac.digest(base64.b64decode(key, validate=True), "\n".join(signed).encode(), "sha256")
    return urlencode({**members, "sig": base64.b64encode(digest).decode()}), ends_s


@dataclass(slots=True)
class AzureListing:
    """Lists one container."""

    access: AzureAccess
    web: WebClient
    renewed: Renewed

    def pages(self, prefix: str, *, delimiter: str = "", after: str = "", most: int = 0) -> Iterator[Page]:
        """The pages of names that begin with ``prefix``, from the one after ``after`` on, at most ``most`` on each.

        Raises:
            FailedListingError: a request failed.
        """
        query = {"restype": "container", "comp": "list", "prefix": prefix}
        query |= {"delimiter": delimiter} if delimiter else {}
        query |= {"maxresults": str(most)} if most else {}

        def page(marker: str) -> Page:
            found = parsed(fetch_page(self, query | ({"marker": marker} if marker else {}), _PAGE_NBYTES))
            later = [facts for facts in found.objects if facts["path"] > after]  # Azure begins at no name
            return Page(later, found.prefixes, found.next, found.is_cut)

        return following(page)


def parsed(body: bytes | memoryview) -> Page:
    """One page of a listing.

    Raises:
        FailedListingError: it is not one.
    """
    try:
        root = ElementTree.fromstring(bytes(body))  # noqa: S314 - as in TIFF
        if root.tag != "EnumerationResults":
            raise ValueError(root.tag)
        objects = [
            {
                "path": _name(blob),
                "size": listed_size(blob.findtext("Properties/Content-Length", "")),
                "last_modified": parsedate_to_datetime(blob.findtext("Properties/Last-Modified", "")),
                "e_tag": blob.findtext("Properties/Etag"),
            }
            for blob in root.iterfind("Blobs/Blob")
            if blob.findtext("Properties/ResourceType") != "directory"
        ]
        prefixes = [_name(one) for one in root.iterfind("Blobs/BlobPrefix")]
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # an unknown encoding is the second
        raise FailedListingError(Failure.of_kind("", "Got invalid list response")) from error
    marker = root.findtext("NextMarker") or ""
    return Page(objects, prefixes, marker, bool(marker))


def _name(item: ElementTree.Element) -> str:
    name = item.find("Name")
    if name is None or name.text is None:
        raise ValueError("a blob without a name")
    return unquote(name.text) if name.get("Encoded") == "true" else name.text
