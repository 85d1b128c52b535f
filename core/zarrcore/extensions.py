"""Codecs, data types, stores, kinds of sources and formats of other packages, found through entry points.

A package names its objects in one of the groups ``zarrscope.codecs``, ``zarrscope.data_types``, ``zarrscope.stores``,
``zarrscope.kinds`` and ``zarrscope.formats``; each part of zarrcore says what it expects of an object. zarrcore's own come
first, so that a package cannot replace ``zstd``.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # imported late: it takes 10 ms, and few packages have extensions
    from importlib.metadata import Distribution, EntryPoint

_OURS: Final = "[zarrscope."
_METADATA: Final = re.compile(r"([^-]+)(-.*)?\.(?:dist|egg)-info", re.IGNORECASE)
"""The directory of the metadata of an installed package."""


@cache
def extension_names(group: str) -> tuple[str, ...]:
    """The names that installed packages registered in a group, sorted.

    >>> extension_names("zarrscope.nothing")
    ()
    """
    return tuple(sorted({point.name for point in entry_points(group)}))


def load_extension(group: str, name: str) -> Any | None:
    """The object that an installed package registered; None if there is none.

    Raises:
        Exception: any error of importing the package.
    """
    point = next((one for one in entry_points(group) if one.name == name), None)
    return None if point is None else point.load()


@cache
def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of installed packages in a group whose name begins with ``zarrscope.``, in the order of ``sys.path``.

    ``importlib.metadata.entry_points`` finds the same, but takes 50 to 130 ms for 300 packages each time (Python 3.13). This
    takes 6 ms once.
    """
    found: list[EntryPoint] = []
    for text, package in _packages():
        if f"[{group}]" in text:
            found += _distribution(package).entry_points.select(group=group)
    return tuple(found)


@cache
def _packages() -> tuple[tuple[str, str | Distribution], ...]:
    """The entry points of packages with some of ours, as text, and the folder of each package's metadata."""
    found, seen = [], set()
    for name, text, package in _installed():
        # A package further on in the path is not the one that is imported.
        if name not in seen and _OURS in text:
            found.append((text, package))
        seen.add(name)
    return tuple(found)


def _installed() -> Iterator[tuple[str, str, str | Distribution]]:
    """The normalised name of each installed package, its entry points as text, and the folder of its metadata."""
    archives = []
    for entry in sys.path:
        try:
            names = sorted(os.listdir(entry or "."))
        except OSError:
            archives += [entry] if os.path.exists(entry) else []
            continue
        for match in filter(None, map(_METADATA.fullmatch, names)):
            folder = os.path.join(entry, match[0])
            yield _normalised(match[1]), _text(os.path.join(folder, "entry_points.txt")), folder
        if entry.lower().endswith(".egg"):  # one package, with its metadata inside
            folder = os.path.join(entry, "EGG-INFO")
            name = os.path.basename(entry)[: -len(".egg")].partition("-")[0]
            yield _normalised(name), _text(os.path.join(folder, "entry_points.txt")), folder
    finders = [one for one in sys.meta_path if hasattr(one, "find_distributions") and not _is_standard(one)]
    if not archives and not finders:
        return
    from importlib.metadata import DistributionFinder, distributions

    context = DistributionFinder.Context()
    others = [distributions(path=archives), *(one.find_distributions(context) for one in finders)]
    for package in chain.from_iterable(others):
        try:
            text = package.read_text("entry_points.txt") or ""
        except UnicodeDecodeError:
            text = ""
        yield _normalised(package.name), text, package


def _is_standard(finder: object) -> bool:
    """Whether a finder knows only packages in folders and archives of ``sys.path``."""
    return finder is PathFinder or type(finder).__module__.partition(".")[0] == "importlib_metadata"


def _distribution(package: str | Distribution) -> Distribution:
    from importlib.metadata import Distribution

    return Distribution.at(package) if isinstance(package, str) else package


def _text(path: str) -> str:
    """The text of a file; empty if there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _normalised(name: str) -> str:
    """The name of a package as installers compare it (PEP 503).

    >>> _normalised("Zarr.Py_codecs")
    'zarr-py-codecs'
    """
    return re.sub(r"[-_.]+", "-", name).lower()
