"""Checks of nodes: from the command to the place of a finding."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from zarrbrowser.session.checking import Check, Checked
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.history import Visit
from zarrbrowser.session.sources import Source
from zarrbrowser.workers import Request
from zarrbrowser.workers.workers import Stopped

if TYPE_CHECKING:  # dialogs are imported late, for a fast start
    from zarrbrowser.dialogs.check_dialog import CheckDialog
    from zarrbrowser.window.main_window import MainWindow
    from zarrcore.operations.check import Finding


class Checker(QObject):
    """Checks nodes, each in a dialog of its own, which the window can be used beside.

    Signals:
        reported: why there is nothing to check, for the status bar.
    """

    reported = Signal(str)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def check_row(self, index: QModelIndex) -> None:
        """Check the node of a row of the tree, and all below it."""
        item = self._window.model.item(index)
        if item is not None and item.source is not None and item.node is not None:
            self.check(item.source, item.node.path)

    def check_current(self) -> None:
        """Check the current node, and all below it."""
        source, node = self._window.session.source, self._window.session.node
        if source is None or node is None:
            self.reported.emit("Nothing can be checked: choose a node in the tree")
        else:
            self.check(source, node.path)

    def check(self, source: Source, path: str) -> CheckDialog:
        """Check a node, and all below it."""
        from zarrbrowser.dialogs.check_dialog import CheckDialog  # late: for a fast start

        dialog = CheckDialog(source.title if path == "/" else f"{source.title}{path}", self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        _Run(dialog, self._window, source, path)
        dialog.chosen.connect(partial(self._go, source))
        dialog.show()
        return dialog

    def _go(self, source: Source, finding: Finding) -> None:
        """Lead to the node of a finding, and to the place of its chunk."""
        request = source.request
        tab = "Table" if finding.index is not None and len(finding.index) == 1 else "Image"
        visit = Visit(request.place, request.address, finding.path, tab, _box(source, finding))
        self._window.navigator.travel(visit)


def _box(source: Source, finding: Finding) -> dict[str, Any]:
    """The place of a chunk as the settings of a view; empty for a finding without one."""
    from zarrcore.errors import ZarrError  # late: for a fast start

    if finding.index is None:
        return {}
    try:
        array = source.hierarchy.node(finding.path)  # which the check has read, so that no request is sent
    except ZarrError:
        return {}
    grid = array.metadata.chunk_grid
    origin, shape = grid.chunk_origin(finding.index), grid.chunk_shape_at(finding.index)
    return {
        "box": [
            [start, min(start + n, end)] for start, n, end in zip(origin, shape, array.shape, strict=True)
        ]
    }


class _Run(QObject):
    """Runs the check of a dialog; ends with it."""

    def __init__(self, dialog: CheckDialog, window: MainWindow, source: Source, path: str) -> None:
        super().__init__(dialog)
        self._dialog, self._workers, self._source, self._path = dialog, window.workers, source, path
        self._request: Request | None = None
        dialog.started.connect(self.start)
        dialog.stopped.connect(self.stop)
        dialog.finished.connect(lambda _code: self._cancel())
        self.start()

    def start(self) -> None:
        """Start again."""
        self._cancel()
        self._dialog.begin()
        self._request = self._workers.submit(
            lambda asked: Check(
                self._source.hierarchy, self._path, asked.is_cancelled, asked.report_part
            ).run(),
            self._done,
            self._failed,
            f"Checking {self._source.title}{self._path.rstrip('/')}",
            self._dialog.add,
        )

    def stop(self) -> None:
        """Stop; the findings so far stay."""
        self._cancel()
        self._dialog.end("The check was stopped")

    def _cancel(self) -> None:
        if self._request is not None:
            self._workers.cancel(self._request)
            self._request = None

    def _done(self, checked: Checked) -> None:
        self._request = None
        self._dialog.add(checked)
        self._dialog.end()

    def _failed(self, error: Exception) -> None:
        self._request = None
        self._dialog.end("The check was stopped" if isinstance(error, Stopped) else sentence(error))
