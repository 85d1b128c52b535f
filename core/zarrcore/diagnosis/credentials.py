"""Credentials for object storage: which sources exist. Values of credentials are never read into a finding."""

from __future__ import annotations

import configparser
import importlib.util
import json
import os
from collections.abc import Iterable, Iterator

from zarrcore.diagnosis.finding import Finding, State
from zarrcore.errors import StoreError
from zarrcore.installation import how_to_add
from zarrcore.stores.credentials.aws_profile import AwsProfile, read_profile
from zarrcore.stores.credentials.cloud_machine import is_machine_of
from zarrcore.stores.credentials.variables import (
    AWS_KEY,
    AWS_SOURCES,
    AZURE_CONNECTION,
    AZURE_SOURCES,
    GOOGLE_LOGIN,
    GOOGLE_SOURCES,
)


def findings() -> Iterator[Finding]:
    """The sources of credentials for each service."""
    yield _aws()
    yield _google()
    yield _azure()
    proxies = sorted(
        name for name in os.environ if name.upper() in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    )
    if proxies:
        yield Finding("network", State.NOTE, f"{_listed(proxies)} set: requests go through a proxy")


def _aws() -> Finding:
    variables = _set((AWS_KEY, *AWS_SOURCES))
    try:
        profile = read_profile(None)
    except (StoreError, configparser.Error) as error:
        return Finding(
            "S3", State.FAULT, str(error), "correct the file, or name another profile with --profile"
        )
    source = _source(profile)
    if AWS_KEY in variables and not os.environ.get("AWS_SECRET_ACCESS_KEY"):
        return Finding(
            "S3", State.FAULT, f"{AWS_KEY} is set without AWS_SECRET_ACCESS_KEY", "set both, or neither"
        )
    if variables:
        return Finding("S3", State.OK, f"credentials: {_listed(variables)} in the environment")
    if source and profile.delegated and importlib.util.find_spec("boto3") is None:
        text = f"the profile {profile.name} has {source}, which needs boto3"
        return Finding("S3", State.NOTE, text, how_to_add("aws"))
    if source:
        return Finding("S3", State.OK, f"credentials: {source} of the profile {profile.name}")
    return _nothing("S3", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials")


def _source(profile: AwsProfile) -> str:
    """Where a profile gets its keys from; empty if it has none."""
    if profile.access_key_id:
        return "the keys"
    if profile.credential_process:
        return "credential_process"
    return profile.delegates_by or ""


def _google() -> Finding:
    variables = _set(GOOGLE_SOURCES)
    named = os.environ.get("GOOGLE_APPLICATION_CREDENTIALS")
    login = os.path.expanduser(GOOGLE_LOGIN)
    path = named or (login if not variables and os.path.exists(login) else None)
    if path is not None and not _is_json(path):
        return Finding(
            "GCS", State.FAULT, f"{path} is not a readable JSON file", "gcloud auth application-default login"
        )
    if variables:
        return Finding("GCS", State.OK, f"credentials: {_listed(variables)} in the environment")
    if path is not None:
        return Finding("GCS", State.OK, f"credentials: {GOOGLE_LOGIN}")
    return _nothing("GCS", "set GOOGLE_APPLICATION_CREDENTIALS, or gcloud auth application-default login")


def _azure() -> Finding:
    variables = _set((AZURE_CONNECTION, *AZURE_SOURCES))
    if variables:
        return Finding("Azure", State.OK, f"credentials: {_listed(variables)} in the environment")
    return _nothing("Azure", "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY")


def _nothing(service: str, remedy: str) -> Finding:
    if is_machine_of(service):
        return Finding(
            service, State.OK, "credentials: those of this machine, from the cloud's metadata address"
        )
    return Finding(
        service, State.NOTE, "no credentials; public buckets open with --anonymous", f"for others: {remedy}"
    )


def _set(names: Iterable[str]) -> list[str]:
    return [name for name in names if os.environ.get(name)]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _is_json(path: str) -> bool:
    try:
        with open(path, encoding="utf-8") as file:
            return isinstance(json.load(file), dict)
    except (OSError, ValueError, RecursionError):
        return False
