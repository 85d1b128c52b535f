"""A place as icechunk's storage: the same service, bucket, path and credentials as the store that zarrcore opened.

icechunk reads with clients of its own. It gets credentials by the same rules as obstore, so that it never asks a cloud's
metadata address without need.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from zarrcore.errors import StoreError
from zarrcore.late_imports import from_extra
from zarrcore.stores.connection.clients import ForkGuard
from zarrcore.stores.connection.retries import FIRST_PAUSE_S, LONGEST_PAUSE_S
from zarrcore.stores.credentials.cloud_machine import is_yes
from zarrcore.stores.credentials.variables import AWS_KEY
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.options import DEFAULTS, StoreOptions
from zarrcore.stores.wrapper.statistics import StatisticsStore

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    import icechunk

_LOG: Final = "ICECHUNK_LOG"


def imported(what: str) -> Any:
    """The package icechunk.

    Raises:
        MissingExtraError: it is not installed.
    """
    import sys

    is_new = "icechunk" not in sys.modules
    icechunk = from_extra("icechunk", what, "icechunk")
    if is_new and _LOG not in os.environ:
        icechunk.set_logs_filter("off")  # its failures are raised, and told once
    return icechunk


def storage_of(store: ReadableStore) -> Any:
    """The place of a store as icechunk's storage.

    Raises:
        MissingExtraError: icechunk is not installed.
        AccessDeniedError: there are no credentials.
        StoreError: icechunk cannot read such a place.
    """
    package = imported(f"{store.url}: an Icechunk repository")
    ForkGuard.check(store.url)
    inner, inside = store.origin("")
    while isinstance(inner, StatisticsStore):  # icechunk's own requests are not counted
        inner, inside = inner.store.origin(inside)
    options = store.options or DEFAULTS
    if isinstance(inner, LocalStore):
        return package.local_filesystem_storage(os.path.join(inner.root, inside).rstrip("/"))
    # Imported late: most programs that open local places need none of them.
    from zarrcore.stores.http.store import HTTPStore
    from zarrcore.stores.object.azure import AzureStore
    from zarrcore.stores.object.gcs import GCSStore
    from zarrcore.stores.object.s3 import S3Store

    if isinstance(inner, HTTPStore):
        return package.http_storage(store.url, headers=dict(options.headers) or None)
    prefix = (getattr(inner, "prefix", "") + inside).strip("/")
    headers = dict(options.headers) or None
    if isinstance(inner, S3Store):
        return package.s3_storage(bucket=inner.bucket, prefix=prefix, headers=headers, **s3_settings(inner))
    if isinstance(inner, GCSStore):
        return package.gcs_storage(bucket=inner.bucket, prefix=prefix, headers=headers, **gcs_settings(inner))
    if isinstance(inner, AzureStore):
        return package.azure_storage(container=inner.container, prefix=prefix, **azure_settings(inner))
    raise StoreError(
        f"{store.url}: an Icechunk repository can be read from a directory, S3, GCS, Azure or a web server, not from here",
        url=store.url,
    )


@dataclass(frozen=True, slots=True)
class _Keys:
    """The credentials of a profile, asked for again when they expire."""

    provider: Any

    def __call__(self) -> icechunk.S3StaticCredentials:
        import icechunk

        found = self.provider()
        return icechunk.S3StaticCredentials(
            found["access_key_id"], found["secret_access_key"], found["token"], found["expires_at"]
        )


def s3_settings(store: Any) -> dict[str, Any]:
    """The settings of icechunk for a bucket of S3."""
    config, provider = store.access_settings()
    endpoint = config.get("endpoint")
    settings: dict[str, Any] = {
        "region": config.get("region") or "us-east-1",
        "endpoint_url": endpoint,
        "allow_http": (endpoint or "").startswith("http://"),
        "force_path_style": endpoint is not None,
        "requester_pays": store.options.requester_pays,
    }
    if store.options.anonymous or is_yes("AWS_SKIP_SIGNATURE"):
        settings["anonymous"] = True
    elif provider is not None:
        settings["get_credentials"] = _Keys(provider)
    elif os.environ.get(AWS_KEY):
        settings["access_key_id"] = os.environ[AWS_KEY]
        settings["secret_access_key"] = os.environ.get("AWS_SECRET_ACCESS_KEY", "")
        settings["session_token"] = os.environ.get("AWS_SESSION_TOKEN") or None
    else:
        settings["from_env"] = True
    return settings


def gcs_settings(store: Any) -> dict[str, Any]:
    """The settings of icechunk for a bucket of Google Cloud Storage."""
    found = store.access_settings()
    settings: dict[str, Any] = {"config": {}}
    if endpoint := found.get("base_url"):
        settings["config"] |= {"google_base_url": endpoint}
        if endpoint.startswith("http://"):
            settings["config"]["allow_http"] = "true"
    if store.options.anonymous:
        settings["anonymous"] = True
    elif token := os.environ.get("GOOGLE_BEARER_TOKEN"):
        settings["bearer_token"] = token
    else:
        settings["from_env"] = True
    return settings


def azure_settings(store: Any) -> dict[str, Any]:
    """The settings of icechunk for a container of Azure Blob Storage."""
    found = store.access_settings()
    settings: dict[str, Any] = {"account": found["account_name"], "config": {}}
    if endpoint := found.get("endpoint"):
        settings["config"] |= {"azure_storage_endpoint": endpoint}
        if endpoint.startswith("http://"):
            settings["config"]["azure_allow_http"] = "true"
    key = found.get("account_key") or os.environ.get("AZURE_STORAGE_ACCOUNT_KEY")
    sas = found.get("sas_key") or os.environ.get("AZURE_STORAGE_SAS_TOKEN")
    if store.options.anonymous:
        settings["anonymous"] = True
    elif key:
        settings["access_key"] = key
    elif sas:
        settings["sas_token"] = sas
    else:
        settings["from_env"] = True
    return settings


def settings_of(options: StoreOptions) -> Any:
    """Timeouts and repeats of requests as icechunk's configuration."""
    import icechunk

    deadline_ms = round(options.timeout_s * 1000)
    return icechunk.StorageSettings(
        retries=icechunk.StorageRetriesSettings(
            max_tries=options.retries + 1,
            initial_backoff_ms=round(FIRST_PAUSE_S * 1000),
            max_backoff_ms=min(round(LONGEST_PAUSE_S * 1000), deadline_ms),
        ),
        timeouts=icechunk.StorageTimeoutSettings(connect_timeout_ms=deadline_ms, read_timeout_ms=deadline_ms),
    )
