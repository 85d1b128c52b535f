"""Keys of an AWS profile: from the file, or printed by a command."""

from __future__ import annotations

import json
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.servers import FaultServer, environment
from tests.servers.proxy import Request, proxy
from tests.waiting import PATIENCE_S
from zarrcore.errors import AccessDeniedError
from zarrcore.stores import open_store
from zarrcore.stores.credentials.aws_credentials import ProfileCredentials
from zarrcore.stores.credentials.aws_profile import AwsProfile


def _prints(tmp_path: Path, document: object) -> dict[str, str]:
    """Environment variables for a profile ``run`` with a command that prints a document."""
    (tmp_path / "keys.json").write_text(json.dumps(document))
    command = f"{sys.executable} -c \"print(open('{tmp_path}/keys.json').read())\""
    (tmp_path / "config").write_text(f"[profile run]\ncredential_process = {command}\n")
    return {"AWS_CONFIG_FILE": str(tmp_path / "config")}


def test_a_command_is_run_again_when_its_keys_expire(
    faults: FaultServer, options: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrcore.stores.object.listed_store._RENEWED_AFTER_S", 0.5)
    faults.values["bucket/key"] = b"1"
    soon = datetime.now(UTC) + timedelta(seconds=1)
    keys = {"Version": 1, "AccessKeyId": "first", "SecretAccessKey": "s", "SessionToken": "t"}
    variables = _prints(tmp_path, {**keys, "Expiration": soon.isoformat()})
    with environment(variables):
        store = open_store("s3://bucket", **options, profile="run")
        assert store.get("key") == b"1"
        assert "first" in faults.requests[-1][2]["authorization"]
        assert faults.requests[-1][2]["x-amz-security-token"] == "t"
        _prints(tmp_path, {**keys, "AccessKeyId": "second"})
        deadline = time.monotonic() + PATIENCE_S
        while "second" not in faults.requests[-1][2]["authorization"] and time.monotonic() < deadline:
            time.sleep(0.05)
            assert store.get("key") == b"1"
    assert "second" in faults.requests[-1][2]["authorization"]


@pytest.mark.parametrize("use", ["get", "stat"])
def test_keys_that_have_expired_are_renewed_once_for_all_requests(
    faults: FaultServer, options: dict[str, object], tmp_path: Path, use: str
) -> None:
    faults.values["bucket/key"] = b"1"
    keys = {"Version": 1, "AccessKeyId": "first", "SecretAccessKey": "s", "SessionToken": "t"}
    (tmp_path / "keys.json").write_text(json.dumps(keys))
    command = f"sh -c 'echo >> {tmp_path}/runs; cat {tmp_path}/keys.json'"
    (tmp_path / "config").write_text(f"[profile run]\ncredential_process = {command}\n")
    refused = b"HTTP/1.1 400 No\r\nContent-Length: 40\r\n\r\n"
    reason = b"<Error><Code>ExpiredToken</Code></Error>"

    def expired(request: Request) -> bytes | None:
        if "=first/" not in request.headers["authorization"]:
            return None
        return refused if request.method == "HEAD" else refused + reason

    with (
        environment({"AWS_CONFIG_FILE": str(tmp_path / "config")}),
        ThreadPoolExecutor(4) as pool,
        proxy(faults.url, delay_s=0.05) as front,
    ):
        store = open_store("s3://bucket", **{**options, "endpoint_url": front.url}, profile="run")
        assert store.get("key") == b"1"
        runs = len((tmp_path / "runs").read_text())
        (tmp_path / "keys.json").write_text(json.dumps({**keys, "AccessKeyId": "second"}))
        front.script = expired
        found = [*pool.map(getattr(store, use), 8 * ["key"])]
    assert all(one == b"1" if use == "get" else one.size == 1 for one in found)
    assert len((tmp_path / "runs").read_text()) == runs + 1


def test_keys_that_are_not_renewed_are_refused(
    faults: FaultServer, options: dict[str, object], tmp_path: Path
) -> None:
    faults.faults["bucket/key"] = 400
    faults.bodies[400] = b"<Error><Code>ExpiredToken</Code></Error>"
    for use in ("get", "stat"):
        with pytest.raises(AccessDeniedError, match="the credentials have expired"):
            getattr(open_store("s3://bucket", **options), use)("key")
    assert len(faults.requests) == 5, "each once more, and the value for the reason of the refused head"


@pytest.mark.parametrize("printed", [{"AccessKeyId": "geheim"}, ["geheim"], "geheim", None])
def test_a_command_without_keys_is_reported_and_not_quoted(
    options: dict[str, object], tmp_path: Path, printed: object
) -> None:
    with environment(_prints(tmp_path, printed)):
        if printed is None:
            (tmp_path / "config").write_text(
                "[profile run]\ncredential_process = /absent --password geheim\n"
            )
        with pytest.raises(
            AccessDeniedError, match="the AWS profile gives no keys: its credential_process"
        ) as caught:
            open_store("s3://bucket", **options, profile="run").get("key")
    assert "geheim" not in "".join(traceback.format_exception(caught.value))


def test_keys_in_the_file_never_expire() -> None:
    profile = AwsProfile("work", access_key_id="k", secret_access_key="s", session_token="t")
    assert ProfileCredentials(profile)() == {
        "access_key_id": "k",
        "secret_access_key": "s",
        "token": "t",
        "expires_at": None,
    }


@pytest.mark.parametrize(
    ("expiration", "expected"),
    [
        ("2030-01-02T03:04:05Z", datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2030-01-02T03:04:05", datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2030-01-02T03:04:05+02:00", datetime(2030, 1, 2, 1, 4, 5, tzinfo=UTC)),
        (None, None),
    ],
)
def test_printed_keys_expire_when_they_say(
    tmp_path: Path, expiration: str | None, expected: datetime | None
) -> None:
    document = {"Version": 1, "AccessKeyId": "k", "SecretAccessKey": "s", "Expiration": expiration}
    (tmp_path / "my keys.json").write_text(json.dumps(document))
    profile = AwsProfile("run", credential_process=f"cat '{tmp_path}/my keys.json'")
    found = ProfileCredentials(profile)()
    assert (found["access_key_id"], found["token"], found["expires_at"]) == ("k", None, expected)


NESTED = f"{sys.executable} -c 'print(\"[\" * 100_000)'"


@pytest.mark.parametrize("command", ["false", "echo geheim", "echo '{}'", "", "'geheim", NESTED])
def test_a_command_that_prints_no_keys_is_denied_without_its_words(command: str) -> None:
    with pytest.raises(AccessDeniedError, match=r"^the AWS profile gives no keys \(\w+\)$") as caught:
        ProfileCredentials(AwsProfile("run", credential_process=command))()
    assert "geheim" not in "".join(traceback.format_exception(caught.value))


def test_a_key_that_no_header_can_have_is_refused() -> None:
    profile = AwsProfile("work", access_key_id="geheim\n", secret_access_key="s")
    with pytest.raises(AccessDeniedError, match="the AWS profile gives no keys") as caught:
        ProfileCredentials(profile)()
    assert "geheim" not in "".join(traceback.format_exception(caught.value))
