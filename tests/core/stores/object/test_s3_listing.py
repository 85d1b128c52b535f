"""Own requests for listings of S3."""

import pytest

from tests.servers.faults import FaultServer
from zarrcore.errors import BrokenBodyError
from zarrcore.stores.http.client import WebClient
from zarrcore.stores.object.own_requests import FailedListingError, with_an_end
from zarrcore.stores.object.s3_access import S3Access
from zarrcore.stores.object.s3_listing import S3Listing, parsed
from zarrcore.stores.options import StoreOptions

PAGE = b"""<?xml version="1.0"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">%s
<Contents><Key>a%%2Bb+c</Key><LastModified>2009-10-12T17:50:30.000Z</LastModified><ETag>"e"</ETag><Size>3</Size></Contents>
<CommonPrefixes><Prefix>p%%2F</Prefix></CommonPrefixes>
</ListBucketResult>"""


def test_names_are_decoded_only_if_the_service_encoded_them() -> None:
    encoded = parsed(PAGE % b"<EncodingType>url</EncodingType>")
    assert ([one["path"] for one in encoded.objects], encoded.prefixes) == (["a+b c"], ["p/"])
    plain = parsed(PAGE % b"")
    assert ([one["path"] for one in plain.objects], plain.prefixes) == (["a%2Bb+c"], ["p%2F"])
    assert (plain.objects[0]["size"], plain.objects[0]["e_tag"]) == (3, '"e"')


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html/>",
        b'<?xml version="1.0" encoding="no"?><a/>',
        b"<ListBucketResult><Contents/></ListBucketResult>",
        (PAGE % b"").replace(b"<Size>3<", b"<Size>-3<"),
    ],
)
def test_anything_else_is_refused(body: bytes) -> None:
    with pytest.raises(FailedListingError):
        parsed(body)


def listing_of(faults: FaultServer, timeout_s: float = 5) -> S3Listing:
    access = S3Access(f"{faults.url}/bucket", StoreOptions(retries=0, timeout_s=timeout_s))
    return S3Listing(access, WebClient(access.address, access.options, {}), lambda *_: None)


def test_an_error_of_the_service_is_told(faults: FaultServer) -> None:
    listing = listing_of(faults)
    with pytest.raises(FailedListingError) as caught:
        next(listing.pages("a/"))
    assert caught.value.failure.status in (403, 404)


@pytest.mark.parametrize("token", ["", "<NextContinuationToken>same</NextContinuationToken>"])
def test_a_page_that_more_must_follow_is_not_the_last(faults: FaultServer, token: str) -> None:
    faults.values["bucket"] = PAGE % f"<IsTruncated>true</IsTruncated>{token}".encode()
    listing = listing_of(faults)
    with pytest.raises((FailedListingError, BrokenBodyError), match=r"incomplete|repeats itself"):
        [*with_an_end(listing.pages(""), "s3://bucket", 5)]


def test_a_head_that_comes_slowly_is_not_waited_for(faults: FaultServer) -> None:
    faults.faults["bucket"] = "drip"
    listing = listing_of(faults, 0.3)
    with pytest.raises(FailedListingError) as caught:
        next(listing.pages(""))
    assert caught.value.failure.kind == "Timeout"
