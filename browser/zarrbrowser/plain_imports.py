"""Imports that take no longer than without PySide.

PySide puts a function of its own in place of Python's import. It reads the source of each module that is imported from then on,
to see whether it switches on one of PySide's features by ``from __feature__``: a fifth of the processor time of the window's
start, and time of a worker whenever something is imported late. No module of ours or of our dependencies does that.
"""

from __future__ import annotations

import builtins

from PySide6 import QtCore  # noqa: F401 - this replaces the function


def restore_imports() -> None:
    """Use the function for imports that was there before PySide's."""
    # Another version of PySide may have none.
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
