"""Schemes of URLs, and the other names that they have in other libraries and programs."""

from __future__ import annotations

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
