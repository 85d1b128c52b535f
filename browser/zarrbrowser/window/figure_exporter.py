"""Figures: from the menu to a file, the clipboard, or paper."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget

from zarrbrowser.session.error_text import sentence
from zarrbrowser.settings import Settings
from zarrbrowser.values.quantities import format_bytes
from zarrbrowser.window.file_exporter import FileExporter
from zarrbrowser.workers import Workers

if TYPE_CHECKING:  # dialogs and drawing are imported when they are needed: for a fast start
    from zarrbrowser.dialogs.figure_dialog import FigureDialog
    from zarrbrowser.export.figures.choices import FigureChoices
    from zarrbrowser.export.figures.figure import Figure, FigureSource

_CHOICES = "figure"
NOTHING = "Only pictures and plots can be exported as figures: choose the tab Image, Plot or Volume"


class FigureExporter(FileExporter):
    """Exports, copies and prints the picture or plot.

    Args:
        source: returns what is shown now; None if it is neither a picture nor a plot.
    """

    def __init__(
        self,
        parent: QWidget,
        settings: Settings,
        workers: Workers,
        source: Callable[[], FigureSource | None],
    ) -> None:
        super().__init__(parent, workers)
        self._settings, self._source = settings, source
        self._last: FigureChoices | None = None

    def show_dialog(self) -> FigureDialog | None:
        """Ask how the figure looks, then for the file."""
        from zarrbrowser.dialogs.figure_dialog import FigureDialog  # late: for a fast start

        source = self._shown()
        if source is None:
            return None
        figure = source.as_shown()
        dialog = FigureDialog(figure, self._titled(figure), self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.export_asked.connect(lambda choices: self._ask_where(source, choices))
        dialog.copy_asked.connect(lambda choices: self._copy(source, choices))
        dialog.print_asked.connect(lambda choices: self._print(source, choices))
        dialog.open()
        return dialog

    def copy(self) -> None:
        """Copy the figure as it was exported last, with what is on the screen as its title."""
        source = self._shown()
        if source is not None:
            self._copy(source, self._titled(source.as_shown()))

    def print(self) -> QDialog | None:
        """Ask for a printer, and print the figure."""
        source = self._shown()
        return None if source is None else self._print(source, self._titled(source.as_shown()))

    def write(self, source: FigureSource, choices: FigureChoices, path: str) -> None:
        """Write a file in the background; an existing file is replaced once the new one is complete."""
        from zarrbrowser.drawing.figure_files import file_of
        from zarrcore.filetypes import whole_or_nothing

        options = choices.options

        def work(asked: Any) -> tuple[int, str]:
            figure = source.read(options.pixels, asked.is_cancelled)
            document = file_of(figure, options, choices.suffix)
            with whole_or_nothing(path) as stream:
                stream.write(document)
            return len(document), figure.note

        def describe(written: tuple[int, str]) -> str:
            size, note = written
            return f"Exported to {path} ({format_bytes(size)})" + (f". {note}" if note else "")

        self._write(path, work, describe)

    def _shown(self) -> FigureSource | None:
        source = self._source()
        if source is None:
            self.reported.emit(NOTHING)
        return source

    def _choices(self) -> FigureChoices:
        from zarrbrowser.drawing.figure_files import FIGURE_TYPES
        from zarrbrowser.export.figures.choices import FigureChoices

        return self._last or FigureChoices.of(self._settings.document(_CHOICES), FIGURE_TYPES)

    def _titled(self, figure: Figure) -> FigureChoices:
        choices = self._choices()
        return replace(choices, options=replace(choices.options, title=figure.title))

    def _keep(self, choices: FigureChoices) -> None:
        self._last = choices
        self._settings.keep(_CHOICES, json.dumps(choices.document()))

    def _ask_where(self, source: FigureSource, choices: FigureChoices) -> None:
        from zarrbrowser.drawing.figure_files import FIGURE_TYPES
        from zarrbrowser.export.viewed_array import file_name_of

        self._keep(choices)
        suffix = choices.suffix
        filters, name = f"{FIGURE_TYPES[suffix]} (*.{suffix})", file_name_of(source.as_shown().title, suffix)
        write = partial(self.write, source, choices)
        self._ask_for_file("Export figure", filters, suffix, name, write)

    def _copy(self, source: FigureSource, choices: FigureChoices) -> None:
        """Put an image on the clipboard, and a drawing for programs that take one."""
        from zarrbrowser.drawing.figure_files import file_of, image_of_figure

        figure, data = source.as_shown(), QMimeData()
        image = image_of_figure(figure, choices.options)
        data.setImageData(image)
        data.setData("image/svg+xml", file_of(figure, choices.options, "svg"))
        QGuiApplication.clipboard().setMimeData(data)
        self._keep(choices)
        self.reported.emit(f"Figure copied: {image.width():,} × {image.height():,} pixels")

    def _print(self, source: FigureSource, choices: FigureChoices) -> QDialog | None:
        try:
            from PySide6.QtPrintSupport import QPrintDialog, QPrinter  # some systems package it apart
        except ImportError:
            self.reported.emit(
                "Printing needs Qt's print support, which is not installed: export a PDF document"
            )
            return None
        self._keep(choices)
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        options = choices.options
        if options.width_mm > options.height_mm:
            printer.setPageOrientation(_landscape())
        dialog = QPrintDialog(printer, self._parent)
        dialog.setWindowTitle("Print figure")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: self.print_on(printer, source, choices))
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.show()  # its open() is another one than that of other dialogs
        return dialog

    def print_on(self, printer: Any, source: FigureSource, choices: FigureChoices) -> None:
        """Read the figure in the background, and send it to a printer."""
        from zarrbrowser.drawing.figure_files import draw_on_page

        def done(figure: Figure) -> None:
            try:
                draw_on_page(printer, figure, choices.options)
            except OSError as error:
                self.reported.emit(f"The figure was not printed: {sentence(error)}")
            else:
                self.reported.emit("The figure was sent to the printer")

        self._workers.submit(
            lambda asked: source.read(choices.options.pixels, asked.is_cancelled),
            done,
            lambda error: self.reported.emit(f"The figure was not printed: {sentence(error)}"),
            "Printing",
        )


def _landscape() -> Any:
    from PySide6.QtGui import QPageLayout

    return QPageLayout.Orientation.Landscape
