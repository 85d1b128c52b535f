"""Credentials and settings from the AWS configuration files, which obstore does not read."""

from __future__ import annotations

import configparser
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from zarrcore.errors import StoreError


@dataclass(frozen=True, slots=True)
class AwsProfile:
    """One section of ``~/.aws/config`` together with that of ``~/.aws/credentials``."""

    name: str
    access_key_id: str | None = field(default=None, repr=False)
    secret_access_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    credential_process: str | None = field(default=None, repr=False)
    """A command that prints keys."""
    region: str | None = None
    endpoint_url: str | None = None
    """Where S3 answers; a section of ``services`` counts before the profile's own word for all services."""
    delegated: tuple[str, ...] = field(default=(), repr=False)
    """Members that say where credentials are to be had, with their values: ``sso_session=work``. boto3 follows them."""

    @property
    def delegates_by(self) -> str | None:
        """The name of the first such member; None where the profile has none."""
        return self.delegated[0].partition("=")[0] if self.delegated else None


_DELEGATING: Final = (
    "sso_session",
    "sso_start_url",
    "role_arn",
    "source_profile",
    "credential_source",
    "web_identity_token_file",
    "login_session",
)


def read_profile(name: str | None) -> AwsProfile:
    """The profile ``name``, or else that of ``AWS_PROFILE``, or else the default one.

    Raises:
        StoreError: a profile was named that no file holds, or a file cannot be read.
    """
    wanted = name or os.environ.get("AWS_PROFILE") or "default"
    config = _parse(os.environ.get("AWS_CONFIG_FILE") or "~/.aws/config")
    credentials = _parse(os.environ.get("AWS_SHARED_CREDENTIALS_FILE") or "~/.aws/credentials")
    # In the configuration file only the default profile goes without the word "profile".
    sections = [
        *(credentials[section] for section in (wanted,) if credentials.has_section(section)),
        *(config[section] for section in (f"profile {wanted}", wanted) if config.has_section(section)),
    ]
    if not sections and wanted != "default":
        raise StoreError(f"no AWS profile {wanted} in ~/.aws/config and ~/.aws/credentials")
    found: dict[str, str] = {}
    for section in reversed(sections):
        found.update(section)
    return AwsProfile(
        wanted,
        found.get("aws_access_key_id"),
        found.get("aws_secret_access_key"),
        found.get("aws_session_token"),
        found.get("credential_process"),
        found.get("region"),
        _service_endpoint(config, found) or found.get("endpoint_url"),
        tuple(f"{member}={found[member]}" for member in _DELEGATING if member in found),
    )


def _service_endpoint(config: configparser.ConfigParser, profile: Mapping[str, str]) -> str | None:
    """The endpoint of S3 in the section of services that a profile names."""
    section = f"services {profile.get('services')}"
    # Members of a member stand indented below it.
    lines = (config.get(section, "s3", fallback=None) or "").splitlines()
    members = (line.partition("=") for line in lines)
    return next((value.strip() for name, _, value in members if name.strip() == "endpoint_url"), None)


def _parse(path: str) -> configparser.ConfigParser:
    # Values may hold "%"; "[default]" is an ordinary section here, and none lends its values to the others.
    parser = configparser.ConfigParser(
        interpolation=None, default_section="\0", strict=False, allow_no_value=True
    )
    path = os.path.expanduser(path)
    try:
        parser.read(path, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError, OSError):
        # The parser's text quotes the line at fault, which may be a secret.
        raise StoreError(f"{path} is no AWS configuration file that can be read") from None
    return parser
