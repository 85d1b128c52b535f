"""The ways in which data leave the window: files, figures, movies, and a mount."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from zarrbrowser.window.exporting import Exporter
from zarrbrowser.window.figure_exporter import FigureExporter
from zarrbrowser.window.mounting import Mounter
from zarrbrowser.window.movie_exporter import MovieExporter

if TYPE_CHECKING:
    from zarrbrowser.window.main_window import MainWindow


class Exports(QObject):
    """All exporters of a window.

    Signals:
        reported: what was written, copied, printed or mounted, or the error.
    """

    reported = Signal(str)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        settings, session, workers, pane = window.settings, window.session, window.workers, window.node_pane
        self.mounter: Mounter = Mounter(window, settings, workers, lambda: session.source)
        self.data: Exporter = Exporter(window, session, workers, pane.viewed, self.mounter.mounts.folder)
        self.figures: FigureExporter = FigureExporter(
            window, settings, workers, lambda: pane.current_pane.figure()
        )
        self.movies: MovieExporter = MovieExporter(
            window, settings, workers, lambda: pane.current_pane.figure()
        )
        for part in (self.mounter, self.data, self.figures, self.movies):
            part.reported.connect(self.reported)
        pane.header.export_button.clicked.connect(lambda _checked: self.data.show_dialog())
