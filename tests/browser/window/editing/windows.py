"""A window whose source may be changed."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.window.main_window import MainWindow


def shown(window: MainWindow) -> NodeLike:
    """The current node."""
    assert window.session.node is not None
    return window.session.node


def go(window: MainWindow, qtbot: QtBot, path: str) -> None:
    """Show a node."""
    window.navigator.go_within(path)
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == path)


def allow(window: MainWindow, qtbot: QtBot, place: str | Path, path: str = "/") -> None:
    """Open a source, allow changes, and show a node."""
    window.open_text(str(place))
    qtbot.waitUntil(lambda: window.session.source is not None)
    window.editor.toggle()
    qtbot.waitUntil(lambda: window.session.source is not None and window.session.source.may_change)
    qtbot.waitUntil(lambda: window.session.node is not None)
    if path != "/":
        go(window, qtbot, path)


def idle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until nothing runs any more."""
    qtbot.waitUntil(lambda: not window.editor.is_busy and not window.workers.active)


def rows(window: MainWindow, path: str = "/") -> list[str]:
    """The names of the listed children of a group."""
    index = window.model.index(0, 0)
    for name in [name for name in path.split("/") if name]:
        index = window.model.child_named(index, name)
    return [window.model.index(row, 0, index).data() for row in range(window.model.rowCount(index))]
