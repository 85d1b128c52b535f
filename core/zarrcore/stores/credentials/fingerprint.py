"""A hash of the credentials and endpoints in the environment, which decide what data a URL refers to."""

from __future__ import annotations

import hashlib
import os
from dataclasses import astuple
from typing import Final

from zarrcore.errors import StoreError
from zarrcore.stores.credentials.aws_profile import read_profile

_VARIABLES: Final = {"S3": "AWS_", "GCS": "GOOGLE_", "Azure": "AZURE_"}
"""The prefixes of the names of a service's environment variables."""


def credentials_fingerprint(service: str, profile: str | None = None) -> bytes:
    """A hash of the endpoint, account and credentials that a service takes from the environment. Contains no secret."""
    begin = _VARIABLES.get(service)
    found: list[object] = []
    if begin is not None:
        found += sorted((name, value) for name, value in os.environ.items() if name.startswith(begin))
    if service == "S3":
        try:
            found += astuple(read_profile(profile))
        except StoreError as error:  # the first request reports the error, or does not need the files
            found.append(type(error).__name__)
    return hashlib.sha256(repr(found).encode()).digest()
