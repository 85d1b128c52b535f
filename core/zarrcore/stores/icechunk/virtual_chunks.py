"""Virtual chunks: chunks that are parts of files elsewhere. They are read only where the user allows their location.

A repository says where its virtual chunks are, and from which endpoint. Therefore credentials are sent only to the
endpoint that the user named, or to that of the provider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zarrcore.errors import StoreError
from zarrcore.stores.icechunk.storage import s3_settings
from zarrcore.stores.options import StoreOptions

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    import icechunk


def authorized(config: icechunk.RepositoryConfig | None, options: StoreOptions) -> dict[str, Any]:
    """Credentials for those locations of a repository's virtual chunks that the user allows."""
    locations = (options.virtual_chunks or "").split()
    containers = (config and config.virtual_chunk_containers) or {}
    return {
        prefix: _credential(prefix, container, options)
        for prefix, container in containers.items()
        if any(_is_below(container.url_prefix, location) for location in locations)
    }


def _is_below(prefix: str, location: str) -> bool:
    return (prefix.rstrip("/") + "/").startswith(location.rstrip("/") + "/")


def _credential(prefix: str, container: Any, options: StoreOptions) -> Any:
    import icechunk

    scheme, _, place = prefix.partition("://")
    if scheme == "file":
        return icechunk.credentials.LocalFileSystemAccess
    if scheme in ("http", "https"):
        return icechunk.credentials.HttpAccess
    found: Any
    if scheme == "s3":
        found = _s3(container, place.partition("/")[0], options)
    elif scheme in ("gs", "gcs"):
        found = icechunk.credentials.gcs_anonymous_credentials()
    elif scheme in ("az", "azure", "abfs"):
        found = icechunk.credentials.azure_anonymous_credentials()
    else:
        raise StoreError(f"virtual chunks at {prefix} cannot be read: {scheme}:// is not supported for them")
    return icechunk.containers_credentials({prefix: found})[prefix]


def _s3(container: Any, bucket: str, options: StoreOptions) -> Any:
    import icechunk

    from zarrcore.stores.object.s3 import S3Store

    endpoint = getattr(container.store[0], "endpoint_url", None)
    if options.anonymous or (endpoint is not None and endpoint != options.endpoint_url):
        return icechunk.s3_anonymous_credentials()
    names = (
        "access_key_id",
        "secret_access_key",
        "session_token",
        "get_credentials",
        "anonymous",
        "from_env",
    )
    settings = s3_settings(S3Store(bucket, "", options))
    return icechunk.s3_credentials(**{name: settings[name] for name in names if name in settings})
