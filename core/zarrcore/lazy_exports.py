"""Exports of a package that are imported when first used, for a quick start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_exports(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Type checkers read ``import``s of the same names in a block that never runs. A test compares both.

    Args:
        package: its name.
        modules: the names by module, which is relative to the package; ``name=other`` exports ``other`` as ``name``.

    >>> get, _, names = lazy_exports("collections", {"abc": "Mapping Iterable=Iterator"})
    >>> names, get("Iterable").__name__
    (['Iterable', 'Mapping'], 'Iterator')
    """
    places = {}
    for module, exports in modules.items():
        for export in exports.split():
            name, _, original = export.partition("=")
            places[name] = (f"{package}.{module}", original or name)

    def __getattr__(name: str) -> Any:  # noqa: N807 - becomes that of the package
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, original = places[name]
        value = getattr(import_module(module), original)
        setattr(import_module(package), name, value)
        return value

    names = sorted(places)
    return __getattr__, lambda: names, names
