"""Failures of icechunk as errors of zarrcore: one sentence each, without the library's report."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from zarrcore.errors import (
    BrokenReferenceError,
    ReadOnlyError,
    StoreError,
    StoreNotFoundError,
    ZarrError,
)

_REFERENCES: Final = {
    "invalid-virtual-ref",
    "no-container-for-virtual-chunk",
    "virtual-chunk-fetch",
    "virtual-chunk-modified",
}
_UNAUTHORIZED: Final = "unauthorized-virtual-chunk-container"
_LOCATION: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^\s\"')]+")
_BROKEN: Final = {"object-not-found", "snapshot-not-found", "deserialization", "invalid-file-format"}


def kind_of(error: BaseException) -> str:
    """Icechunk's code for an error; empty for errors of others."""
    return str(getattr(error, "kind", None) or "")


def translated(error: Exception, url: str, key: str | None = None) -> ZarrError:
    """An error of icechunk as one of zarrcore."""
    if isinstance(error, ZarrError):
        return error
    kind, said = kind_of(error), next(iter(str(error).splitlines()), "") or type(error).__name__
    place = url if key is None else f"{key} in {url}"
    if kind == _UNAUTHORIZED:
        sentence = f"{place} is a virtual chunk at a location that is not allowed ({said})"
        return _refused(sentence, said, key, url)
    if kind in _REFERENCES:
        return BrokenReferenceError(
            f"{place} is a virtual chunk that cannot be read: {said}", key=key, url=url
        )
    if kind == "repository-not-found":
        return StoreNotFoundError(f"{url} holds no Icechunk repository", url=url)
    if kind.startswith("read-only"):
        return ReadOnlyError(f"{place}: {said}")
    if kind in _BROKEN:
        return StoreError(
            f"{place}: the repository is broken, or a part of it was deleted: {said}", key=key, url=url
        )
    if type(error).__name__ == "RustPanic":
        return StoreError(
            f"{place}: the repository is broken: the package icechunk failed on it", key=key, url=url
        )
    return StoreError(f"{place}: {said}", key=key, url=url)


def _refused(sentence: str, said: str, key: str | None, url: str) -> BrokenReferenceError:
    """The error for a chunk that may not be read, with the prefix that allows it."""
    found = _LOCATION.search(said)
    prefix = found[0].rpartition("/")[0] + "/" if found else "PREFIX"
    error = BrokenReferenceError(
        f"{sentence}; --allow-targets {shlex.quote(prefix)} allows it", key=key, url=url
    )
    error.allow = prefix if found else None
    return error


@contextmanager
def translating(url: str, key: str | None = None) -> Iterator[None]:
    """Raise errors of icechunk within the block as errors of zarrcore."""
    try:
        yield
    except ZarrError:
        raise
    except Exception as error:
        raise translated(error, url, key) from error
