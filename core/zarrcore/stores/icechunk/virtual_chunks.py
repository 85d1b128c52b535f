"""Virtual chunks: chunks that are parts of files elsewhere. They are read where the rule for what data name allows it.

A repository says where its virtual chunks are, and from which endpoint. Therefore credentials are sent only to the
endpoint that the user named, or to that of the provider.

Icechunk reads them with clients of its own, which follow symbolic links and redirections. So if the rule is strict, local folders
and web servers need ``--allow-targets`` even where the repository is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zarrcore.errors import BrokenReferenceError, StoreError
from zarrcore.stores.icechunk.storage import s3_settings
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.targets.places import BUCKETS, Place, scheme_of
from zarrcore.stores.targets.policy import TargetPolicy

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    import icechunk


def authorized(config: icechunk.RepositoryConfig | None, source: ReadableStore) -> dict[str, Any]:
    """Credentials for those locations of a repository's virtual chunks that may be read.

    Args:
        config: of the repository.
        source: the folder that holds it.
    """
    containers = (config and config.virtual_chunk_containers) or {}
    if not containers:
        return {}
    policy = TargetPolicy(source, source.url, is_folder=True)
    return {
        prefix: _credential(prefix, container, source.options)
        for prefix, container in containers.items()
        if _is_allowed(container, policy)
    }


def _is_allowed(container: Any, policy: TargetPolicy) -> bool:
    try:
        place = Place.of(container.url_prefix)
        if any(map(place.is_beneath, policy.given)):
            return True
        if policy.is_strict and place.scheme not in BUCKETS:
            return False
        endpoint = _endpoint(container)
        if endpoint and endpoint != policy.options.endpoint_url:
            if policy.is_strict:
                return False
            policy.check(endpoint, container.url_prefix)
        policy.check(container.url_prefix, container.url_prefix)
    except (BrokenReferenceError, ValueError):
        return False
    return True


def _endpoint(container: Any) -> str | None:
    """The address that a repository chooses for a bucket."""
    settings = container.store[0] if scheme_of(container.url_prefix) in BUCKETS else None
    if isinstance(settings, dict):  # of Google and Azure
        return next((value for name, value in settings.items() if "url" in name or "endpoint" in name), None)
    return getattr(settings, "endpoint_url", None)


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

    endpoint = _endpoint(container)
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
