"""Schemes of URLs, and the other names that they have in other libraries and programs; and nodes named after them."""

from __future__ import annotations

import os
from typing import Final

ALIASES: Final = {
    "s3a": "s3",
    "s3n": "s3",
    "gcs": "gs",
    "azure": "az",
    "abfss": "abfs",
    "wasb": "abfs",
    "wasbs": "abfs",
    "local": "file",
}


def canonical_scheme(scheme: str) -> str:
    """The scheme of a URL as zarrcore's own stores have it.

    >>> canonical_scheme("GCS"), canonical_scheme("s3"), canonical_scheme("sftp")
    ('gs', 's3', 'sftp')
    """
    scheme = scheme.lower()
    return ALIASES.get(scheme, scheme)


def split_uri(source: str) -> tuple[str, str | None]:
    """A node's URI as the store's URL and the node's path; an existing file or folder of this name is a store.

    >>> split_uri("s3://bucket/data.zarr#/foo/bar"), split_uri("data.zarr")
    (('s3://bucket/data.zarr', '/foo/bar'), ('data.zarr', None))
    """
    url, mark, path = source.rpartition("#/")
    if not mark or ("://" not in source and os.path.lexists(os.path.expanduser(source))):
        return source, None
    return url, "/" + path
