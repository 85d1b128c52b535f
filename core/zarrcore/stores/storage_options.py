"""The options of fsspec's file systems, which pandas, xarray and zarr-python take as ``storage_options``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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


def from_storage_options(storage_options: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of `StoreOptions`, from options of fsspec. None leaves an option at its default.

    Raises:
        TypeError: an unknown option. Its value is not shown, because it may be a secret.

    >>> from_storage_options({"anon": True, "client_kwargs": {"endpoint_url": "http://localhost:9000"}})
    {'anonymous': True, 'endpoint_url': 'http://localhost:9000'}
    """
    given = dict(storage_options)
    given |= given.pop("client_kwargs", None) or {}
    for name in given.keys() - _NAMES.keys():
        raise TypeError(f"storage_options has an unknown option {name!r}{did_you_mean(name, _NAMES)}")
    if given.get("token") == "anon":  # as in gcsfs
        given |= {"token": None, "anon": True}
    return {_NAMES[name]: value for name, value in given.items() if value is not None}
