"""Figures as files: PNG, SVG and PDF; and as an image for the screen and the clipboard."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSize, QSizeF
from PySide6.QtGui import QImage, QPagedPaintDevice, QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from zarrbrowser.drawing.canvas import UNITS_PER_INCH
from zarrbrowser.drawing.figure_painter import draw_figure, size_in_units
from zarrbrowser.drawing.png import png_of
from zarrbrowser.export.figures.figure import MM_PER_INCH, Figure, FigureOptions

FIGURE_TYPES = {"png": "PNG image", "svg": "SVG drawing", "pdf": "PDF document"}
_PAPER_MARGIN = 0.02
"""The part of a page's size that stays free on each side."""


def file_of(figure: Figure, options: FigureOptions, suffix: str) -> bytes:
    """The file of a figure; runs in any thread.

    Raises:
        OSError: the figure cannot be encoded.
        KeyError: the type is unknown.
    """
    writers: dict[str, Callable[[Figure, FigureOptions], bytes]] = {"png": _png, "svg": _svg, "pdf": _pdf}
    return writers[suffix](figure, options)


def image_of_figure(figure: Figure, options: FigureOptions, dpi: float | None = None) -> QImage:
    """A figure as an image.

    Args:
        dpi: the resolution; by default that of the options.
    """
    dpi = options.dpi if dpi is None else dpi
    width, height = (max(1, round(length / UNITS_PER_INCH * dpi)) for length in size_in_units(options))
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    if image.isNull():
        raise MemoryError
    image.fill(0)
    per_metre = round(dpi / MM_PER_INCH * 1000)
    image.setDotsPerMeterX(per_metre)
    image.setDotsPerMeterY(per_metre)
    painter = QPainter(image)
    painter.scale(dpi / UNITS_PER_INCH, dpi / UNITS_PER_INCH)
    draw_figure(painter, figure, options)
    painter.end()
    return image


def frame_of(figure: Figure, options: FigureOptions) -> NDArray[np.uint8]:
    """A figure as the frame of a movie, shape (h, w, 3)."""
    image = image_of_figure(figure, options).convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def draw_on_page(device: QPagedPaintDevice, figure: Figure, options: FigureOptions) -> None:
    """Draw a figure in the middle of a page, in its size or as large as the page allows.

    Raises:
        OSError: the device does not accept anything.
    """
    painter = QPainter()
    if not painter.begin(device):
        raise OSError("the printer does not accept the page")
    page = QRectF(painter.viewport())
    down, along = page.height() * _PAPER_MARGIN, page.width() * _PAPER_MARGIN
    room = page.adjusted(along, down, -along, -down)
    width, height = size_in_units(options)
    own = device.logicalDpiX() / UNITS_PER_INCH
    scale = min(own, room.width() / width, room.height() / height)
    painter.translate(room.center().x() - width * scale / 2, room.center().y() - height * scale / 2)
    painter.scale(scale, scale)
    draw_figure(painter, figure, options)
    painter.end()


def _png(figure: Figure, options: FigureOptions) -> bytes:
    return png_of(image_of_figure(figure, options))


def _svg(figure: Figure, options: FigureOptions) -> bytes:
    buffer, generator = _buffer(), QSvgGenerator()
    width, height = size_in_units(options)
    generator.setOutputDevice(buffer)
    generator.setResolution(UNITS_PER_INCH)
    generator.setSize(QSize(math.ceil(width), math.ceil(height)))
    generator.setViewBox(QRectF(0, 0, width, height))
    generator.setTitle(options.title or figure.title)
    painter = QPainter(generator)
    draw_figure(painter, figure, options)
    painter.end()
    return bytes(buffer.data().data())


def _pdf(figure: Figure, options: FigureOptions) -> bytes:
    buffer = _buffer()
    writer = QPdfWriter(buffer)
    writer.setCreator("zarrscope")
    writer.setTitle(options.title or figure.title)
    writer.setResolution(UNITS_PER_INCH)
    size = QPageSize(
        QSizeF(options.width_mm, options.height_mm),
        QPageSize.Unit.Millimeter,
        "figure",
        QPageSize.SizeMatchPolicy.ExactMatch,
    )
    writer.setPageLayout(QPageLayout(size, QPageLayout.Orientation.Portrait, QMarginsF(0, 0, 0, 0)))
    painter = QPainter(writer)
    draw_figure(painter, figure, options)
    painter.end()
    return bytes(buffer.data().data())


def _buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer
