"""A node's path as links to its ancestors."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.tooltip import tooltip

_MOST_WIDTH = 260
"""The width of a longer name, which is elided."""


class Breadcrumbs(QWidget):
    """Source / group / group; without enough space, the parts nearest to the root are hidden.

    Signals:
        chosen: the path of an ancestor.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: list[list[QWidget]] = []
        self._widths: list[int] = []
        """The widths of the parts, each with the space after it."""
        self._last: QLabel | None = None
        self._last_name = ""
        self._cut = label("…", "muted")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2)
        self._row.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self._row.addWidget(self._cut)
        self._cut.hide()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("path of the node")

    @property
    def links(self) -> list[QPushButton]:
        """The links, the root's first."""
        return [one for part in self._parts for one in part if isinstance(one, QPushButton)]

    def show_path(self, source: str, path: str) -> None:
        """Show a path within a source; the node itself is not a link."""
        for part in self._parts:
            for widget in part:
                self._row.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        names = [name for name in path.split("/") if name]
        places = ["/"] + ["/" + "/".join(names[: depth + 1]) for depth in range(len(names))]
        self._parts = [
            self._part(name, place, is_last=place == places[-1])
            for name, place in zip([source, *names], places, strict=True)
        ]
        space = self._row.spacing()
        self._widths = [sum([one.sizeHint().width() + space for one in part]) for part in self._parts]
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(60, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._fit()

    def _part(self, name: str, place: str, *, is_last: bool) -> list[QWidget]:
        shown = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, _MOST_WIDTH)
        widgets: list[QWidget] = []
        if is_last:
            self._last = label(shown, "muted")
            self._last_name = shown
            widgets.append(self._last)
        else:
            link = push_button(shown.replace("&", "&&"), partial(self.chosen.emit, place), role="crumb")
            link.setCursor(Qt.CursorShape.PointingHandCursor)
            link.setToolTip(tooltip(place))
            widgets += [link, label("/", "muted")]
        for widget in widgets:
            self._row.addWidget(widget)
        return widgets

    def _fit(self) -> None:
        """Show as many parts from the right as fit."""
        widths, hidden, space = self._widths, 0, self._row.spacing()
        cut = self._cut.sizeHint().width() + space
        while hidden < len(widths) - 1 and sum(widths[hidden:]) + (cut if hidden else 0) > self.width():
            hidden += 1
        if self._last is not None:
            room = self.width() - sum(widths[hidden:-1]) - (cut if hidden else 0) - space
            self._last.setText(
                self._last.fontMetrics().elidedText(self._last_name, Qt.TextElideMode.ElideMiddle, room)
            )
        for number, part in enumerate(self._parts):
            for widget in part:
                widget.setVisible(number >= hidden)
        self._cut.setVisible(hidden > 0)
