"""Versions of a repository: a branch, a tag or a snapshot, named by options, by a query or in a URL pipeline."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from zarrcore.errors import StoreError
from zarrcore.stores.options import StoreOptions

_QUERY: Final = re.compile(r"\?(branch|tag|snapshot)=([^?&#|]+)$")
_SNAPSHOT: Final = re.compile(r"[0-9A-Z]{20}")


class Version(NamedTuple):
    """A version of a repository.

    >>> str(Version("tag", "v1")), Version("branch", "main").authority
    ('tag v1', 'branch.main')
    """

    kind: str
    """``branch``, ``tag`` or ``snapshot``."""
    name: str
    """The name, or the snapshot's identifier."""

    @property
    def authority(self) -> str:
        """The part of a URL pipeline that names this version."""
        name = quote(self.name, safe="")
        return name if self.kind == "snapshot" else f"{self.kind}.{name}"

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


MAIN: Final = Version("branch", "main")
"""The version of a repository where none is chosen."""


def parse_authority(text: str) -> Version | None:
    """The version that a URL pipeline names; None if it names none.

    Raises:
        StoreError: it is not the name of a version.

    >>> parse_authority("branch.main"), parse_authority("1CECHNKREP0F1RSTCMT0")
    (Version(kind='branch', name='main'), Version(kind='snapshot', name='1CECHNKREP0F1RSTCMT0'))
    """
    if not text:
        return None
    kind, dot, name = text.removeprefix("@").partition(".")
    if dot and name and kind in ("branch", "tag"):
        return Version(kind, name)
    if not dot and _SNAPSHOT.fullmatch(kind):
        return Version("snapshot", kind)
    raise StoreError(
        f"icechunk://{text} names no version: write icechunk://branch.NAME/, icechunk://tag.NAME/ or icechunk://SNAPSHOT/"
    )


def chosen_version(options: StoreOptions) -> Version | None:
    """The version that options choose; None if they choose none."""
    chosen = ((kind, getattr(options, kind)) for kind in ("branch", "tag", "snapshot"))
    return next((Version(kind, name) for kind, name in chosen if name is not None), None)


def with_version(options: StoreOptions, version: Version) -> StoreOptions:
    """Options that choose this version instead of another."""
    names = {kind: version.name if kind == version.kind else None for kind in ("branch", "tag", "snapshot")}
    return replace(options, branch=names["branch"], tag=names["tag"], snapshot=names["snapshot"])


def split_version(url: str) -> tuple[str, Version | None]:
    """A URL without the query that names a version, and that version.

    >>> split_version("s3://bucket/repo?tag=v1"), split_version("repo")
    (('s3://bucket/repo', Version(kind='tag', name='v1')), ('repo', None))
    """
    match = _QUERY.search(url)
    return (url[: match.start()], Version(match[1], unquote(match[2]))) if match else (url, None)
