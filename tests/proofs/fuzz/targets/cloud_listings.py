"""Listings of S3, Google Cloud Storage, Azure and WebDAV, in XML: StoreError, or the keys that ElementTree finds."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from functools import cache

from tests.proofs.fuzz.answers import answers, http_answer
from zarrcore.errors import StoreError
from zarrcore.stores import ListableStore, StoreOptions, open_store

_S3 = """<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><Prefix>p/</Prefix><KeyCount>2</KeyCount>
<MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>
<Contents><Key>p/a</Key><LastModified>2023-01-01T00:00:00.000Z</LastModified><ETag>"x"</ETag><Size>3</Size></Contents>
<Contents><Key>p/c/0/0</Key><LastModified>2023-01-01T00:00:00.000Z</LastModified><ETag>"y"</ETag><Size>0</Size></Contents>
<CommonPrefixes><Prefix>p/d/</Prefix></CommonPrefixes></ListBucketResult>"""
_AZURE = """<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://h/" ContainerName="bucket">
<Prefix>p/</Prefix>
<Blobs><Blob><Name>p/a</Name><Properties><Last-Modified>Sun, 01 Jan 2023 00:00:00 GMT</Last-Modified><Etag>0x8</Etag>
<Content-Length>3</Content-Length><Content-Type>x</Content-Type></Properties></Blob>
<BlobPrefix><Name>p/d/</Name></BlobPrefix></Blobs><NextMarker /></EnumerationResults>"""
_WEBDAV = """<?xml version="1.0"?><D:multistatus xmlns:D="DAV:"><D:response><D:href>/p/</D:href><D:propstat><D:prop>
<D:getlastmodified>Sun, 01 Jan 2023 00:00:00 GMT</D:getlastmodified><D:resourcetype><D:collection/></D:resourcetype></D:prop>
<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response><D:response><D:href>/p/a</D:href><D:propstat><D:prop>
<D:getlastmodified>Sun, 01 Jan 2023 00:00:00 GMT</D:getlastmodified><D:getcontentlength>3</D:getcontentlength><D:resourcetype/>
</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>"""
_EMPTY = (
    "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>",
    "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>",
    "<EnumerationResults><Blobs></Blobs><NextMarker /></EnumerationResults>",
    '<D:multistatus xmlns:D="DAV:"></D:multistatus>',
)
WORDS = (
    *(
        "<Contents>",
        "</Contents>",
        "<Key>",
        "</Key>",
        "<Size>",
        "<CommonPrefixes>",
        "<Prefix>",
        "<IsTruncated>true</IsTruncated>",
    ),
    *(
        "<NextContinuationToken>x</NextContinuationToken>",
        "<NextMarker>x</NextMarker>",
        "<Blob>",
        "<BlobPrefix>",
        "<Name>",
        "</Name>",
    ),
    *(
        "<D:response>",
        "<D:href>",
        "<D:collection/>",
        "&amp;",
        "&#0;",
        "%2F",
        "%00",
        "../",
        "//",
        "<![CDATA[",
        "]]>",
        "<!DOCTYPE",
        "-1",
    ),
)


@cache
def _store(number: int) -> ListableStore:
    os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")
    server = answers()
    options = StoreOptions(
        endpoint_url=server.url, anonymous=True, retries=0, timeout_s=4, region="us-east-1"
    )
    match number:
        case 0:
            store = open_store("s3://bucket/p", options=options)
        case 1:
            store = open_store(
                "gs://bucket/p",
                options=StoreOptions(endpoint_url=server.url, anonymous=True, retries=0, timeout_s=4),
            )
        case 2:
            store = open_store(
                "abfs://bucket@account.dfs.core.windows.net/p",
                options=StoreOptions(
                    endpoint_url=f"{server.url}/account", anonymous=True, retries=0, timeout_s=4
                ),
            )
        case _:
            store = open_store(f"{server.url}/p", options=StoreOptions(retries=0, timeout_s=4))
            store._speaks_webdav = True  # type: ignore[attr-defined]
    assert isinstance(store, ListableStore)
    return store


def check(data: bytes) -> None:
    """The first byte is the service, and whether folders are asked for; the rest is its answer."""
    if not data:
        return
    number, page = data[0] % 4, data[1:]
    store, server = _store(number), answers()
    server.first = http_answer(page, "application/xml", "207 Multi-Status" if number == 3 else "200 OK")
    server.later = http_answer(
        _EMPTY[number].encode(), "application/xml", "207 Multi-Status" if number == 3 else "200 OK"
    )
    by_folder = bool(data[0] & 4)
    try:
        listed = store.list_dir("") if by_folder else store.list_prefix("")
        entries = [*listed]
    except StoreError:
        entries = []
    finally:
        server.first = None
    for entry in entries:
        assert isinstance(entry.key, str)
        assert entry.key.strip("/") or not entry.is_prefix
        assert entry.size is None or entry.size >= 0
        if not entry.is_prefix and number < 3:
            assert f"p/{entry.key}" in _texts(page), f"{entry.key} is not in the answer"


def _texts(page: bytes) -> set[str]:
    """All texts of a document, as other programs read them, also if they are percent-encoded.

    obstore drops a slash before a key; no request of it can name such a key.
    """
    try:
        root = ElementTree.fromstring(page)
    except (ElementTree.ParseError, LookupError, ValueError):  # also for encodings that it does not know
        return _Everything()
    texts = {"".join(element.itertext()) for element in root.iter()}
    texts |= {text.strip() for text in texts}
    return texts | {text.removeprefix("/") for text in texts}


class _Everything(set[str]):
    """Texts of a document that ElementTree does not read."""

    def __contains__(self, text: object) -> bool:
        return True


def examples() -> Iterable[bytes]:
    """An answer of each service, for keys and for folders."""
    for number, page in enumerate((_S3, _S3, _AZURE, _WEBDAV)):
        yield bytes([number]) + page.encode()
        yield bytes([number | 4]) + page.encode()
