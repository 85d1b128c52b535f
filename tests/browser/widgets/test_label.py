"""Labels that are cut in a narrow window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from zarrbrowser.widgets.label import DropMark, ElidedLabel


class Layouts(QObject):
    """Counts how often a widget is asked to lay out its children again."""

    count = 0

    def eventFilter(self, _widget: QObject, event: QEvent) -> bool:
        self.count += event.type() is QEvent.Type.LayoutRequest
        return False


def test_a_narrow_label_keeps_its_whole_text(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.set_text("/a/very/long/path" * 20)
    assert label.minimumSizeHint().width() < 50 < label.sizeHint().width()
    label.resize(60, 20)
    label.show()
    label.grab()
    assert label.text == label.accessibleName() == "/a/very/long/path" * 20
    assert "/a/very/long/path" in label.toolTip()


def test_only_another_text_is_laid_out_again(qtbot: QtBot) -> None:
    window, label, layouts = QWidget(), ElidedLabel(), Layouts()
    qtbot.addWidget(window)
    QHBoxLayout(window).addWidget(label)
    label.set_text("a")
    window.show()
    qtbot.waitExposed(window)
    qtbot.wait(10)
    window.installEventFilter(layouts)
    label.set_text("a")
    qtbot.wait(10)
    assert layouts.count == 0
    label.set_text("another one")
    qtbot.waitUntil(lambda: layouts.count > 0)


def test_a_mark_of_a_drop_covers_its_parent_meanwhile(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(200, 100)
    mark = DropMark("Drop here", parent)
    parent.show()
    assert mark.isHidden()
    mark.turn(is_on=True)
    assert (mark.isVisible(), mark.geometry()) == (True, parent.rect())
    mark.turn(is_on=False)
    assert mark.isHidden()
