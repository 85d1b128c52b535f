"""Credentials and settings from the AWS configuration files, which obstore does not read."""

from __future__ import annotations

import configparser
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from zarrcore.errors import StoreError

if TYPE_CHECKING:
    from obstore.store import S3Credential


@dataclass(frozen=True, slots=True)
class AwsProfile:
    """One section of ``~/.aws/config`` together with that of ``~/.aws/credentials``."""

    name: str
    access_key_id: str | None = field(default=None, repr=False)
    secret_access_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    region: str | None = None
    endpoint_url: str | None = None
    foreign: str | None = None
    """A member that says where credentials are to be had and that we do not follow, as ``sso_session``."""

    def credential(self) -> S3Credential:
        """The keys, as obstore asks for them."""
        return {
            "access_key_id": self.access_key_id or "",
            "secret_access_key": self.secret_access_key or "",
            "token": self.session_token,
            "expires_at": None,
        }


_FOREIGN = ("sso_session", "sso_start_url", "credential_process", "role_arn")


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
        found.get("region"),
        found.get("endpoint_url"),
        next((member for member in _FOREIGN if member in found), None),
    )


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
