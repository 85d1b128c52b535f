"""Keys for the identity token of a machine, from a token service that the environment or a profile names."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import FaultServer, S3Server, environment
from zarrcore.errors import AccessDeniedError, StoreError
from zarrcore.stores import open_store

UNWANTED = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL_STS", "AWS_ROLE_SESSION_NAME")


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Path]:
    """An empty configuration file, on a machine that has an identity."""
    (tmp_path / "token").write_text("a.geheim.c\n")
    variables = {
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
        "AWS_WEB_IDENTITY_TOKEN_FILE": str(tmp_path / "token"),
        "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/reader",
    }
    with environment(variables, UNWANTED):
        yield tmp_path / "config"


@pytest.mark.parametrize("place", ["environment", "services section"])
def test_keys_come_from_the_named_service(
    config: Path, s3: S3Server, faults: FaultServer, options: dict[str, object], place: str
) -> None:
    variables = {"AWS_ENDPOINT_URL_STS": s3.endpoint_url} if place == "environment" else {}
    if not variables:
        config.write_text(
            f"[default]\nservices = mine\n[services mine]\nsts =\n  endpoint_url = {s3.endpoint_url}\n"
        )
    faults.values["bucket/key"] = b"1"
    with environment(variables):
        assert open_store("s3://bucket", **options).get("key") == b"1"
    sent = faults.requests[-1][2]
    assert "Credential=ASIA" in sent["authorization"]
    assert sent["x-amz-security-token"]


NO_KEYS = r"the token service \(AWS_ENDPOINT_URL_STS\) gives no keys for the role of this machine"


@pytest.mark.parametrize("answer", [None, b"<geheim/>", bytes(2 << 20)], ids=["404", "another", "large"])
def test_a_service_without_keys_is_named_and_nothing_is_quoted(
    config: Path, faults: FaultServer, options: dict[str, object], answer: bytes | None
) -> None:
    if answer is not None:
        faults.values["sts"] = answer
    with environment({"AWS_ENDPOINT_URL_STS": f"{faults.url}/sts"}):
        for use in (lambda store: store.get("key"), lambda store: list(store.list())):
            with pytest.raises(AccessDeniedError, match=NO_KEYS) as caught:
                use(open_store("s3://bucket", **options))
            assert "geheim" not in "".join(traceback.format_exception(caught.value))


def test_an_identity_that_cannot_be_read_gives_no_keys(
    config: Path, faults: FaultServer, options: dict[str, object]
) -> None:
    (config.parent / "token").unlink()
    with (
        environment({"AWS_ENDPOINT_URL_STS": faults.url}),
        pytest.raises(AccessDeniedError, match=NO_KEYS),
    ):
        open_store("s3://bucket", **options).get("key")


def test_an_invalid_address_is_refused(config: Path, options: dict[str, object]) -> None:
    with environment({"AWS_ENDPOINT_URL_STS": "nowhere"}), pytest.raises(StoreError, match="token service"):
        open_store("s3://bucket", **options).get("key")
