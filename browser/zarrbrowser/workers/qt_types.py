"""Create PySide's types before other threads use them.

PySide creates the Python type of a Qt class, and those of its enumerations, when the name is first looked up. The program crashes
if one thread does so while another one uses Qt. The import of pyqtgraph looks up all names.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Final

from PySide6.QtCore import QObject, QTimer

_MODULES: Final = ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtOpenGLWidgets", "QtTest")
_SLICE_S: Final = 0.004


def make_qt_types(owner: QObject, then: Callable[[], None]) -> None:
    """Create all types, a few milliseconds at a time between other events, and then call ``then``.

    Only for the thread of the event loop.

    Args:
        owner: nothing is called after it is deleted.
        then: called when all types exist.
    """
    _go_on(_made(), owner, then)


def _go_on(made: Iterator[None], owner: QObject, then: Callable[[], None]) -> None:
    ends_s = time.perf_counter() + _SLICE_S
    for _ in made:
        if time.perf_counter() > ends_s:
            QTimer.singleShot(0, owner, lambda: _go_on(made, owner, then))
            return
    then()


def _made() -> Iterator[None]:
    for name in _MODULES:
        with suppress(ImportError):  # pyqtgraph works without it, too
            module = import_module(f"PySide6.{name}")
            for attribute in dir(module):
                getattr(module, attribute)
                yield
