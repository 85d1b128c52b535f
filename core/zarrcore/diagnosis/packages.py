"""Required and optional Python packages of the distribution."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from typing import Final

from zarrcore.child_processes import is_single_file
from zarrcore.diagnosis.finding import Finding, State

_DISTRIBUTION: Final = "zarrscope"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA: Final = re.compile(r"""extra\s*==\s*['"]([^'"]+)""")
_NOT_FOR_USERS: Final = {"all", "benchmarks", "demo", "docs", "packaging", "prove", "test"}
"""Extras that no feature of zarrscope needs."""

_SHOWN: Final = ("numpy", "numcodecs", "obstore", "pyreqwest", "httpx")
"""Packages whose versions matter for most reports of problems."""


def versions() -> dict[str, str]:
    """The versions of zarrscope, Python, the kernel, and the most important packages."""
    return {
        _DISTRIBUTION: version(_DISTRIBUTION),
        "Python": f"{platform.python_version()} ({platform.python_implementation()}, {platform.machine()})",
        platform.system(): platform.release(),
        **{name: _installed(name) or "not installed" for name in _SHOWN},
    }


def findings() -> Iterator[Finding]:
    """Whether the required packages are installed, and which extras are complete."""
    needed = _requirements()
    missing = [name for name in needed.pop("") if _installed(name) is None]
    if missing:
        remedy = f"pip install {' '.join(missing)}"
        yield Finding("packages", State.FAULT, f"missing: {', '.join(missing)}", remedy)
    else:
        yield Finding("packages", State.OK, "all required Python packages are installed")
    extras = {extra: names for extra, names in needed.items() if extra not in _NOT_FOR_USERS}
    complete = [extra for extra, names in extras.items() if all(map(_installed, names))]
    if complete:
        yield Finding("packages", State.OK, f"optional dependencies installed: {', '.join(sorted(complete))}")
    absent = [
        f"{extra} ({', '.join(name for name in extras[extra] if _installed(name) is None)})"
        for extra in sorted(extras.keys() - complete)
    ]
    if absent:
        text = f"optional dependencies not installed: {', '.join(absent)}"
        remedy = f"pip install '{_DISTRIBUTION}[NAME]' if you need one"
        if is_single_file():
            remedy = "the single-file program cannot be extended; an installation by pip or pipx can"
        yield Finding("packages", State.NOTE, text, remedy)


def _requirements() -> dict[str, list[str]]:
    """The names of the required packages under "", and of the packages of each extra."""
    found: dict[str, list[str]] = {"": []}
    for extra in metadata(_DISTRIBUTION).get_all("Provides-Extra") or ():
        found[extra] = []
    for line in requires(_DISTRIBUTION) or ():
        name = _NAME.match(line)
        extra = _EXTRA.search(line)
        if name is not None and name[0] != _DISTRIBUTION:
            names = found.setdefault(extra[1] if extra else "", [])
            if name[0] not in names:
                names.append(name[0])
    return found


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
