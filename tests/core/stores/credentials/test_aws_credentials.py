"""Keys of an AWS profile: from the file, or printed by a command."""

from __future__ import annotations

import json
import sys
import time
import traceback
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.servers import FaultServer, environment
from zarrcore.errors import AccessDeniedError
from zarrcore.stores import open_store


def _prints(tmp_path: Path, document: object) -> dict[str, str]:
    """Environment variables for a profile ``run`` with a command that prints a document."""
    (tmp_path / "keys.json").write_text(json.dumps(document))
    command = f"{sys.executable} -c \"print(open('{tmp_path}/keys.json').read())\""
    (tmp_path / "config").write_text(f"[profile run]\ncredential_process = {command}\n")
    return {"AWS_CONFIG_FILE": str(tmp_path / "config")}


def test_a_command_is_run_again_when_its_keys_expire(
    faults: FaultServer, options: dict[str, object], tmp_path: Path
) -> None:
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
        deadline = time.monotonic() + 20  # obstore keeps even expired keys for a short time
        while "second" not in faults.requests[-1][2]["authorization"] and time.monotonic() < deadline:
            assert store.get("key") == b"1"
    assert "second" in faults.requests[-1][2]["authorization"]


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
