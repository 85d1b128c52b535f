"""Movies along an axis: from the menu to a file or a folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from zarrbrowser.settings import Settings
from zarrbrowser.values.quantities import count
from zarrbrowser.window.file_exporter import FileExporter
from zarrbrowser.workers import Request, Workers

if TYPE_CHECKING:  # dialogs and drawing are imported when they are needed: for a fast start
    from zarrbrowser.dialogs.movie_dialog import MovieAxis, MovieDialog
    from zarrbrowser.export.figures.planes import ShownPlanes
    from zarrbrowser.export.movies.movie import MovieOptions

_KIND = "movie"
NOTHING = "Only pictures with a slider can be exported as movies: choose the tab Image of an array with three or more axes"


class MovieExporter(FileExporter):
    """Exports the picture along one of its sliders.

    Args:
        source: returns what is shown now; None if it is neither a picture nor a plot.
    """

    def __init__(
        self, parent: QWidget, settings: Settings, workers: Workers, source: Callable[[], Any]
    ) -> None:
        super().__init__(parent, workers)
        self._settings, self._source = settings, source
        self._last: MovieOptions | None = None

    def show_dialog(self) -> MovieDialog | None:
        """Ask for the frames and the look of a movie, then for the file."""
        from zarrbrowser.dialogs.movie_dialog import MovieDialog  # late: for a fast start

        planes = self._planes()
        axes = axes_of(planes) if planes is not None else []
        if planes is None or not axes:
            self.reported.emit(NOTHING)
            return None
        main = replace(planes, planes=planes.planes[:1])  # a movie shows one plane
        dialog = MovieDialog(main.as_shown(), axes, self._options(axes), self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.asked.connect(lambda options: self._ask_where(planes, options))
        dialog.open()
        return dialog

    def write(self, planes: ShownPlanes, options: MovieOptions, path: str) -> Request:
        """Write a movie in the background."""
        frames = count(len(options.positions), "frame")
        return self._write(
            path,
            lambda asked: write_movie(planes, options, path, asked.is_cancelled, asked.progress),
            lambda _nothing: f"Exported to {path} ({frames})",
        )

    def _planes(self) -> ShownPlanes | None:
        from zarrbrowser.export.figures.planes import ShownPlanes

        source = self._source()
        return source if isinstance(source, ShownPlanes) else None

    def _options(self, axes: list[MovieAxis]) -> MovieOptions:
        from zarrbrowser.export.movies.movie import MovieOptions
        from zarrbrowser.export.movies.writers import MOVIE_TYPES

        kind = self._settings.text(_KIND, "gif")
        axis, _, length = axes[0]
        if self._last is not None:
            return replace(self._last, axis=axis, first=0, last=length - 1)
        return MovieOptions(kind if kind in MOVIE_TYPES else "gif", axis, 0, 0)

    def _ask_where(self, planes: ShownPlanes, options: MovieOptions) -> None:
        from zarrbrowser.export.movies.writers import MOVIE_TYPES
        from zarrbrowser.export.viewed_array import file_name_of

        self._last = options
        self._settings.keep(_KIND, options.kind)
        kind, axes = MOVIE_TYPES[options.kind], planes.main.state.settings.axes
        image = planes.main.state.image
        name = file_name_of(f"{image.name}_{axes.names[options.axis]}", kind.suffix)
        self._ask_for_file(
            "Export movie",
            f"{kind.title} (*.{kind.suffix})" if kind.suffix else "",
            kind.suffix,
            name if kind.suffix else name.rstrip("."),
            lambda path: self.write(planes, options, path),
        )


def axes_of(planes: ShownPlanes) -> list[MovieAxis]:
    """The axes with a slider of more than one position, those of time first."""
    state = planes.main.state
    axes = state.settings.axes
    found = [(axis, axes.names[axis], axes.shape[axis]) for axis in state.settings.sliders(state.image)]
    return sorted(found, key=lambda one: one[1].lower() not in ("t", "time"))


def write_movie(
    planes: ShownPlanes,
    options: MovieOptions,
    path: str,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> None:
    """Read, draw and write frame by frame; runs in a worker.

    Raises:
        Cancelled: ``cancelled`` became true; nothing is left.
        OSError: it cannot be written.
        ZarrError: a chunk cannot be read or decoded, or a package is missing.
    """
    from zarrbrowser.drawing.figure_files import frame_of
    from zarrbrowser.drawing.png import png_of_pixels
    from zarrbrowser.export.figures.planes import colour_bar_of
    from zarrbrowser.export.movies.writers import movie_writer
    from zarrbrowser.nodes.read_cost import Cancelled

    size, positions = (options.width, options.height), options.positions
    axes = planes.main.state.settings.axes
    bar = colour_bar_of(planes.main.state, planes.main.measured)
    with movie_writer(
        path,
        options.kind,
        size,
        options.rate,
        png_of_pixels,
        loops=options.loops,
        colours=None if bar is None else bar.table,
    ) as add:
        for number, position in enumerate(positions):
            if cancelled():
                raise Cancelled
            figure = planes.frame(
                axes.at(options.axis, position),
                size,
                cancelled,
                has_own_contrast=not options.has_same_contrast,
            )
            add(frame_of(figure, options.frame_options(figure.title)))
            progress((number + 1) / len(positions))
        if cancelled():
            raise Cancelled
