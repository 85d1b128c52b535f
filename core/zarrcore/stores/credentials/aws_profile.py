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
    """One section of ``~/.aws/config``, merged with the same section of ``~/.aws/credentials``."""

    name: str
    access_key_id: str | None = field(default=None, repr=False)
    secret_access_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    credential_process: str | None = field(default=None, repr=False)
    """A command that prints keys."""
    region: str | None = None
    endpoint_url: str | None = None
    """The endpoint of S3; a ``services`` section has precedence over the profile's endpoint for all services."""
    ca_bundle: str | None = None
    """A file of certificates to trust."""
    sts_endpoint_url: str | None = None
    """The endpoint of the service that exchanges identities for keys."""
    endpoint_file: str = ""
    """The file that names the endpoint of S3."""
    delegated: tuple[str, ...] = field(default=(), repr=False)
    """Members that name a source of credentials, with their values: ``sso_session=work``. boto3 follows them."""

    @property
    def delegates_by(self) -> str | None:
        """The name of the first of these members; None if the profile has none."""
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
        StoreError: the named profile is in neither file, or a file cannot be read.
    """
    wanted = name or os.environ.get("AWS_PROFILE") or "default"
    files = (
        os.environ.get("AWS_CONFIG_FILE") or "~/.aws/config",
        os.environ.get("AWS_SHARED_CREDENTIALS_FILE") or "~/.aws/credentials",
    )
    config, credentials = map(_parse, files)
    # In the configuration file, only the default profile is written without the word "profile".
    sections = [
        *(credentials[section] for section in (wanted,) if credentials.has_section(section)),
        *(config[section] for section in (f"profile {wanted}", wanted) if config.has_section(section)),
    ]
    if not sections and wanted != "default":
        raise StoreError(f"no AWS profile {wanted} in {' and '.join(files)}")
    found: dict[str, str] = {}
    for section in reversed(sections):
        found.update(section)
    of_service = _service_endpoint(config, found, "s3")
    # The file with the credentials has precedence.
    in_credentials = not of_service and credentials.has_option(wanted, "endpoint_url")
    return AwsProfile(
        wanted,
        found.get("aws_access_key_id"),
        found.get("aws_secret_access_key"),
        found.get("aws_session_token"),
        found.get("credential_process"),
        found.get("region"),
        of_service or found.get("endpoint_url"),
        found.get("ca_bundle"),
        _service_endpoint(config, found, "sts"),
        files[in_credentials],
        tuple(f"{member}={found[member]}" for member in _DELEGATING if member in found),
    )


def _service_endpoint(
    config: configparser.ConfigParser, profile: Mapping[str, str], service: str
) -> str | None:
    """The endpoint of a service in the ``services`` section that a profile names."""
    section = f"services {profile.get('services')}"
    # Members of a member are indented below it.
    lines = (config.get(section, service, fallback=None) or "").splitlines()
    members = (line.partition("=") for line in lines)
    return next((value.strip() for name, _, value in members if name.strip() == "endpoint_url"), None)


def _parse(path: str) -> configparser.ConfigParser:
    # Values may contain "%"; "[default]" is an ordinary section here, whose values are not inherited.
    parser = configparser.ConfigParser(
        interpolation=None, default_section="\0", strict=False, allow_no_value=True
    )
    path = os.path.expanduser(path)
    try:
        parser.read(path, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError, OSError):
        # The parser's message quotes the faulty line, which may be a secret.
        raise StoreError(f"{path} is not a valid AWS configuration file") from None
    return parser
