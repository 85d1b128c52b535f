"""Paths of nodes."""

from __future__ import annotations

from zarrcore.errors import SelectionError


def normalize_path(path: str) -> str:
    """The path with a leading slash and without superfluous slashes.

    Raises:
        SelectionError: a segment that cannot be the name of a node.
        TypeError: it is not text.

    >>> normalize_path("foo//bar/"), normalize_path("")
    ('/foo/bar', '/')
    """
    if not isinstance(path, str):
        raise TypeError(f"path: expected text, found {path!r}")
    segments = [segment for segment in path.split("/") if segment]
    joined = "/" + "/".join(segments)
    for segment in segments:
        if segment in (".", "..") or "\0" in segment:
            raise SelectionError(
                f"path {joined!r} has the segment {segment!r}, which cannot be the name of a node"
            )
    return joined
