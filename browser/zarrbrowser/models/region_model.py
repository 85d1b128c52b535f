"""Regions and their statistics as a table: a row for each channel of each region."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from zarrbrowser.image.regions.files import Measured
from zarrbrowser.values.quantities import format_level
from zarrbrowser.widgets.tooltip import tooltip
from zarrcore.conventions import symbol

_Index = QModelIndex | QPersistentModelIndex
_NAME, _ELEMENTS = 0, 2


class RegionModel(QAbstractTableModel):
    """The table of regions.

    Signals:
        renamed: the number of a region, and its new name.
    """

    renamed = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.regions: list[Measured] = []
        self._rows: list[tuple[int, int]] = []
        """The numbers of region and channel of each row."""

    def show(self, regions: Sequence[Measured]) -> None:
        """Show other regions."""
        self.beginResetModel()
        self.regions = list(regions)
        self._rows = [
            (number, channel)
            for number, (_, found) in enumerate(self.regions)
            for channel in range(len(found.channels) if found is not None else 1)
        ]
        self.endResetModel()

    def region_at(self, row: int) -> int | None:
        """The number of the region of a row."""
        return self._rows[row][0] if 0 <= row < len(self._rows) else None

    def row_of(self, number: int) -> int:
        """The first row of a region; -1 if there is none."""
        return next((row for row, (region, _) in enumerate(self._rows) if region == number), -1)

    def text(self) -> str:
        """The table as text, separated by tabs, with its headings; numbers as programs read them."""
        lines = ["\t".join(self._headings())]
        for row in range(self.rowCount()):
            number, channel = self._rows[row]
            lines.append("\t".join(map(_plain, self._cells(number, channel))))
        return "\n".join(lines) + "\n"

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's name and default
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's name and default
        return 0 if parent.isValid() else len(self._headings())

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role != Qt.ItemDataRole.DisplayRole or orientation is not Qt.Orientation.Horizontal:
            return None
        headings = self._headings()
        return headings[section] if section < len(headings) else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if index.column() < 2 else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        number, channel = self._rows[index.row()]
        region, found = self.regions[number]
        if role == Qt.ItemDataRole.EditRole:
            return region.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(f"{region.name}, {region.shape.value}")
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if found is None and index.column() == _ELEMENTS:
            return "…"
        return _shown(self._cells(number, channel)[index.column()])

    def _cells(self, number: int, channel: int) -> tuple[str | float, ...]:
        """The cells of a row: texts, and numbers with all digits."""
        region, found = self.regions[number]
        if found is None:
            return (region.name, *[""] * (len(self._headings()) - 1))
        one = found.channels[channel]
        area = found.area if found.unit else found.size
        return (
            region.name,
            one.channel,
            found.size,
            area,
            one.known,
            one.mean,
            one.deviation,
            one.minimum,
            one.maximum,
        )

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802 - Qt's name
        """Rename a region."""
        number, name = self.region_at(index.row()), str(value).strip()
        if role != Qt.ItemDataRole.EditRole or number is None or not name:
            return False
        self.renamed.emit(number, name)
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Names can be edited."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() and index.column() == _NAME else flags

    def _headings(self) -> tuple[str, ...]:
        units = {found.unit for _, found in self.regions if found is not None}
        unit = symbol(units.pop()) if len(units) == 1 else ""
        area = f"area ({unit}²)" if unit else "area (elements)"
        by_area = any(found is not None and found.is_by_area for _, found in self.regions)
        averages = ("mean by area", "σ by area") if by_area else ("mean", "σ")
        return ("region", "channel", "elements", area, "valid", *averages, "min", "max")


def _shown(cell: str | float) -> str:
    """A cell as people read it."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    return "" if math.isnan(cell) else format_level(cell)


def _plain(cell: str | float) -> str:
    """A cell without grouped digits, and with all of them."""
    return cell if isinstance(cell, str) else "" if math.isnan(cell) else repr(cell)
