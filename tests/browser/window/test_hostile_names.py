"""Names, attributes and units from a store are text in the window, never markup."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.any_store import open_store
from tests.proofs.security.hostile_names import NAMES, hostile_values
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow

TAGS = ("<img", "<b>")


def markup(window: MainWindow) -> list[str]:
    """Texts of the window that Qt would show as rich text, with tags from the store."""
    labels = [
        label.text()
        for label in window.findChildren(QLabel)
        if label.textFormat() in {Qt.TextFormat.AutoText, Qt.TextFormat.RichText}
    ]
    tips = [tip for widget in window.findChildren(QWidget) for tip in (widget.toolTip(), widget.whatsThis())]
    for view in window.findChildren(QAbstractItemView):
        model = view.model()
        if model is not None:
            rows = [
                model.index(row, column)
                for row in range(min(30, model.rowCount()))
                for column in range(min(3, model.columnCount()))
            ]
            rows += [model.index(row, 0, rows[0]) for row in range(model.rowCount(rows[0]))] if rows else []
            tips += [
                str(model.data(index, Qt.ItemDataRole.ToolTipRole) or "")
                for index in rows
                if index != QModelIndex()
            ]
    return [text for text in [*labels, *tips] if any(tag in text for tag in TAGS)]


def test_markup_from_a_store_is_shown_as_text(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    with open_store(tmp_path / "<b>a.sqlite", create=True) as store:
        for key, value in hostile_values().items():
            store.set(key, value)
    shown = 0
    for name in ("", *(name for name in NAMES if any(tag in name for tag in TAGS)), "broken"):
        window.navigator.go(SourceRequest(str(tmp_path / "<b>a.sqlite"), f"/{name}"))
        if name != "broken":
            qtbot.waitUntil(
                lambda path=f"/{name}": window.session.node is not None and window.session.node.path == path
            )
        else:
            qtbot.waitUntil(
                lambda: window.view.sentence.button.isVisible() or window.session.node.path == "/broken"
            )
        tabs = window.node_pane.tabs
        for position in range(tabs.count()):
            tabs.setCurrentIndex(position)
            qtbot.wait(100)
            assert markup(window) == []
            shown += 1
    assert shown > 8
