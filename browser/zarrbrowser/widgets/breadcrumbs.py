"""A node's path as links to its ancestors."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import ElidedLabel, label
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
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(60, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._fit()

    def _part(self, name: str, place: str, *, is_last: bool) -> list[QWidget]:
        widgets: list[QWidget] = []
        if is_last:
            last = ElidedLabel("muted")
            last.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            last.setMaximumWidth(_MOST_WIDTH)
            last.set_text(name)
            widgets.append(last)
        else:
            shown = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, _MOST_WIDTH)
            link = push_button(shown.replace("&", "&&"), partial(self.chosen.emit, place), role="crumb")
            link.setCursor(Qt.CursorShape.PointingHandCursor)
            link.setToolTip(tooltip(place))
            widgets += [link, label("/", "muted")]
        for widget in widgets:
            self._row.addWidget(widget)
        return widgets

    def _fit(self) -> None:
        """Show as many parts from the right as fit."""
        widths = [sum(self._width_of(widget) for widget in part) for part in self._parts]
        hidden, cut = 0, self._width_of(self._cut)
        while hidden < len(widths) - 1 and sum(widths[hidden:]) + (cut if hidden else 0) > self.width():
            hidden += 1
        for number, part in enumerate(self._parts):
            for widget in part:
                widget.setVisible(number >= hidden)
        self._cut.setVisible(hidden > 0)

    def _width_of(self, widget: QWidget) -> int:
        return min(widget.sizeHint().width(), widget.maximumWidth()) + self._row.spacing()
