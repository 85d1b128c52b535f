"""The choice of columns to plot: one across, and several up, each with its colour."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QComboBox, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from zarrbrowser.plot.curves import LINE_COLOURS
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.label import label

ROWS = "rows"
"""What runs across a plot without a column there."""
_COLUMN = Qt.ItemDataRole.UserRole
_SWATCH = QSize(12, 12)


class ColumnChoice(QWidget):
    """A box for the column across, and a list with a check box for each column; the list is the plot's legend, too.

    Signals:
        changed: the user chose other columns.
        refused: why a column cannot be added.
    """

    changed = Signal()
    refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.across_box, self.up_list = QComboBox(), QListWidget()
        name_box(self.across_box, "column across the plot")
        self.across_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.across_box.setMinimumContentsLength(8)
        self.up_list.setAccessibleName("columns to plot")
        self.up_list.setIconSize(_SWATCH)
        self.up_list.setUniformItemSizes(True)
        self.up_list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.up_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._colours: dict[int, str] = {}  # of the chosen columns
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 6, 6, 6)
        column.setSpacing(4)
        column.addWidget(label("Across", "muted"))
        column.addWidget(self.across_box)
        column.addWidget(label("Up", "muted"))
        column.addWidget(self.up_list, 1)
        self.across_box.activated.connect(lambda _row: self.changed.emit())
        self.up_list.itemChanged.connect(self._check)

    @property
    def across(self) -> int | None:
        """The column across; None for the rows."""
        found = self.across_box.currentData()
        return None if found is None else int(found)

    @property
    def up(self) -> dict[int, str]:
        """The columns up and their colours, in the order in which they were chosen."""
        return dict(self._colours)

    def offer(self, columns: Sequence[tuple[int, str]]) -> None:
        """Offer columns, by their positions and names; choose none."""
        self._colours.clear()
        self.across_box.clear()
        self.across_box.addItem(ROWS, None)
        with QSignalBlocker(self.up_list):
            self.up_list.clear()
            for column, name in columns:
                self.across_box.addItem(name, column)
                item = QListWidgetItem(_swatch(""), name)
                item.setData(_COLUMN, column)
                item.setToolTip(name)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(Qt.CheckState.Unchecked)
                self.up_list.addItem(item)

    def choose(self, across: int | None, up: Sequence[int]) -> None:
        """Choose columns that are offered; of too many the first ones."""
        self.across_box.setCurrentIndex(max(0, self.across_box.findData(across)))
        self._colours.clear()
        offered = {self.up_list.item(row).data(_COLUMN) for row in range(self.up_list.count())}
        wanted = [column for column in dict.fromkeys(up) if column in offered]
        for column in wanted[: len(LINE_COLOURS)]:
            self._colours[column] = self._free_colour()
        self._show()
        if len(wanted) > len(LINE_COLOURS):
            self.refused.emit(f"A plot has at most {len(LINE_COLOURS)} columns: these are the first ones")

    def _check(self, item: QListWidgetItem) -> None:
        column = int(item.data(_COLUMN))
        is_on = item.checkState() is Qt.CheckState.Checked
        if is_on == (column in self._colours):
            return
        if not is_on:
            del self._colours[column]
        elif len(self._colours) < len(LINE_COLOURS):
            self._colours[column] = self._free_colour()
        else:
            self._show()
            self.refused.emit(f"A plot has at most {len(LINE_COLOURS)} columns: take one away first")
            return
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        with QSignalBlocker(self.up_list):
            for row in range(self.up_list.count()):
                item = self.up_list.item(row)
                colour = self._colours.get(item.data(_COLUMN), "")
                item.setCheckState(Qt.CheckState.Checked if colour else Qt.CheckState.Unchecked)
                item.setIcon(_swatch(colour))

    def _free_colour(self) -> str:
        used = set(self._colours.values())
        return next(one for one in LINE_COLOURS if one not in used)


def _swatch(colour: str) -> QIcon:
    pixmap = QPixmap(_SWATCH)
    pixmap.fill(QColor(colour) if colour else Qt.GlobalColor.transparent)
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)  # Qt would tint the colour of the selected row
    return icon
