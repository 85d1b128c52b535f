"""Required and optional Python packages of the distribution."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from zarrcore.diagnosis.finding import Finding, State
from zarrcore.installation import DISTRIBUTION, how_to_add, how_to_repair, needed_python, requirements
from zarrcore.native import engine_state

_NOT_FOR_USERS: Final = {"all", "benchmarks", "demo", "docs", "packaging", "prove", "test"}
"""Extras that no feature of zarrscope needs."""

_SHOWN: Final = ("numpy", "numcodecs", "obstore", "pyreqwest", "httpx")
"""Packages whose versions matter for most reports of problems."""


def versions() -> dict[str, str]:
    """The versions of zarrscope, Python, the kernel, and the most important packages."""
    return {
        DISTRIBUTION: version(DISTRIBUTION),
        "Python": f"{platform.python_version()} ({platform.python_implementation()}, {platform.machine()})",
        platform.system(): platform.release(),
        **{name: _installed(name) or "not installed" for name in _SHOWN},
    }


def findings() -> Iterator[Finding]:
    """Whether the required packages are installed, and which extras are complete."""
    needed = _requirements()
    missing = [name for name in needed.pop("") if _installed(name) is None]
    if missing:
        yield Finding("packages", State.FAULT, f"missing: {', '.join(missing)}", how_to_repair(missing))
    else:
        yield Finding("packages", State.OK, "all required Python packages are installed")
    yield engine_finding()
    extras = {extra: names for extra, names in needed.items() if extra not in _NOT_FOR_USERS}
    complete = [extra for extra, names in extras.items() if all(map(_installed, names))]
    if complete:
        yield Finding("packages", State.OK, f"optional dependencies installed: {', '.join(sorted(complete))}")
    absent = sorted(extras.keys() - complete)
    impossible = [extra for extra in absent if needed_python(extra) is not None]
    missing = [
        f"{extra} ({', '.join(name for name in extras[extra] if _installed(name) is None)})"
        for extra in absent
        if extra not in impossible
    ]
    if missing:
        text = f"optional dependencies not installed: {', '.join(missing)}"
        yield Finding("packages", State.NOTE, text, f"if you need one: {how_to_add('NAME')}")
    for extra in impossible:
        yield Finding("packages", State.NOTE, f"{extra} is not available: {how_to_add(extra)}")


def engine_finding() -> Finding:
    """Whether the compiled engine reads and writes local chunks."""
    is_used, words = engine_state()
    if is_used:
        return Finding("engine", State.OK, f"the compiled engine {words}")
    text = f"local chunks are read and written by Python, which is slower: {words}"
    return Finding("engine", State.NOTE, text)


def _requirements() -> dict[str, list[str]]:
    """The names of the required packages under "", and of the packages of each extra."""
    found: dict[str, list[str]] = {"": []}
    for one in requirements():
        names = found.setdefault(one.extra, [])
        if one.name not in names:
            names.append(one.name)
    return found


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
