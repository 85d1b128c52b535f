"""What the window needs, for ``zarrscope doctor``."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from zarrbrowser.cli import LIBRARIES, NEEDED, has_display
from zarrcore.child_processes import module_command
from zarrcore.diagnosis import Finding, State
from zarrcore.installation import how_to_add

_START_S: Final = 20.0
"""How long Qt may take to start."""
_AREA: Final = "window"


def versions() -> dict[str, str]:
    """The versions of Qt's bindings and of the libraries that draw."""
    found = {}
    for name in ("PySide6_Essentials", "pyqtgraph", "cmap"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def findings() -> Iterator[Finding]:
    """Whether a window can open here."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        text = f"not installed: {', '.join(missing)}"
        yield Finding(_AREA, State.NOTE, text, how_to_add("gui"))
        return
    shown = has_display()
    complaint = _start(None if shown else "offscreen")
    if complaint:
        remedy = "check DISPLAY, or log in with ssh -X" if "connect to display" in complaint else LIBRARIES
        yield Finding(_AREA, State.FAULT, f"Qt does not start: {complaint}", remedy)
    elif shown:
        yield Finding(_AREA, State.OK, "a window can open")
    else:
        text = "no display: neither DISPLAY nor WAYLAND_DISPLAY is set"
        yield Finding(_AREA, State.NOTE, text, "log in with ssh -X, or use zarrscope tree, info and cat")


def _start(platform: str | None) -> str:
    """Start Qt in a child process, since it aborts on failure; returns its complaint, or an empty string."""
    environment = {**os.environ, **({} if platform is None else {"QT_QPA_PLATFORM": platform})}
    try:
        done = subprocess.run(
            module_command("zarrbrowser.start_qt"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_START_S,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {_START_S:g} s"
    if done.returncode == 0:
        return ""
    said = [line for line in done.stderr.splitlines() if line.strip()] or [f"exit status {done.returncode}"]
    return said[-1 if said[0].startswith("Traceback") else 0]
