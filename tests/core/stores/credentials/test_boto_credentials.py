"""AWS profiles that delegate to another source of keys: a role, a web identity, single sign-on."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import FaultServer, S3Server, environment
from zarrcore.errors import AccessDeniedError, MissingExtraError
from zarrcore.stores import open_store

AWS_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
ROLE = "role_arn = arn:aws:iam::123456789012:role/reader\n"


@pytest.fixture
def config(tmp_path: Path, s3: S3Server) -> Iterator[Path]:
    """An empty configuration file; roles are requested from the tests' service."""
    variables = {
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_ENDPOINT_URL_STS": s3.endpoint_url,
        "NO_PROXY": "127.0.0.1",
    }
    with environment(variables, AWS_KEYS):
        yield tmp_path / "config"


def _sent(faults: FaultServer, options: dict[str, object]) -> dict[str, str]:
    """The headers of a request with the profile ``other``."""
    faults.values["bucket/key"] = b"1"
    assert open_store("s3://bucket", **options, profile="other").get("key") == b"1"
    sent: dict[str, str] = faults.requests[-1][2]
    return sent


def test_a_role_is_assumed_with_the_keys_of_its_source_profile(
    config: Path, faults: FaultServer, options: dict[str, object]
) -> None:
    config.write_text(
        "[profile base]\naws_access_key_id = base-key\naws_secret_access_key = secret\n"
        f"[profile other]\nregion = us-east-1\nsource_profile = base\n{ROLE}"
    )
    sent = _sent(faults, options)
    assert "Credential=ASIA" in sent["authorization"]
    assert sent["x-amz-security-token"]


def test_a_role_is_assumed_with_the_keys_that_a_command_prints(
    config: Path, faults: FaultServer, options: dict[str, object], tmp_path: Path
) -> None:
    (tmp_path / "keys.json").write_text(
        json.dumps({"Version": 1, "AccessKeyId": "printed-key", "SecretAccessKey": "secret"})
    )
    config.write_text(
        f"[profile base]\ncredential_process = cat {tmp_path}/keys.json\n"
        f"[profile other]\nregion = us-east-1\nsource_profile = base\n{ROLE}"
    )
    assert "Credential=ASIA" in _sent(faults, options)["authorization"]


def test_a_role_is_assumed_with_a_web_identity(
    config: Path, faults: FaultServer, options: dict[str, object], tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("a.b.c")
    config.write_text(
        f"[profile other]\nregion = us-east-1\nweb_identity_token_file = {tmp_path}/token\n{ROLE}"
    )
    assert _sent(faults, options)["x-amz-security-token"]


def test_a_profile_that_gives_no_keys_is_not_quoted(config: Path, options: dict[str, object]) -> None:
    config.write_text(
        "[profile other]\nsso_session = work\nsso_account_id = 123456789012\nsso_role_name = r\n"
        "[sso-session work]\nsso_region = us-east-1\nsso_start_url = https://geheim.example.org\n"
    )
    with pytest.raises(AccessDeniedError, match="aws sso login") as caught:
        open_store("s3://bucket", **options, profile="other").get("key")
    assert "geheim" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("member", "named"),
    [
        ("sso_session = x", "sso_session"),
        ("role_arn = x\nsource_profile = y", "role_arn"),
        ("source_profile = y", "source_profile"),
    ],
)
def test_without_boto3_the_extra_is_named(
    config: Path, options: dict[str, object], monkeypatch: pytest.MonkeyPatch, member: str, named: str
) -> None:
    config.write_text(f"[profile other]\n{member}\n")
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(MissingExtraError, match=rf"other, which has {named}.*pip install 'zarrscope\[aws\]'"):
        open_store("s3://bucket", **options, profile="other").get("key")


def test_another_role_is_another_identity(config: Path, options: dict[str, object]) -> None:
    def identity(role: str) -> object:
        config.write_text(f"[profile other]\nsource_profile = base\nrole_arn = {role}\n")
        return open_store("s3://bucket", **options, profile="other").identity

    assert identity("a") == identity("a")
    assert identity("a") != identity("b")
