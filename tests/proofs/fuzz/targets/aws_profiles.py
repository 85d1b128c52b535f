"""AWS configuration and credentials: StoreError, or the values that botocore's own reader finds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest import mock

from botocore.configloader import build_profile_map, raw_config_parse

from tests.proofs.fuzz.folders import work_folder
from zarrcore.errors import AccessDeniedError, StoreError
from zarrcore.stores.credentials.aws_credentials import ProfileCredentials
from zarrcore.stores.credentials.aws_profile import read_profile

_SPLIT = b"\n%%\n"
_NAMES = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token", "region", "endpoint_url")
WORDS = (
    *(
        "[default]",
        "[profile work]",
        "[work]",
        "[services x]",
        "s3 =\n  endpoint_url = http://h",
        "services = x",
        "aws_access_key_id",
    ),
    *(
        "aws_secret_access_key = ",
        "aws_session_token",
        "region = eu-west-1",
        "endpoint_url",
        "credential_process = true",
        "role_arn = a",
    ),
    *(
        "\n%%\n",
        "%(x)s",
        "[",
        "]",
        ";",
        "#",
        "=",
        ":",
        "\n  ",
        "\r",
        "\x00",
        "\ufeff",
        "[DEFAULT]",
        "source_profile = work",
    ),
)


def check(data: bytes) -> None:
    """The profiles ``default`` and ``work`` of the configuration (the first part) and the credentials (the second)."""
    config, _, credentials = data.partition(_SPLIT)
    paths = [work_folder("aws") / name for name in ("config", "credentials")]
    for path, content in zip(paths, (config, credentials), strict=True):
        path.write_bytes(content)
    variables = {
        "AWS_CONFIG_FILE": str(paths[0]),
        "AWS_SHARED_CREDENTIALS_FILE": str(paths[1]),
        "HOME": str(work_folder("aws")),
    }
    with mock.patch.dict(os.environ, variables, clear=True):
        for name in (None, "work"):
            try:
                profile = read_profile(name)
            except StoreError:
                continue
            if profile.access_key_id:
                _check_sendable(profile)
            theirs = _theirs(paths, name or "default")
            if theirs is not None and not _is_ambiguous(data):
                ours = dict(
                    zip(
                        _NAMES,
                        (profile.access_key_id, profile.secret_access_key, profile.session_token),
                        strict=False,
                    )
                )
                assert {key: value for key, value in ours.items() if value} == {
                    key: value for key, value in theirs.items() if key in _NAMES[:3] and value
                }


def _check_sendable(profile: Any) -> None:
    """Keys that are given to obstore can be sent."""
    try:
        keys = ProfileCredentials(profile)()
    except AccessDeniedError:
        return
    assert keys["access_key_id"].isascii()


def _is_ambiguous(data: bytes) -> bool:
    """Whether a section or a member occurs twice, which botocore refuses or joins in its own way, or is not plain text."""
    lines = [line.partition(b"=")[0].strip().lower() for line in data.splitlines()]
    return (
        len(set(lines)) < len(lines)
        or not data.isascii()
        or any(byte < 32 and byte != 10 for byte in data)
        or b"\n " in data
    )


def _theirs(paths: list[Path], name: str) -> dict[str, Any] | None:
    """The profile as botocore reads it; None if it refuses a file."""
    try:
        config = build_profile_map(raw_config_parse(str(paths[0])))
        credentials = raw_config_parse(str(paths[1]))
    except Exception:  # noqa: BLE001  # botocore's own, and those of configparser
        return None
    # Unlike botocore, zarrcore also takes a profile whose section in the configuration lacks the word "profile".
    bare = config.get(name) if name != "profiles" else None
    return {**(bare or {}), **config["profiles"].get(name, {}), **credentials.get(name, {})}


def examples() -> Iterable[bytes]:
    """Profiles in both files, with the forms that members can have."""
    yield (
        b"[default]\nregion = eu-west-1\nservices = x\n\n[services x]\ns3 =\n  endpoint_url = http://host:9000\n\n"
        b"[profile work]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = default\n%%\n"
        b"[default]\naws_access_key_id = AKIA\naws_secret_access_key = secret%s+/=\n\n[work]\naws_access_key_id=B\n"
    )
    yield b"[profile work]\nendpoint_url: http://h\ncredential_process\n%%\n# nothing\n"
    yield b"[default\n%%\n"
