"""The reasons for which object storage and web servers fail, and the errors that they become."""

from __future__ import annotations

from pathlib import Path

import pytest

from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    InvalidKeyError,
    StoreError,
    StoreFullError,
    StoreNotFoundError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import open_store
from zarrcore.stores.connection.failures import (
    Failure,
    certificate_trouble_in,
    trouble_in,
    unusable,
    without_secrets,
)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("unable to get local issuer certificate", "is not trusted"),
        ("self-signed certificate in certificate chain", "is not trusted"),
        ("unable to verify the first certificate", "is not trusted"),
        ("certificate has expired", "has expired"),
        ("certificate is not yet valid", "is not valid yet"),
        ("IP address mismatch, certificate is not valid for '127.0.0.1'.", "is for another name"),
        ("Hostname mismatch, certificate is not valid for 'a.b'.", "is for another name"),
        ("Missing Authority Key Identifier", "is malformed: Missing Authority Key Identifier"),
    ],
)
def test_each_certificate_problem_has_its_own_message(reason: str, said: str) -> None:
    text = f"[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: {reason} (_ssl.c:1020)"
    trouble = trouble_in(text)
    assert trouble.endswith(said) or said in trouble
    assert certificate_trouble_in(f"Error 1 connecting to host:6379. {text}.") == trouble
    assert not Failure.of_kind("Connect", trouble=trouble).passing


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hyper_util::client::legacy::Error(Connect, ProxyAuthRequired)", "requires a login"),
        ("tunnel error: proxy authorization required", "requires a login"),
        ("407 Proxy Authentication Required", "requires a login"),
        ("hyper_util::client::legacy::Error(Connect, TunnelUnsuccessful)", "does not connect"),
        ("tunnel error: unsuccessful", "does not connect"),
    ],
)
def test_what_a_proxy_refuses_is_told(text: str, said: str) -> None:
    failure = Failure.of_kind("Connect", trouble=trouble_in(text))
    assert said in str(raised(failure))
    assert failure.passing is (said == "does not connect")


@pytest.mark.parametrize(
    "body",
    [
        "<center>The plain HTTP request was sent to HTTPS port</center>",
        "Client sent an HTTP request to an HTTPS server.",
        "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
    ],
)
def test_a_plain_request_to_a_port_for_tls_is_told(body: str) -> None:
    said = "the server speaks only TLS (try https:// for http://) (400 Bad Request)"
    for failure in (
        Failure.of_refusal(400, body, 0.0),
        Failure.of(OSError(f"Server returned non-2xx status code: 400: {body}")),
    ):
        error = raised(failure)
        assert type(error) is UnreachableError
        assert str(error) == f"a in s3://b: {said}"
    assert Failure.of_refusal(502, "Connection refused", 0.0).trouble == ""


def test_an_unusable_option_is_not_reported_as_an_invalid_name() -> None:
    failure = Failure.of(ValueError("HTTP error: builder error"))
    error = failure.error("http://h", None, "http://h", service="a web server", hint="")
    assert type(error) is StoreError
    assert "this name" not in str(error)


def raised(failure: Failure, key: str | None = "a") -> StoreError:
    return failure.error("a in s3://b", key, "s3://b", service="S3", hint="log in")


def test_an_exception_of_obstore_is_taken_apart() -> None:
    failure = Failure.of(
        PermissionError(
            "Error performing GET https://me:geheim@host/b/a?X-Amz-Signature=geheim in 3ms - Server returned "
            "non-2xx status code: 403: <Error><Code>ExpiredToken</Code><Region>eu-west-1</Region></Error>\n"
            "Debug source: geheim"
        )
    )
    assert (failure.status, failure.code, failure.region) == (403, "ExpiredToken", "eu-west-1")
    assert failure.outdated
    assert failure.denied
    assert "https://host/b/a " in failure.text
    assert "geheim" not in repr(failure)
    error = raised(failure)
    assert type(error) is AccessDeniedError
    assert str(error) == "a in s3://b: the credentials have expired (403 Forbidden, ExpiredToken); renew them"
    assert (error.key, error.url) == ("a", "s3://b")


def test_a_key_that_was_not_erased_among_others_is_told() -> None:
    s3 = "Generic S3 error: DeleteObjects request failed for key p/x: no (code: {})"
    azure = "Generic MicrosoftAzure error: Bulk delete request failed for key p/x: AuthorizationFailure (code: {})"
    for text, code in ((s3, "AccessDenied"), (azure, "403")):
        failure = Failure.of(OSError(text.format(code)))
        assert type(raised(failure)) is AccessDeniedError
        assert not failure.passing
    for text, code in ((s3, "SlowDown"), (azure, "503")):
        failure = Failure.of(OSError(text.format(code)))
        assert type(raised(failure)) is UnreachableError
        assert failure.passing


def test_a_failed_request_for_credentials_is_not_an_outage() -> None:
    text = "Error performing PUT http://169.254.169.254/latest/api/token - HTTP error: HttpError { kind: Connect }"
    failure = Failure.of(OSError(text))
    assert (failure.kind, failure.no_credentials) == ("Connect", True)
    assert str(raised(failure)) == "a in s3://b: no credentials were found; log in"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_answers_that_may_improve_are_temporary(status: int) -> None:
    assert Failure.of_status(status).passing


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 409, 412, 416, 501, 505])
def test_other_answers_are_final(status: int) -> None:
    assert not Failure.of_status(status).passing


def test_a_connection_that_s3_gave_up_is_temporary() -> None:
    assert Failure.of_refusal(400, "<Error><Code>RequestTimeout</Code></Error>", 0.0).passing
    assert not Failure.of_refusal(400, "<Error><Code>InvalidRequest</Code></Error>", 0.0).passing


def test_broken_connections_are_temporary_unless_the_certificate_is_wrong() -> None:
    assert Failure.of_kind("Interrupted").passing
    assert Failure.of_kind("Connect", trouble="the server refuses the connection").passing
    assert not Failure.of_kind("Connect", trouble=trouble_in("error following redirect")).passing


def test_a_missing_bucket_is_not_an_absent_key() -> None:
    for failure in (Failure.of_status(404), Failure.of_status(410), Failure.of(FileNotFoundError("a"))):
        assert failure.absent
        assert not failure.no_bucket
    failure = Failure.of(FileNotFoundError("status: <Code>NoSuchBucket</Code>"))
    assert failure.no_bucket
    assert not failure.absent
    assert type(raised(failure)) is StoreNotFoundError


def test_a_refusal_does_not_mean_that_a_value_exists() -> None:
    assert Failure.of_status(409).exists
    assert Failure.of_status(412).exists
    azure = "non-2xx status code: 409: <Code>PublicAccessNotPermitted</Code>"
    assert not Failure.of(OSError(azure)).exists


@pytest.mark.parametrize(
    "code", ["ConditionalRequestConflict", "OperationAborted", "ContainerBeingDeleted", "AccountBeingCreated"]
)
def test_a_conflict_of_requests_does_not_mean_that_a_value_exists(code: str) -> None:
    failure = Failure.of_refusal(409, f"<Error><Code>{code}</Code></Error>", 0.0)
    assert not failure.exists
    assert type(raised(failure)) is StoreError
    assert Failure.of_refusal(409, "<Error><Code>BlobAlreadyExists</Code></Error>", 0.0).exists


def test_a_request_that_another_one_overtook_is_repeated() -> None:
    for code in ("ConditionalRequestConflict", "OperationAborted"):
        assert Failure.of_refusal(409, f"<Error><Code>{code}</Code></Error>", 0.0).passing
    assert not Failure.of_refusal(409, "<Error><Code>ContainerBeingDeleted</Code></Error>", 0.0).passing


@pytest.mark.parametrize(
    ("failure", "kind", "said"),
    [
        (Failure.of_kind("Timeout"), StoreTimeoutError, "no answer within the time allowed (--timeout)"),
        (Failure.of_status(504), StoreTimeoutError, "the server ran out of time (504 Gateway Timeout)"),
        (Failure.of_status(503), UnreachableError, "the server fails (503 Service Unavailable)"),
        (Failure.of_status(599), UnreachableError, "the server fails (599)"),
        (Failure.of_kind("Connect"), UnreachableError, "the server cannot be reached"),
        (Failure.of_kind("Decode"), BrokenBodyError, "the answer broke off before its end"),
        (Failure.of_status(404), StoreNotFoundError, "there is no such store (404 Not Found)"),
        (Failure.of(ValueError("odd")), InvalidKeyError, "this name is not possible in S3"),
        (
            Failure.of(OSError("Unable to extract metadata from headers: ETag Header missing from response")),
            BrokenBodyError,
            "the answer is not an answer of S3",
        ),
        (
            Failure.of_refusal(403, "<Error><Code>QuotaExceeded</Code></Error>", 0.0),
            StoreFullError,
            "the store is full, or over its quota (403 Forbidden, QuotaExceeded)",
        ),
        (
            Failure.of_status(507),
            StoreFullError,
            "the store is full, or over its quota (507 Insufficient Storage)",
        ),
        (
            Failure.of_refusal(409, "<Error><Code>BlobArchived</Code></Error>", 0.0),
            AccessDeniedError,
            "the value is archived (409 Conflict, BlobArchived); restore it from its storage class first",
        ),
        (Failure.of_status(418), StoreError, "the request failed (418 I'm a Teapot)"),
    ],
)
def test_each_failure_has_its_error_and_its_words(
    failure: Failure, kind: type[StoreError], said: str
) -> None:
    error = raised(failure)
    assert type(error) is kind
    assert str(error) == f"a in s3://b: {said}"


def test_the_error_for_a_wrong_region_names_it_only_for_s3() -> None:
    failure = Failure.of(OSError("<Code>AuthorizationHeaderMalformed</Code><Region>eu-north-9</Region>"))
    assert str(raised(failure)).endswith("the bucket is in the region eu-north-9; name it with --region")
    other = failure.error("a", "a", "gs://b", service="GCS", hint="log in")
    assert "--region" not in str(other)


def test_a_system_without_certificates_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "absent"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "absent"))
    with pytest.raises(StoreError, match="no trusted certificates: apt install ca-certificates"):
        open_store("https://127.0.0.1:1/a.zarr").get("zarr.json")


def test_a_client_that_cannot_be_made_is_reported_without_its_settings() -> None:
    for text, said in (
        ("Generic S3 error: MissingSecretAccessKey geheim", "AWS_SECRET_ACCESS_KEY is not"),
        ("geheim", "its address, a credential or an option cannot be used"),
    ):
        error = unusable(ValueError(text), "s3://b")
        assert str(error).startswith("s3://b: ")
        assert str(error).endswith(said)
        assert "geheim" not in repr(error)


def test_no_answer_takes_long_to_clean() -> None:
    """A pattern with quadratic time would take hours for this text, which a server may send."""
    text = "a" * 1_000_000
    assert without_secrets(f"{text} https://me:pw@host/a?b") == f"{text} https://host/a"
