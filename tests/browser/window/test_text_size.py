"""Large text of the system is not cut."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.browser.window.dialogs import each_dialog
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture(params=[14, 18])
def _large_text(application: QApplication, request: pytest.FixtureRequest) -> Iterator[None]:
    before = application.font()
    font = application.font()
    font.setPointSizeF(request.param)
    application.setFont(font)
    yield
    application.setFont(before)


KINDS: tuple[type[QLabel] | type[QCheckBox] | type[QPushButton], ...] = (QLabel, QCheckBox, QPushButton)


def cut(widget: QWidget) -> list[str]:
    """The texts in a widget that have less room than they need, or are partly beyond the edge of what they are in."""
    found = []
    for kind in KINDS:
        for one in widget.findChildren(kind):
            seen, needed = one.visibleRegion().boundingRect(), one.minimumSizeHint()
            is_wrapped = isinstance(one, QLabel) and one.wordWrap()
            is_narrow = seen.width() < needed.width() and not is_wrapped
            if one.text() and not seen.isEmpty() and (is_narrow or one.height() < needed.height()):
                found.append(f"{one.text()}: {seen.size().toTuple()} of {needed.toTuple()}")
    fields = (*widget.findChildren(QLineEdit), *widget.findChildren(QComboBox))
    low = [one for one in fields if one.isVisible() and one.height() < one.fontMetrics().height() + 4]
    return [*found, *(f"{one.accessibleName()}: {one.height()}" for one in low)]


@pytest.mark.usefixtures("_large_text")
def test_large_text_is_not_cut(
    application: QApplication, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    for title, dialog in each_dialog(window, tmp_path, qtbot):
        if title != "Keyboard shortcuts":  # its list scrolls both ways
            qtbot.waitUntil(lambda shown=dialog: cut(shown) == [])  # type: ignore[misc]
    for tab in ("Image", "Attributes", "Storage"):
        assert window.node_pane.show_tab(tab)
        qtbot.waitUntil(lambda: not window.workers.active and cut(window.node_pane.current_pane) == [])
    titles = [one for one in window.findChildren(QWidget) if one.property("role") == "title"]
    assert titles
    assert all(one.font().pointSizeF() > application.font().pointSizeF() for one in titles)
