"""Our icons: line drawings in one colour, recoloured for the appearance and sharp at any scale."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 20, 24, 32, 48, 64, 128)


@lru_cache(maxsize=256)
def icon(name: str, colour: str, disabled: str = "") -> QIcon:
    """The icon ``name`` drawn in ``colour``, and in ``disabled`` where its widget is so."""
    result = QIcon()
    drawings = [(colour, QIcon.Mode.Normal), *([(disabled, QIcon.Mode.Disabled)] if disabled else [])]
    for one, mode in drawings:
        renderer = _renderer(name, one)
        for size in SIZES:
            result.addPixmap(_rendered(renderer, size), mode)
    return result


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


@lru_cache(maxsize=64)
def drawing_text(name: str) -> str:
    """The SVG document of an icon."""
    return (files("zarrbrowser.theme") / "icons" / f"{name}.svg").read_text(encoding="utf-8")


def drawing_path(name: str) -> str:
    """Where an icon's file is, for a stylesheet."""
    return str(files("zarrbrowser.theme") / "icons" / f"{name}.svg").replace("\\", "/")
