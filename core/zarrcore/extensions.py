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
from functools import cache, reduce
from importlib import import_module
from importlib.machinery import PathFinder
from itertools import chain
from typing import Any, Final, NamedTuple

_OURS: Final = "[zarrscope."
_METADATA: Final = re.compile(r"([^-]+)(-.*)?\.(?:dist|egg)-info", re.IGNORECASE)
"""The directory of the metadata of an installed package."""


class EntryPoint(NamedTuple):
    """An object that a package registered. As in importlib.metadata, which takes 20 ms to import."""

    name: str
    value: str
    """Its module, a colon, and its name there."""

    def load(self) -> Any:
        """Import the object.

        Raises:
            Exception: any error of importing the package.
        """
        module, _, name = self.value.partition("[")[0].partition(":")
        return reduce(getattr, filter(None, name.strip().split(".")), import_module(module.strip()))


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
    return tuple(point for text in _texts() for point in _points(text, group))


def _points(text: str, group: str) -> Iterator[EntryPoint]:
    """The entry points of one group in a file ``entry_points.txt``."""
    current = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            current = line[1:-1]
        elif current == group and line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            yield EntryPoint(name.strip(), value.strip())


@cache
def _texts() -> tuple[str, ...]:
    """The entry points of each package with some of ours, as text."""
    found, seen = [], set()
    for name, text in _installed():
        # A package further on in the path is not the one that is imported.
        if name not in seen and _OURS in text:
            found.append(text)
        seen.add(name)
    return tuple(found)


def _installed() -> Iterator[tuple[str, str]]:
    """The normalised name of each installed package, and its entry points as text."""
    archives = []
    for entry in sys.path:
        try:
            names = sorted(os.listdir(entry or "."))
        except OSError:
            archives += [entry] if os.path.exists(entry) else []
            continue
        for match in filter(None, map(_METADATA.fullmatch, names)):
            folder = os.path.join(entry, match[0])
            yield _normalised(match[1]), _text(os.path.join(folder, "entry_points.txt"))
        if entry.lower().endswith(".egg"):  # one package, with its metadata inside
            folder = os.path.join(entry, "EGG-INFO")
            name = os.path.basename(entry)[: -len(".egg")].partition("-")[0]
            yield _normalised(name), _text(os.path.join(folder, "entry_points.txt"))
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
        yield _normalised(package.name), text


def _is_standard(finder: object) -> bool:
    """Whether a finder knows only packages in folders and archives of ``sys.path``."""
    return finder is PathFinder or type(finder).__module__.partition(".")[0] == "importlib_metadata"


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
