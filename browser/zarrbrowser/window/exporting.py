"""Export and copy: from the menus to a file or the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from zarrbrowser.drawing.png import png_of_pixels
from zarrbrowser.nodes.protocols import NodeLike, is_array, is_group
from zarrbrowser.panes.registry import tabs_for
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.values.quantities import format_bytes
from zarrbrowser.window.file_exporter import FileExporter
from zarrbrowser.workers import Workers

if TYPE_CHECKING:  # dialogs and what writes are imported when they are needed: for a fast start
    from zarrbrowser.dialogs.export_dialog import ExportDialog
    from zarrbrowser.dialogs.node_export_dialog import NodeExportDialog
    from zarrbrowser.export.export import Export
    from zarrbrowser.export.viewed_array import Selection, ViewedArray
    from zarrbrowser.export.whole_nodes import NodeExport, WholeType, Written


class Exporter(FileExporter):
    """Exports and copies the displayed data.

    Args:
        viewed: returns the array displayed now.
        folder: returns the folder where a source is mounted, if it is.
    """

    def __init__(
        self,
        parent: QWidget,
        session: Session,
        workers: Workers,
        viewed: Callable[[], ViewedArray | None],
        folder: Callable[[Source], str | None],
    ) -> None:
        super().__init__(parent, workers)
        self._session, self._viewed, self._folder_of = session, viewed, folder

    def show_dialog(self) -> ExportDialog | NodeExportDialog | None:
        """Ask what to export, then for the file."""
        from zarrbrowser.dialogs.export_dialog import ExportDialog  # late: for a fast start

        viewed, source, node = self._viewed(), self._session.source, self._session.node
        if viewed is None and source is not None and node is not None and is_group(node):
            return self._ask_for_group(source, node)
        if viewed is None:
            self.reported.emit("Nothing can be exported: choose an array or a group in the tree")
            return None
        dialog = ExportDialog(viewed, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.asked.connect(partial(self._ask_where, source))
        dialog.open()
        return dialog

    def write(self, export: Export) -> None:
        """Write a file in the background; an existing file is replaced once the new one is complete."""
        from zarrbrowser.export.export import write  # late: for a fast start

        self._write(
            export.path,
            lambda asked: write(export, png_of_pixels, asked.is_cancelled, asked.progress),
            lambda nbytes: f"Exported to {export.path} ({format_bytes(nbytes)})",
        )

    def write_node(self, export: NodeExport) -> None:
        """Write a whole node in the background."""
        from zarrbrowser.export.whole_nodes import write_node  # late: for a fast start

        self._write(
            export.path,
            lambda asked: write_node(export, asked.is_cancelled, asked.progress),
            lambda written: _said(export, written),
        )

    def fill_menu(self, menu: QMenu) -> None:
        """Fill the menu with what can be copied for the current node."""
        menu.clear()
        viewed = self._viewed()
        levels = viewed.levels if viewed is not None else ()
        if levels:
            menu.addAction(f"Of {levels[0].title}").setEnabled(False)  # a heading
        self._fill(menu, viewed)
        for level in levels[1:]:
            self._fill(menu.addMenu(f"Of {level.title}"), level)

    def _fill(self, menu: QMenu, viewed: ViewedArray | None) -> None:
        for text, make in self._ways(viewed):
            made = make()
            action = menu.addAction(text, partial(self._copy, made or "", text))
            action.setEnabled(made is not None)

    def _ways(self, viewed: ViewedArray | None) -> list[tuple[str, Callable[[], str | None]]]:
        from zarrbrowser.export.snippets import (  # late: for a fast start
            Place,
            command,
            dask_code,
            tensorstore_code,
            xarray_code,
            zarr_code,
            zarrcore_code,
        )

        source, node = self._session.source, self._session.node
        if source is None or node is None:
            return []
        read = viewed.array if viewed is not None else node
        place = Place.of(source, read)
        selection = None if viewed is None else viewed.selection
        return [
            ("Python: zarrcore", lambda: zarrcore_code(place, selection)),
            ("Python: zarr", lambda: zarr_code(place, selection)),
            ("Python: xarray", lambda: xarray_code(place, read.name, selection)),
            ("Python: dask", lambda: dask_code(place, selection)),
            ("Python: tensorstore", lambda: tensorstore_code(place, selection)),
            ("Command", lambda: command(place, read, selection)),
            ("Path in the mount", lambda: self._mounted(source, node)),
            ("Address", lambda: f"{place.url}#{place.path}"),
        ]

    def _mounted(self, source: Source, node: NodeLike) -> str | None:
        folder = self._folder_of(source)
        if folder is None:
            return None
        inside = f"{folder}/arrays{node.path.rstrip('/')}"
        return f"{inside}/data.npy" if is_array(node) else inside

    def _copy(self, text: str, what: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.reported.emit(f"{what} copied")

    def _ask_for_group(self, source: Source, node: NodeLike) -> NodeExportDialog:
        from zarrbrowser.dialogs.node_export_dialog import NodeExportDialog  # late: for a fast start
        from zarrbrowser.export.whole_nodes import IMAGE_FILES, OF_GROUPS, extent_of

        is_image = "Image" in tabs_for(node)
        types = {name: kind for name, kind in OF_GROUPS.items() if is_image or name not in IMAGE_FILES}
        title = node.name or source.title
        dialog = NodeExportDialog(title, types, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.asked.connect(partial(self._ask_where_for_node, source, node, title))
        counting = self._workers.submit(
            lambda asked: extent_of(source.hierarchy, node, asked.is_cancelled),
            dialog.show_extent,
            lambda error: dialog.show_problem(sentence(error)),
        )
        dialog.finished.connect(lambda _result: self._workers.cancel(counting))
        dialog.open()
        return dialog

    def _ask_where(
        self, source: Source | None, viewed: ViewedArray, selection: Selection, suffix: str
    ) -> None:
        from zarrbrowser.export.export import ENDINGS, Export  # late: for a fast start
        from zarrbrowser.export.whole_nodes import OF_ARRAYS, NodeExport

        kind = OF_ARRAYS.get(suffix)
        if kind is not None and source is not None:
            name = viewed.file_name(selection, kind.suffix)
            self._ask_for_path(
                kind.title,
                name,
                kind.suffix,
                lambda path: self.write_node(NodeExport(source.hierarchy, viewed.array, kind, path)),
            )
            return
        self._ask_for_path(
            ENDINGS[suffix],
            viewed.file_name(selection, suffix),
            suffix,
            lambda path: self.write(Export(viewed, selection, suffix, path)),
        )

    def _ask_where_for_node(self, source: Source, node: NodeLike, title: str, kind: WholeType) -> None:
        from zarrbrowser.export.viewed_array import file_name_of  # late: for a fast start
        from zarrbrowser.export.whole_nodes import NodeExport

        name = title.removesuffix(".zarr").removesuffix(".n5")
        self._ask_for_path(
            kind.title,
            file_name_of(name, kind.suffix),
            kind.suffix,
            lambda path: self.write_node(NodeExport(source.hierarchy, node, kind, path)),
        )

    def _ask_for_path(self, title: str, name: str, suffix: str, chosen: Callable[[str], None]) -> None:
        self._ask_for_file("Export to a file", f"{title} (*.{suffix})", suffix, name, chosen)


def _said(export: NodeExport, written: Written) -> str:
    size = format_bytes(written.nbytes) + (" decoded" if export.kind.is_folder else "")
    notes = f"; {written.notes[0]}" if written.notes else ""
    more = f" (and {len(written.notes) - 1} more)" if len(written.notes) > 1 else ""
    return f"Exported to {export.path} ({size}){notes}{more}"
