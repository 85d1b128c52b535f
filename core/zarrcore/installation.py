"""How zarrscope was installed, and what a user of that installer does to add an optional part or to repair it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

DISTRIBUTION: Final = "zarrscope"
_DEBIAN_PREFIX: Final = "/usr/lib/zarrscope"
"""Where the Debian packages have their environment."""
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA: Final = re.compile(r"""extra\s*==\s*['"]([^'"]+)""")
_LEAST_PYTHON: Final = re.compile(r"""python_version\s*>=\s*['"](\d+)\.(\d+)""")
_QUOTE: Final = '"' if sys.platform == "win32" else "'"
"""What shells need around brackets."""


class Installer(StrEnum):
    """What put zarrscope where it is."""

    PIP = "pip"
    UV = "uv"
    """uv as pip, in a virtual environment."""
    PIPX = "pipx"
    UV_TOOL = "uv tool"
    DEBIAN = "the Debian package"
    SINGLE_FILE = "the single-file program"


class Requirement(NamedTuple):
    """A package that zarrscope needs, or that an extra needs."""

    extra: str
    """Empty if zarrscope itself needs it."""
    name: str
    least_python: tuple[int, int] = (0, 0)
    """The first version of Python for which it is needed."""


def is_single_file() -> bool:
    """Whether this process is the program that ``packaging/single-file`` builds."""
    return bool(getattr(sys, "frozen", False))


def installer() -> Installer:
    """What installed zarrscope, by the traces that installers leave."""
    if is_single_file():
        return Installer.SINGLE_FILE
    if sys.prefix == _DEBIAN_PREFIX:
        return Installer.DEBIAN
    if os.path.exists(os.path.join(sys.prefix, "pipx_metadata.json")):
        return Installer.PIPX
    if os.path.exists(_receipt()):
        return Installer.UV_TOOL
    return Installer.UV if _own_file("INSTALLER").strip() == "uv" else Installer.PIP


def how_to_add(extra: str) -> str:
    """What to do to get an extra: a command, or why there is none.

    Args:
        extra: its name; one that zarrscope does not have stands for any, as ``NAME``.
    """
    least = needed_python(extra)
    if least is not None:
        return f"it needs Python {least[0]}.{least[1]} or newer, and this is Python {_this_python()}"
    by = installer()
    wanted = f"{_QUOTE}{DISTRIBUTION}[{extra}]{_QUOTE}"
    match by:
        case Installer.DEBIAN if extra == "gui":
            return "apt install zarrscope"
        case Installer.DEBIAN | Installer.SINGLE_FILE:
            return f"{by} cannot be extended; an installation by pip or pipx can"
        case Installer.PIPX:
            return f"pipx inject {DISTRIBUTION} {wanted}"
        case Installer.UV_TOOL:
            return f"uv tool install {_QUOTE}{_tool_with(extra)}{_QUOTE}"
        case _:
            return f"{_pip(by)} install {wanted}"


def how_to_repair(packages: list[str]) -> str:
    """What to do if packages that zarrscope cannot do without are missing."""
    by = installer()
    match by:
        case Installer.DEBIAN:
            return "apt install --reinstall zarrscope-cli"
        case Installer.SINGLE_FILE:
            return "get the single-file program once more"
        case Installer.PIPX:
            return f"pipx reinstall {DISTRIBUTION}"
        case Installer.UV_TOOL:
            return f"uv tool upgrade --reinstall {DISTRIBUTION}"
        case _:
            return f"{_pip(by)} install {' '.join(packages)}"


def needed_python(extra: str) -> tuple[int, int] | None:
    """The version of Python that an extra needs, if this one is too old for it."""
    wanted = [one for one in requirements() if one.extra == extra]
    fitting = {one.name for one in wanted if one.least_python <= sys.version_info}
    return max((one.least_python for one in wanted if one.name not in fitting), default=None)


def requirements() -> Iterator[Requirement]:
    """The packages of zarrscope and of its extras, as its metadata name them."""
    from importlib.metadata import PackageNotFoundError, requires  # late: takes 20 ms

    try:
        lines = requires(DISTRIBUTION) or ()
    except PackageNotFoundError:  # run from sources that are not installed
        return
    for line in lines:
        if "sys_platform == 'linux'" in line and sys.platform != "linux":
            continue
        name, extra, least = _NAME.match(line), _EXTRA.search(line), _LEAST_PYTHON.search(line)
        if name is not None and name[0] != DISTRIBUTION:
            version = (int(least[1]), int(least[2])) if least else (0, 0)
            yield Requirement(extra[1] if extra else "", name[0], version)


def _this_python() -> str:
    return "{}.{}".format(*sys.version_info[:2])


def _pip(by: Installer) -> str:
    return "uv pip" if by is Installer.UV else "pip"


def _receipt() -> str:
    return os.path.join(sys.prefix, "uv-receipt.toml")


def _tool_with(extra: str) -> str:
    """The requirement of ``uv tool install``, which forgets extras and the place of the package unless they are given again."""
    import json
    import tomllib

    with open(_receipt(), "rb") as file:
        kept = tomllib.load(file)["tool"]["requirements"]
    extras = {name for one in kept if one["name"] == DISTRIBUTION for name in one.get("extras", ())}
    url = json.loads(_own_file("direct_url.json") or "{}").get("url")
    return f"{DISTRIBUTION}[{','.join(sorted({*extras, extra}))}]" + (f" @ {url}" if url else "")


def _own_file(name: str) -> str:
    """The text of a file among the metadata of zarrscope; empty if there is none."""
    from importlib.metadata import PackageNotFoundError, distribution  # late: takes 20 ms

    try:
        return distribution(DISTRIBUTION).read_text(name) or ""
    except PackageNotFoundError:
        return ""
