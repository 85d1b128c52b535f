"""Refusals of services: each error says in one sentence why and what to do, without any secret."""

from __future__ import annotations

import logging
import pickle
import socket
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.any_store import open_store
from tests.servers import Authority, AzureServer, FaultServer, environment, fault_server
from tests.waiting import PATIENCE_S
from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    KeyTooLongError,
    StoreError,
    StoreNotFoundError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores.connection.clients import proxy_of
from zarrcore.stores.object import s3 as s3_module
from zarrcore.stores.object.s3 import S3Store
from zarrcore.stores.object.store import ObstoreStore

USES: list[Callable[[Any], object]] = [
    lambda store: store.get("key"),
    lambda store: store.stat("key"),
    lambda store: list(store.list()),
    lambda store: list(store.list_dir("")),
    lambda store: store.has_prefix("a/"),
    lambda store: store.set("key", b"1"),
    lambda store: store.set("key", b"1", if_absent=True),
]

KEYS = {
    "AWS_ACCESS_KEY_ID": "geheim-id",
    "AWS_SECRET_ACCESS_KEY": "geheim-secret",
    "AWS_SESSION_TOKEN": "geheim-token",
    "GOOGLE_BEARER_TOKEN": "geheim-bearer",
    "AZURE_STORAGE_ACCOUNT_NAME": "account",
    "AZURE_STORAGE_SAS_TOKEN": "sv=1&sig=geheim-signature",
}
"""Credentials of all three services; an error without this word has revealed none of them."""


@pytest.fixture(autouse=True)
def _secrets(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with environment(KEYS, ("AZURE_STORAGE_ACCOUNT_KEY",)), caplog.at_level(logging.DEBUG):
        yield
    assert "geheim" not in caplog.text


@contextmanager
def closed_port() -> Iterator[int]:
    """A port of loopback that refuses connections: a socket is bound to it, and does not listen."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def error(body: str) -> bytes:
    return f'<?xml version="1.0"?><Error>{body}<RequestId>1</RequestId></Error>'.encode()


def failing(faults: FaultServer, fault: int | str, body: bytes = b"") -> None:
    """Answer every request to a bucket with a fault."""
    faults.faults = dict.fromkeys(("bucket", "bucket/key", "bucket/zarr.json"), fault)
    if isinstance(fault, int):
        faults.bodies[fault] = body


REFUSALS: list[tuple[str, int, str, type[StoreError], str]] = [
    (
        "s3",
        403,
        "<Code>InvalidAccessKeyId</Code>",
        AccessDeniedError,
        "the service does not know the access key",
    ),
    (
        "s3",
        403,
        "<Code>SignatureDoesNotMatch</Code>",
        AccessDeniedError,
        "the secret key does not match the access key",
    ),
    ("s3", 400, "<Code>ExpiredToken</Code>", AccessDeniedError, "the credentials have expired"),
    ("s3", 400, "<Code>InvalidToken</Code>", AccessDeniedError, "the session token is not valid"),
    (
        "s3",
        403,
        "<Code>RequestTimeTooSkewed</Code>",
        AccessDeniedError,
        "RequestTimeTooSkewed); set the clock",
    ),
    ("s3", 403, "<Code>InvalidObjectState</Code>", AccessDeniedError, "InvalidObjectState); restore it from"),
    ("s3", 403, "<Code>AccessDenied</Code>", AccessDeniedError, "access is denied"),
    (
        "s3",
        400,
        "<Code>AuthorizationHeaderMalformed</Code><Region>eu-north-9</Region>",
        StoreError,
        "is in the region eu-north-9; name it with --region",
    ),
    ("s3", 400, "<Code>KeyTooLongError</Code>", KeyTooLongError, "this name is too long for"),
    ("s3", 404, "<Code>NoSuchBucket</Code>", StoreNotFoundError, "no such bucket"),
    ("s3", 429, "<Code>SlowDown</Code>", UnreachableError, "the server asks for fewer requests"),
    ("s3", 503, "<Code>SlowDown</Code>", UnreachableError, "the server fails"),
    ("s3", 500, "<Code>InternalError</Code>", UnreachableError, "the server fails"),
    ("s3", 200, "<Code>InternalError</Code>", UnreachableError, "the server fails"),
    ("gs", 401, "<Code>AuthenticationRequired</Code>", AccessDeniedError, "access is denied"),
    ("gs", 400, "<Code>UserProjectMissing</Code>", AccessDeniedError, "x-goog-user-project"),
    ("gs", 301, "", UnreachableError, "the server redirects"),
    ("az", 403, "<Code>AuthenticationFailed</Code>", AccessDeniedError, "wrong or has expired"),
    ("az", 409, "<Code>PublicAccessNotPermitted</Code>", AccessDeniedError, "requires credentials"),
    ("az", 404, "<Code>ResourceNotFound</Code>", StoreNotFoundError, "no such bucket or container"),
    ("az", 404, "<Code>ContainerNotFound</Code>", StoreNotFoundError, "no such bucket or container"),
    ("az", 503, "<Code>ServerBusy</Code>", UnreachableError, "the server fails"),
]


@pytest.mark.parametrize(("scheme", "status", "body", "kind", "said"), REFUSALS)
def test_a_refusal_says_why(
    faults: FaultServer,
    options: dict[str, Any],
    scheme: str,
    status: int,
    body: str,
    kind: type[StoreError],
    said: str,
) -> None:
    failing(faults, status, error(body))
    store = open_store(f"{scheme}://bucket", **{**options, "retries": 0})
    assert isinstance(store, ObstoreStore)
    uses = USES if status != 200 else []  # as S3 does for requests with many parts or keys
    if status == 200:
        uses = [lambda store: store.erase_values(["key", "other"])]
        faults.faults, faults.values = {}, {"bucket": error(body)}
    for use in uses:
        with pytest.raises(StoreError) as caught:
            use(store)
        assert type(caught.value) is kind
        assert said in str(caught.value)
        if kind is StoreNotFoundError:  # which concerns the whole store
            assert (caught.value.key, str(caught.value).partition(": ")[0]) == (None, store.url)
        assert "\n" not in str(caught.value)
        assert "geheim" not in "".join(traceback.format_exception(caught.value))
    assert "geheim" not in repr((store, store.options, store.identity))
    assert b"geheim" not in pickle.dumps(store)


@pytest.mark.parametrize("use", [lambda store: store.get("key"), lambda store: store.stat("key")])
@pytest.mark.parametrize("reason", ["InvalidAccessKeyId", "InvalidObjectState", "RequestTimeTooSkewed"])
def test_only_a_refusal_without_another_reason_may_mean_absent(
    faults: FaultServer, options: dict[str, Any], reason: str, use: Callable[[Any], object]
) -> None:
    store = open_store("s3://bucket", **options, treat_403_as_missing=True)
    failing(faults, 403, error("<Code>AccessDenied</Code>"))
    assert use(store) is None
    failing(faults, 403, error(f"<Code>{reason}</Code>"))
    with pytest.raises(AccessDeniedError, match=reason):
        use(store)


@pytest.mark.parametrize("region", ["eu-north-9", ""])
def test_the_error_for_a_wrong_region_names_the_right_one(
    faults: FaultServer, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch, region: str
) -> None:
    failing(faults, 301)
    if region:
        faults.headers["x-amz-bucket-region"] = region
    said = f"the region {region}" if region else "another region"
    for use in USES:
        with pytest.raises(StoreError, match=f"is in {said}; name it with --region"):
            use(open_store("s3://bucket", **options))
    # Without an endpoint, the request goes to Amazon.
    monkeypatch.setattr(s3_module, "_AMAZON", faults.url)
    store = open_store("s3://bucket", region="wrong", timeout_s=1)
    assert isinstance(store, S3Store)
    assert store._told_region(s3_module._AMAZON) == (region or None)


def test_credentials_that_expire_meanwhile_can_be_renewed(
    faults: FaultServer, options: dict[str, Any], tmp_path: Path
) -> None:
    keys = "[work]\naws_access_key_id = {}\naws_secret_access_key = s\naws_session_token = t\n"
    (tmp_path / "credentials").write_text(keys.format("first"))
    faults.values["bucket/key"] = b"1"
    with environment({"AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials")}):
        store = open_store("s3://bucket", **options, profile="work")
        assert store.get("key") == b"1"
        failing(faults, 400, error("<Code>ExpiredToken</Code>"))
        with pytest.raises(AccessDeniedError, match="the credentials have expired"):
            store.get("key")
        faults.faults.clear()
        (tmp_path / "credentials").write_text(keys.format("second"))
        assert store.get("key") == b"1"
    assert "second" in faults.requests[-1][2]["authorization"]


@pytest.mark.parametrize("url", ["s3://bucket", "gs://bucket", "az://bucket"])
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("hang", StoreTimeoutError),
        ("reset", UnreachableError),
        (503, UnreachableError),
        (403, AccessDeniedError),
    ],
)
def test_faults_have_their_class_in_every_operation(
    faults: FaultServer, options: dict[str, Any], url: str, fault: int | str, kind: type[StoreError]
) -> None:
    failing(faults, fault)
    store = open_store(
        url, **{**options, "region": None, "retries": 0, "timeout_s": 0.2 if fault == "hang" else PATIENCE_S}
    )
    for use in USES:
        with pytest.raises(StoreError) as caught:
            use(store)
        assert type(caught.value) is kind
        assert "geheim" not in "".join(traceback.format_exception(caught.value))


ADDRESSES = [
    ("http://127.0.0.1:1", "the server refuses the connection"),
    (f"http://{'a' * 64}.localhost:1", "the server's name cannot be resolved"),
]


@pytest.mark.parametrize("url", ["s3://bucket", "gs://bucket", "az://bucket"])
@pytest.mark.parametrize(("endpoint", "said"), ADDRESSES)
def test_a_wrong_host_or_port_is_reported(url: str, endpoint: str, said: str) -> None:
    store = open_store(url, endpoint_url=endpoint, region="r", timeout_s=1, retries=0)
    for use in USES:
        with pytest.raises(UnreachableError, match=said):
            use(store)


def test_certificates_in_the_bundle_are_trusted(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    (tmp_path / "none.pem").write_text("geheim")
    with fault_server(authority.server_context()) as faults:
        faults.values["bucket/key"] = b"1"
        options = {"endpoint_url": faults.url, "region": "r", "timeout_s": 5.0, "retries": 0}
        assert open_store("s3://bucket", **options, ca_bundle=str(authority.certificate)).get("key") == b"1"
        with pytest.raises(UnreachableError, match="certificate is not trusted"):
            open_store("s3://bucket", **options).get("key")
        with pytest.raises(StoreError, match="not a PEM file with certificates"):
            open_store("s3://bucket", **options, ca_bundle=str(tmp_path / "none.pem")).get("key")
        plain = {**options, "endpoint_url": faults.url.replace("https", "http")}
        with pytest.raises(StoreError):
            open_store("s3://bucket", **plain).get("key")


@pytest.mark.parametrize("kind", ["self-signed", "self-signed bare"])
def test_the_own_certificate_of_a_service_is_trusted(tmp_path: Path, kind: str) -> None:
    certificate, context = Authority(tmp_path).own_certificate(kind)
    with fault_server(context) as faults:
        faults.values["bucket/key"] = b"1"
        options = {"endpoint_url": faults.url, "region": "r", "timeout_s": 5.0, "retries": 0}
        assert open_store("s3://bucket", **options, ca_bundle=str(certificate)).get("key") == b"1"


def test_the_certificate_of_a_service_that_is_its_own_authority_is_refused_with_advice(
    tmp_path: Path,
) -> None:
    """obstore never trusts such a certificate."""
    certificate, context = Authority(tmp_path).own_certificate("self-signed CA")
    with fault_server(context) as faults:
        options = {"endpoint_url": faults.url, "region": "r", "timeout_s": 5.0, "retries": 0}
        store = open_store("s3://bucket", **options, ca_bundle=str(certificate))
        with pytest.raises(
            UnreachableError, match=r"its own authority \(CA:TRUE\); .* make it with CA:FALSE"
        ):
            store.get("key")


@pytest.mark.parametrize("place", ["environment", "profile"])
def test_the_certificates_that_awss_own_settings_name_are_trusted(tmp_path: Path, place: str) -> None:
    authority = Authority(tmp_path)
    config = "[profile work]\naws_access_key_id = a\naws_secret_access_key = b\n"
    named = str(authority.certificate)
    (tmp_path / "config").write_text(config + (f"ca_bundle = {named}\n" if place == "profile" else ""))
    variables = {"AWS_CONFIG_FILE": str(tmp_path / "config")}
    if place == "environment":
        variables["AWS_CA_BUNDLE"] = named
    unwanted = () if place == "environment" else ("AWS_CA_BUNDLE",)
    (tmp_path / "other").mkdir()
    other = str(Authority(tmp_path / "other").certificate)
    with fault_server(authority.server_context()) as faults, environment(variables, unwanted):
        faults.values["bucket/key"] = b"1"
        options = {"endpoint_url": faults.url, "profile": "work", "timeout_s": 5.0, "retries": 0}
        assert open_store("s3://bucket", **options, region="r").get("key") == b"1"
        with pytest.raises(UnreachableError, match="certificate is not trusted"):
            open_store("s3://bucket", **options, region="r", ca_bundle=other).get("key")
        with environment({"AWS_CA_BUNDLE": other}):
            assert open_store("s3://bucket", **options, region="r", ca_bundle=named).get("key") == b"1"
            with pytest.raises(UnreachableError, match="certificate is not trusted"):
                open_store("s3://bucket", **options, region="r").get("key")
        with (
            environment({"AWS_CA_BUNDLE": "/absent"}),
            pytest.raises(StoreError, match=r"cannot read the certificates in /absent"),
        ):
            open_store("s3://bucket", **options, region="r").get("key")


def test_an_incomplete_upload_leaves_no_parts(faults: FaultServer, options: dict[str, Any]) -> None:
    """Parts cost money and are not listed. Here the last request, which joins them, gets an invalid answer."""
    faults.values["bucket/key"] = (
        b"<InitiateMultipartUploadResult><UploadId>U</UploadId></InitiateMultipartUploadResult>"
    )
    with pytest.raises(BrokenBodyError, match="the answer is not an answer of S3"):
        open_store("s3://bucket", **{**options, "timeout_s": 10.0}).set("key", bytes(9 << 20))
    assert faults.requests[-1][:2] == ("DELETE", "/bucket/key?uploadId=U")


def test_anonymous_access_is_refused_for_a_private_and_allowed_for_a_public_container(
    azure: AzureServer,
) -> None:
    azure.create_container("public", public=True)
    with environment(azure.environment):
        for container in ("container", "public"):
            open_store(f"az://{container}", **azure.options).set("key", b"1")
    assert open_store("az://public", **azure.options, anonymous=True).get("key") == b"1"
    for use in USES[:5]:
        with pytest.raises(AccessDeniedError, match="give credentials instead of --anonymous"):
            use(open_store("az://container", **azure.options, anonymous=True))
        with pytest.raises(AccessDeniedError):
            use(open_store("az://container", **azure.options))


HIDDEN = (
    "or the key is absent, which the service does not say to those who may not list (--treat-403-as-missing"
)


@pytest.mark.parametrize("use", [lambda store: store.get("key"), lambda store: store.stat("key")])
def test_where_listing_is_denied_too_the_key_may_be_absent(
    faults: FaultServer, options: dict[str, Any], use: Callable[[Any], object]
) -> None:
    failing(faults, 403, error("<Code>AccessDenied</Code>"))
    for place, told in (("key", True), ("", False)):
        with pytest.raises(AccessDeniedError) as caught:
            use(store := open_store("s3://bucket", **options)) if place else list(store.list())
        assert (HIDDEN in str(caught.value)) == told
    failing(faults, 403, error("<Code>SignatureDoesNotMatch</Code>"))
    with pytest.raises(AccessDeniedError) as caught:
        use(open_store("s3://bucket", **options))
    assert HIDDEN not in str(caught.value)


def test_where_the_bucket_can_be_listed_the_key_is_not_absent() -> None:
    with fault_server() as server, environment(KEYS):
        server.values["bucket/key"] = b"1"
        server.faults["bucket/key"] = 403
        with pytest.raises(AccessDeniedError) as caught:
            open_store("s3://bucket", endpoint_url=server.url, region="r").get("key")
    assert HIDDEN not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("s3://bucket", "AWS_ENDPOINT_URL_S3"),
        ("s3://bucket", "AWS_ENDPOINT_URL"),
        ("gs://bucket", "GOOGLE_BASE_URL"),
        ("az://bucket", "AZURE_STORAGE_ENDPOINT"),
    ],
)
def test_an_endpoint_of_the_environment_that_is_not_there_is_named(url: str, name: str) -> None:
    with closed_port() as port:
        endpoint = f"http://127.0.0.1:{port}"
        with environment({name: endpoint}):
            with pytest.raises(UnreachableError) as caught:
                open_store(url, timeout_s=1, retries=0).get("key")
            assert str(caught.value).endswith(
                f"the server refuses the connection; the endpoint {endpoint} comes from {name}"
            )
            with pytest.raises(UnreachableError, match=r"the server refuses the connection$"):
                open_store(url, timeout_s=1, retries=0, endpoint_url=endpoint).get("key")


@pytest.mark.parametrize(
    ("url", "variable"),
    [
        ("http://example.invalid/a", "http_proxy"),
        ("https://example.invalid/a", "HTTPS_PROXY"),
        ("s3://bucket", "HTTPS_PROXY"),
        ("gs://bucket", "https_proxy"),
        ("az://bucket", "ALL_PROXY"),
    ],
)
def test_a_proxy_that_is_not_there_is_named(url: str, variable: str) -> None:
    with closed_port() as port, environment({variable: f"http://me:geheim@127.0.0.1:{port}"}):
        with pytest.raises(UnreachableError) as caught:
            open_store(url, timeout_s=1, retries=0).get("key")
        assert "geheim" not in str(caught.value)
        assert str(caught.value).endswith(f"the proxy http://127.0.0.1:{port} comes from {variable}")


@pytest.mark.parametrize(
    ("login", "address"),
    [
        ("me:geheim@", "127.0.0.1:{port}"),
        ("http://me:ge@heim@", "http://127.0.0.1:{port}"),
        ("http://me:ge/heim@", ""),
        ("me:ge#heim@", ""),
    ],
)
def test_a_proxy_is_named_without_its_login(login: str, address: str) -> None:
    with closed_port() as port, environment({"HTTPS_PROXY": f"{login}127.0.0.1:{port}"}):
        with pytest.raises(StoreError) as caught:
            open_store("https://example.invalid/a", timeout_s=1, retries=0).get("key")
        said = str(caught.value)
        assert "heim" not in said
        shown = f"{address} ".format(port=port).lstrip()
        assert said.endswith(f"the proxy {shown}comes from HTTPS_PROXY")


@pytest.mark.parametrize(
    "proxy", ["socks5://127.0.0.1:{port}", "ftp://127.0.0.1:{port}", "http://127.0.0.1:heim/"]
)
@pytest.mark.parametrize("url", ["s3://bucket", "https://example.invalid/a"])
def test_a_proxy_that_cannot_be_used_is_an_error_of_the_store(proxy: str, url: str) -> None:
    with closed_port() as port, environment({"HTTPS_PROXY": proxy.format(port=port)}):
        store = open_store(url, timeout_s=1, retries=0)
        for request in (lambda: store.get("key"), lambda: list(store.list_dir(""))):
            with pytest.raises(StoreError, match="proxy"):
                request()


def test_servers_that_no_proxy_is_used_for() -> None:
    with environment({"http_proxy": "http://proxy", "no_proxy": "example.invalid"}):
        assert proxy_of("http://example.org/a") == ("http://proxy", "http_proxy")
        for address in (
            "http://example.invalid/a",
            "http://127.0.0.1/a",
            "https://example.org",
            "s3://bucket",
        ):
            assert proxy_of(address) is None


def test_an_endpoint_of_a_profile_that_is_not_there_is_named(tmp_path: Path) -> None:
    with closed_port() as port:
        (tmp_path / "config").write_text(
            f"[profile work]\nregion = r\nendpoint_url = http://me:geheim@127.0.0.1:{port}\n"
        )
        with (
            environment({"AWS_CONFIG_FILE": str(tmp_path / "config")}),
            pytest.raises(StoreError) as caught,
        ):
            open_store("s3://bucket", timeout_s=1, retries=0, profile="work", anonymous=True).get("key")
    assert "geheim" not in str(caught.value)
    assert str(caught.value).endswith(
        f"the endpoint http://127.0.0.1:{port} comes from the AWS profile work in {tmp_path}/config"
    )
