"""Opening a repository, as one version or as all of them."""

from __future__ import annotations

from zarrcore.stores.icechunk.repository import Repository
from zarrcore.stores.icechunk.store import IcechunkStore
from zarrcore.stores.icechunk.version_tree import VersionTreeStore
from zarrcore.stores.icechunk.versions import MAIN, chosen_version, parse_authority
from zarrcore.stores.interface import ReadableStore


def open_repository(source: ReadableStore, authority: str = "") -> ReadableStore:
    """The version that a URL or options choose; otherwise all versions if options say so, or else the branch ``main``.

    Args:
        source: the folder of the repository; closed with the result.
        authority: the version that a pipelined URL names.

    Raises:
        StoreError: ``authority`` does not name a version.
    """
    repository = Repository(source)
    version = parse_authority(authority) or chosen_version(repository.options)
    if version is None and repository.options.all_versions:
        return VersionTreeStore(repository)
    return IcechunkStore(repository, version or MAIN, is_chosen=version is not None)
