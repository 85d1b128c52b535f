"""The cells of a gallery as a table: a plate as it is, a list of images in as many columns as fit."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from zarrbrowser.gallery.cells import Cell, Gallery
from zarrbrowser.widgets.tooltip import tooltip

_Index = QModelIndex | QPersistentModelIndex


class GalleryModel(QAbstractTableModel):
    """Positions of cells; holds no pictures.

    Attributes:
        gallery: what is shown; None for nothing.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.gallery: Gallery | None = None
        self._places: dict[tuple[int, int], Cell] = {}
        self._by_path: dict[str, tuple[int, int]] = {}
        self._columns = 1
        self._problems: dict[str, str] = {}

    def show(self, gallery: Gallery | None) -> None:
        """Show other cells."""
        self.beginResetModel()
        self.gallery = gallery
        self._problems.clear()
        self._place()
        self.endResetModel()

    def fit_columns(self, columns: int) -> None:
        """Show a list of images in this number of columns; a plate keeps its own."""
        columns = max(1, columns)
        if self.gallery is None or self.gallery.is_plate or columns == self._columns:
            return
        self.beginResetModel()
        self._columns = columns
        self._place()
        self.endResetModel()

    def set_problem(self, path: str, text: str) -> None:
        """Say in a cell's tool tip why it has no thumbnail; nothing for an empty text."""
        self._problems[path] = text

    def cell(self, index: _Index) -> Cell | None:
        """The cell at an index; None where a plate has no well."""
        return self._places.get((index.row(), index.column())) if index.isValid() else None

    def index_of(self, path: str) -> QModelIndex:
        """The index of the cell with a path; invalid if there is none."""
        place = self._by_path.get(path)
        return QModelIndex() if place is None else self.index(*place)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's name and default
        if parent.isValid() or self.gallery is None:
            return 0
        if self.gallery.is_plate:
            return len(self.gallery.rows)
        return -(-len(self.gallery.cells) // self._columns)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's name and default
        if parent.isValid() or self.gallery is None:
            return 0
        return (
            len(self.gallery.columns)
            if self.gallery.is_plate
            else min(self._columns, len(self.gallery.cells))
        )

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role != Qt.ItemDataRole.DisplayRole or self.gallery is None or not self.gallery.is_plate:
            return None
        names = self.gallery.columns if orientation is Qt.Orientation.Horizontal else self.gallery.rows
        return names[section] if section < len(names) else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        cell = self.cell(index)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return cell.name if cell is not None else None
        if role == Qt.ItemDataRole.ToolTipRole and cell is not None:
            return tooltip(
                "\n".join(filter(None, (cell.name, cell.detail, self._problems.get(cell.path, ""))))
            )
        return None

    def _place(self) -> None:
        gallery = self.gallery
        if gallery is None:
            self._places = {}
        elif gallery.is_plate:
            self._places = {cell.place: cell for cell in gallery.cells if cell.place is not None}
        else:
            self._places = {divmod(number, self._columns): cell for number, cell in enumerate(gallery.cells)}
        self._by_path = {cell.path: place for place, cell in self._places.items()}
