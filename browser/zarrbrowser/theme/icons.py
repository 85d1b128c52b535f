"""The icons: line drawings in one colour, recoloured for the appearance and sharp at any scale."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer


@lru_cache(maxsize=256)
def icon(name: str, colour: str, disabled: str = "") -> QIcon:
    """The icon ``name`` drawn in ``colour``, and in ``disabled`` on a disabled widget."""
    return QIcon(_Engine(name, colour, disabled or colour))


class _Engine(QIconEngine):
    """Draws a size when it is needed: a window has more icons than it shows, and each has many sizes."""

    def __init__(self, name: str, colour: str, disabled: str) -> None:
        super().__init__()
        self._name, self._colour, self._disabled = name, colour, disabled

    def clone(self) -> QIconEngine:
        return _Engine(self._name, self._colour, self._disabled)

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        if size.isEmpty():  # of a button that has no room at the moment
            return QPixmap()
        colour = self._disabled if mode is QIcon.Mode.Disabled else self._colour
        return pixmap(self._name, colour, min(size.width(), size.height()))

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatio()
        side = min(rect.width(), rect.height())
        drawn = self.pixmap(QSize(round(side * ratio), round(side * ratio)), mode, state)
        painter.drawPixmap(QRect(rect.x(), rect.y(), side, side), drawn)


@lru_cache(maxsize=512)
def pixmap(name: str, colour: str, size: int) -> QPixmap:
    """One drawing, ``size`` device pixels square."""
    return _rendered(_renderer(name, colour), size)


def _renderer(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(drawing_text(name).replace("currentColor", colour).encode()))


def _rendered(renderer: QSvgRenderer, size: int) -> QPixmap:
    result = QPixmap(QSize(size, size))
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return result


def load_drawings() -> None:
    """Read all icons, in a worker: the window must not wait for the files when it first shows an icon."""
    for file in (files("zarrbrowser.theme") / "icons").iterdir():
        drawing_text(file.name.removesuffix(".svg"))


@lru_cache(maxsize=256)
def drawing_text(name: str) -> str:
    """The SVG document of an icon."""
    return (files("zarrbrowser.theme") / "icons" / f"{name}.svg").read_text(encoding="utf-8")


def drawing_path(name: str) -> str:
    """The path of an icon's file, for a stylesheet."""
    return str(files("zarrbrowser.theme") / "icons" / f"{name}.svg").replace("\\", "/")
