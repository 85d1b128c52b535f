"""The options of fsspec's file systems, which pandas, xarray and zarr-python take as ``storage_options``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from zarrcore.arguments import check_type
from zarrcore.printable import did_you_mean

_NAMES: Final = {
    "anon": "anonymous",
    "endpoint_url": "endpoint_url",
    "key": "access_key_id",
    "secret": "secret_access_key",
    "token": "session_token",
    "profile": "profile",
    "requester_pays": "requester_pays",
    "region_name": "region",
    "headers": "headers",
}
"""Names in s3fs and, within ``client_kwargs``, in the clients that it and fsspec's HTTP file system use."""


_ELSEWHERE: Final = {
    "account_name": "set AZURE_STORAGE_ACCOUNT_NAME, or write abfs://container@account.dfs.core.windows.net/path",
    "account_key": "set AZURE_STORAGE_ACCOUNT_KEY",
    "sas_token": "set AZURE_STORAGE_SAS_TOKEN",
    "connection_string": "set AZURE_STORAGE_CONNECTION_STRING",
    "credential": "set AZURE_STORAGE_ACCOUNT_KEY, or another variable of Azure",
    "tenant_id": "set AZURE_TENANT_ID",
    "client_id": "set AZURE_CLIENT_ID",
    "client_secret": "set AZURE_CLIENT_SECRET",
    "account_host": "give endpoint_url",
    "connect_timeout": "give timeout_s as an argument of its own",
    "read_timeout": "give timeout_s as an argument of its own",
}
"""Names in adlfs and s3fs that are not taken, and what to do instead."""
_IGNORED: Final = frozenset(
    {"project", "use_ssl", "asynchronous", "skip_instance_cache", "use_listings_cache"}
)
"""Names that change nothing for reading and writing objects: the project of gcsfs is where buckets are listed and made."""


def from_storage_options(storage_options: Mapping[str, Any], url: str = "") -> dict[str, Any]:
    """Fields of `StoreOptions`, from options of fsspec. None leaves an option at its default.

    Args:
        storage_options: the options.
        url: the URL that they are for.

    Raises:
        TypeError: an unknown option. Its value is not shown, because it may be a secret.

    >>> from_storage_options({"anon": True, "client_kwargs": {"endpoint_url": "http://localhost:9000"}})
    {'anonymous': True, 'endpoint_url': 'http://localhost:9000'}
    """
    check_type("storage_options", storage_options, "Mapping[str, Any]")
    given = dict(storage_options)
    client = given.pop("client_kwargs", None) or {}
    check_type("storage_options: client_kwargs", client, "Mapping[str, Any]", is_secret=True)
    given = {name: value for name, value in {**given, **client}.items() if name not in _IGNORED}
    for name in given.keys() - _NAMES.keys():
        if name in _ELSEWHERE:
            raise TypeError(
                f"storage_options has the option {name!r}, which is not taken: {_ELSEWHERE[name]}"
            )
        hint = did_you_mean(str(name), _NAMES) or f"; known are {', '.join(_NAMES)}"
        raise TypeError(f"storage_options has an unknown option {name!r}{hint}")
    if given.get("token") == "anon":  # as in gcsfs
        given |= {"token": None, "anon": True}
    if url.startswith(("gs://", "gcs://")):
        _check_google_token(given.pop("token", None))
    return {_NAMES[name]: value for name, value in given.items() if value is not None}


def _check_google_token(token: object) -> None:
    """Refuse a token of gcsfs that would otherwise be ignored, so that other credentials would be used.

    Raises:
        TypeError: it is not one of those that mean the credentials of this machine.
    """
    if token not in (None, "google_default", "cloud"):
        raise TypeError(
            "storage_options has a 'token', which gs:// does not take, except 'anon', 'google_default' and 'cloud':"
            " set GOOGLE_APPLICATION_CREDENTIALS to a file of credentials"
        )
