"""S3Store: its endpoint, region, credentials and requests."""

from __future__ import annotations

import pytest

from tests.any_store import open_store
from tests.servers import FaultServer, S3Server, environment
from tests.servers.proxy import Request, proxy
from zarrcore.errors import (
    StoreError,
)
from zarrcore.stores.credentials.aws_profile import AwsProfile
from zarrcore.stores.object import s3 as s3_module
from zarrcore.stores.object.s3 import S3Store

AWS_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


NONE = AwsProfile("none")


def test_the_most_specific_endpoint_has_precedence(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    nowhere = "http://127.0.0.1:1"
    for variables in (
        {"AWS_ENDPOINT_URL": faults.url, "AWS_ENDPOINT": nowhere},
        {"AWS_ENDPOINT_URL_S3": faults.url, "AWS_ENDPOINT_URL": nowhere},
    ):
        with environment({**variables, "AWS_REGION": "r"}):
            assert open_store("s3://bucket", timeout_s=1).get("key") == b"1"
    with environment({"AWS_ENDPOINT_URL_S3": nowhere}):
        assert open_store("s3://bucket", **options).get("key") == b"1"


@pytest.mark.parametrize("use", ["get", "stat", "list"])
def test_requests_follow_the_clock_of_the_service(s3: S3Server, use: str) -> None:
    s3.put("bucket/clock/key", b"1")
    dates = []
    body = b"<Error><Code>RequestTimeTooSkewed</Code></Error>"
    head = b"HTTP/1.1 403 No\r\nDate: Wed, 21 Oct 2015 07:28:00 GMT\r\nContent-Length: %d\r\n\r\n" % len(body)

    def skewed(request: Request) -> bytes | None:
        dates.append(request.headers["x-amz-date"][:9])
        if dates[-1] == "20151021T":
            return None
        return head if request.method == "HEAD" else head + body

    with proxy(s3.endpoint_url, script=skewed) as front:
        store = open_store("s3://bucket/clock", **{**s3.options, "endpoint_url": front.url})
        asked = {"get": store.get, "stat": store.stat, "list": lambda _: [*store.list()]}
        assert asked[use]("key")
        assert dates[0] != dates[-1]
        dates.clear()
        assert store.get("key") == b"1"
        assert dates == ["20151021T"]


@pytest.mark.parametrize("region", ["eu-north-9", None])
def test_the_region_of_a_bucket_is_requested(
    faults: FaultServer, monkeypatch: pytest.MonkeyPatch, region: str | None
) -> None:
    monkeypatch.setattr(s3_module, "_AMAZON", faults.url)
    if region is not None:
        faults.headers["x-amz-bucket-region"] = region
    store = open_store("s3://some.bucket", timeout_s=1)
    assert isinstance(store, S3Store)
    assert store._configuration(NONE).get("region") == region
    assert [(method, path) for method, path, _ in faults.requests] == [("HEAD", "/some.bucket")]
    named = open_store("s3://some.bucket", region="here")
    assert isinstance(named, S3Store)
    assert named._configuration(NONE)["region"] == "here"
    with environment({"AWS_REGION": "there"}):
        assert store._configuration(NONE)["region"] == "there"
    assert len(faults.requests) == 1


def test_an_unknown_region_is_left_open(faults: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3_module, "_AMAZON", "http://127.0.0.1:1")
    assert "region" not in S3Store("bucket")._configuration(NONE)
    monkeypatch.setattr(s3_module, "_AMAZON", faults.url)
    faults.faults["bucket"] = "drip"
    faults.late_headers["x-amz-bucket-region"] = "here"
    store = open_store("s3://bucket", timeout_s=0.3)
    assert isinstance(store, S3Store)
    assert "region" not in store._configuration(NONE)


def test_an_express_bucket_is_recognized_by_name_and_needs_a_region() -> None:
    store = open_store("s3://data--usw2-az1--x-s3/x", region="us-west-2")
    assert isinstance(store, S3Store)
    assert store._configuration(NONE) == {"s3_express": True, "region": "us-west-2"}
    with pytest.raises(StoreError, match="name the region of the bucket with --region"):
        open_store("s3://data--usw2-az1--x-s3/x").get("key")
    elsewhere = open_store("s3://data--usw2-az1--x-s3", endpoint_url="http://127.0.0.1:1")
    assert isinstance(elsewhere, S3Store)
    assert "s3_express" not in elsewhere._configuration(NONE)


def test_a_bucket_name_with_dots_is_in_the_path(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["data.my.org/key"] = b"1"
    assert open_store("s3://data.my.org", **options).get("key") == b"1"


def test_remote_stores_use_many_concurrent_requests() -> None:
    store = open_store("s3://bucket/a/b/")
    assert isinstance(store, S3Store)
    assert store.url == "s3://bucket/a/b"
    assert store.is_remote
    assert 32 <= store.requests_in_flight <= 64


def test_an_invalid_endpoint_in_the_environment_is_reported() -> None:
    with (
        environment({"AWS_ENDPOINT_URL": "http://geheim:99999"}),
        pytest.raises(StoreError, match="the endpoint needs the name of a server"),
    ):
        open_store("s3://bucket").get("key")


def test_anonymous_requests_have_no_signature(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    with environment({}, AWS_KEYS):
        store = open_store("s3://bucket", **options, anonymous=True)
        assert store.get("key") == b"1"
    assert "authorization" not in faults.requests[-1][2]
    assert open_store("s3://bucket", **options).get("key") == b"1"
    assert "testing-key" in faults.requests[-1][2]["authorization"]


def test_requester_pays_is_sent(faults: FaultServer, options: dict[str, object]) -> None:
    faults.values["bucket/key"] = b"1"
    open_store("s3://bucket", **options, requester_pays=True).get("key")
    assert faults.requests[-1][2]["x-amz-request-payer"] == "requester"
