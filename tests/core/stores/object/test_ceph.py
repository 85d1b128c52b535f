"""S3Store with a production service; only ``packaging/test --all`` collects this."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator

import pytest

from tests.any_store import open_store
from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from tests.core.stores.test_model import check_bucket
from tests.servers import S3Server, environment
from tests.servers.ceph import ceph_server
from zarrcore.errors import AccessDeniedError, StoreNotFoundError
from zarrcore.stores import ReadableStore


@pytest.fixture(scope="session")
def ceph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    if shutil.which("radosgw") is None:
        pytest.skip("Ceph is not installed: run packaging/setup --all")
    with ceph_server(tmp_path_factory.mktemp("ceph")) as server:
        yield server


class TestCeph(StoreTests, WritableStoreTests):
    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, ceph: S3Server) -> ReadableStore:
        store = open_store("s3://bucket/some where/", **ceph.options)
        for key, value in VALUES.items():
            store.set(key, value)
        return store

    @pytest.fixture
    def empty(self, ceph: S3Server) -> ReadableStore:
        return open_store(f"s3://bucket/new/{uuid.uuid4()}", **ceph.options)


def test_the_store_behaves_like_a_dictionary(ceph: S3Server) -> None:
    check_bucket("s3://bucket", ceph.options)


def test_large_values_are_sent_in_parts(ceph: S3Server) -> None:
    value = bytes(range(256)) * 80_000
    store = open_store(f"s3://bucket/{uuid.uuid4()}", **ceph.options)
    store.set("large", value)
    assert store.get("large") == value
    assert str(store.stat("large").etag).strip('"').endswith("-3")


def test_wrong_credentials_are_reported(ceph: S3Server) -> None:
    with pytest.raises(StoreNotFoundError, match="no such bucket"):
        open_store("s3://no-such-bucket", **ceph.options).stat("key")
    for variables, said in (
        ({"AWS_ACCESS_KEY_ID": "another"}, "the service does not know the access key"),
        ({"AWS_SECRET_ACCESS_KEY": "another"}, "the secret key does not match the access key"),
    ):
        with environment(variables), pytest.raises(AccessDeniedError, match=said):
            open_store("s3://bucket", **ceph.options).stat("key")
    with pytest.raises(AccessDeniedError, match="instead of --anonymous"):
        list(open_store("s3://bucket", **ceph.options, anonymous=True).list())
