"""Codecs, data types, stores and formats of other packages, found through entry points.

A package names its objects in one of the groups ``zarrscope.codecs``, ``zarrscope.data_types``, ``zarrscope.stores`` and
``zarrscope.formats``; each part of zarrcore says what it expects of an object. zarrcore's own come first, so that a package
cannot replace ``zstd``.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any


@cache
def extension_names(group: str) -> tuple[str, ...]:
    """The names that installed packages registered in a group, sorted.

    >>> extension_names("zarrscope.nothing")
    ()
    """
    return tuple(sorted({point.name for point in entry_points(group=group)}))


def load_extension(group: str, name: str) -> Any | None:
    """The object that an installed package registered; None if there is none.

    Raises:
        Exception: any error of importing the package.
    """
    # Searching all packages takes 50 ms, and many documents may have the name.
    if name not in extension_names(group):
        return None
    point = next(iter(entry_points(group=group, name=name)), None)
    return None if point is None else point.load()
