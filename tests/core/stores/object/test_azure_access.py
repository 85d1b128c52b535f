"""Own requests for containers of Azure, and their listings."""

import pytest

from tests.any_store import open_store
from tests.memory import forget_peak, peak_nbytes
from tests.servers.azure import AzureServer
from tests.servers.environment import environment
from tests.servers.hostile import hostile_server
from zarrcore.errors import StoreError
from zarrcore.stores.object.azure import AzureStore
from zarrcore.stores.object.azure_access import parsed
from zarrcore.stores.object.own_requests import FailedListingError

PAGE = b"""\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>
<EnumerationResults ServiceEndpoint="https://a.blob.core.windows.net/" ContainerName="c"><Blobs>
<Blob><Name>a%20b</Name><Properties><Last-Modified>Mon, 12 Oct 2009 17:50:30 GMT</Last-Modified><Etag>0x8D</Etag>
<Content-Length>3</Content-Length></Properties></Blob>
<Blob><Name Encoded="true">c%01d</Name><Properties><Last-Modified>Mon, 12 Oct 2009 17:50:30 GMT</Last-Modified><Etag>0x8E</Etag>
<Content-Length>4</Content-Length></Properties></Blob>
<Blob><Name>folder</Name><Properties><ResourceType>directory</ResourceType></Properties></Blob>
<BlobPrefix><Name>p/</Name></BlobPrefix></Blobs><NextMarker>here</NextMarker></EnumerationResults>"""


def test_a_page_is_parsed() -> None:
    page = parsed(PAGE)
    assert [(one["path"], one["size"], one["e_tag"]) for one in page.objects] == [
        ("a%20b", 3, "0x8D"),
        ("c\x01d", 4, "0x8E"),
    ]
    assert (page.prefixes, page.next, page.is_cut) == (["p/"], "here", True)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html/>",
        b'<?xml version="1.0" encoding="no"?><a/>',
        b"<EnumerationResults><Blobs><Blob/></Blobs></EnumerationResults>",
        PAGE.replace(b"Length>3<", b"Length>-3<"),
    ],
)
def test_anything_else_is_refused(body: bytes) -> None:
    with pytest.raises(FailedListingError):
        parsed(body)


def test_a_page_without_end_takes_no_more_memory_than_a_page() -> None:
    with hostile_server({}) as server:
        endpoint = f"{server.url}/endless-document/h.zarr/a"
        store = open_store("az://bucket", endpoint_url=endpoint, anonymous=True, retries=0)
        before = forget_peak()
        with pytest.raises(StoreError, match="a page that is too large"):
            list(store.list())
        assert peak_nbytes() - before < 160 << 20


def test_the_accounts_key_makes_a_signature_that_the_service_accepts(azure: AzureServer) -> None:
    with environment(azure.environment):
        store = open_store("az://container", **azure.options)
        assert isinstance(store, AzureStore)
        names = ["s/a", "s/b c+d%20", "s/é", "s/#q?", "s/x/y"]
        for name in names:
            store.set(name, name.encode())
        assert [bytes(store.get(name)) for name in names] == [name.encode() for name in names]
        assert {entry.key for entry in store.list_prefix("s/")} == {*names}
        listing = store._listing()
        assert listing is not None
        assert listing.access is store._access(), "not listed by obstore"
        pages = [[one["path"] for one in page.objects] for page in listing.pages("s/", most=2)]
        assert sorted(name for page in pages for name in page) == sorted(names)
        assert len(pages) > 2
        assert [one["path"] for page in listing.pages("s/", after="s/b c+d%20") for one in page.objects] == [
            name for name in sorted(names) if name > "s/b c+d%20"
        ]
