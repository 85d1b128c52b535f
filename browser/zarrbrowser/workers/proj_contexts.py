"""What PROJ keeps for a thread, which must live as long as the thread."""

from __future__ import annotations

import sys
import threading
from typing import Any

_kept: dict[int, Any] = {}


def keep_proj_context() -> None:
    """Keep PROJ's context of this thread.

    Python forgets what it knows of a thread of Qt whenever a worker is done. pyproj 3.7, the last for Python 3.11, then frees
    the context, but goes on using it when the next worker runs in the thread, and crashes. pyproj 3.6 keeps it.
    """
    # pyproj sets its version last: without one, another thread is importing it.
    version = getattr(sys.modules.get("pyproj"), "__version__", None)
    if version is None or _is_safe(version):
        return
    contexts = sys.modules.get("pyproj._context")
    context = None if contexts is None else contexts.get_context_manager()
    if context is not None:  # the worker made it; others of this thread find none
        _kept[threading.get_ident()] = context


def _is_safe(version: str) -> bool:
    """Whether pyproj forgets a context that it freed."""
    return tuple(map(int, version.split(".")[:2])) >= (3, 8)
