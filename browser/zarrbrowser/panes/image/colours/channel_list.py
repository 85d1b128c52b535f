"""The channels of a blend: each on or off, in its colour; the contrast of the selected one is shown below."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QColorDialog, QListWidget, QListWidgetItem, QWidget

from zarrbrowser.image.view_settings import ChannelSettings
from zarrbrowser.theme import current_colours
from zarrbrowser.widgets.tooltip import tooltip

_MOST_ROWS, ROW = 6, 22
SWATCH = QSize(12, 12)


class ChannelList(QListWidget):
    """A row per channel.

    Signals:
        toggled: a position along the channel axis, and whether the channel is on.
        channel_chosen: the position of the selected channel.
        coloured: a position, and its new colour as red, green, blue.
    """

    toggled = Signal(int, bool)
    channel_chosen = Signal(int)
    coloured = Signal(int, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours: list[tuple[int, int, int]] = []
        self.setAccessibleName("channels")
        self.setToolTip("Tick the channels to blend; double-click to change a colour")
        self.setIconSize(SWATCH)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.itemChanged.connect(self._changed)
        self.currentRowChanged.connect(lambda row: self.channel_chosen.emit(row) if row >= 0 else None)
        self.itemDoubleClicked.connect(self._ask_colour)

    def show_channels(self, channels: Sequence[ChannelSettings], current: int) -> None:
        """Show one row per channel."""
        self._colours = [one.colour for one in channels]
        with QSignalBlocker(self):
            if [self.item(row).text() for row in range(self.count())] != [
                one.channel.name for one in channels
            ]:
                self._make_rows(channels)
            for row, one in enumerate(channels):
                item = self.item(row)  # keep the widget: the user may be clicking on it right now
                item.setIcon(swatch(one.colour))
                item.setCheckState(Qt.CheckState.Checked if one.is_on else Qt.CheckState.Unchecked)
            self.setCurrentRow(current)
        self.setFixedHeight(min(_MOST_ROWS, max(1, len(channels))) * ROW + 6)

    def _make_rows(self, channels: Sequence[ChannelSettings]) -> None:
        self.clear()
        for one in channels:
            item = QListWidgetItem(one.channel.name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setToolTip(tooltip(one.channel.name))
            item.setSizeHint(QSize(0, ROW))
            self.addItem(item)

    def _changed(self, item: QListWidgetItem) -> None:
        self.toggled.emit(self.row(item), item.checkState() is Qt.CheckState.Checked)

    def _ask_colour(self, item: QListWidgetItem) -> None:
        row = self.row(item)
        dialog = QColorDialog(QColor(*self._colours[row]), self)
        dialog.setOption(QColorDialog.ColorDialogOption.DontUseNativeDialog)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.colorSelected.connect(
            lambda colour: self.coloured.emit(row, (colour.red(), colour.green(), colour.blue()))
        )
        dialog.open()


def swatch(colour: tuple[int, int, int]) -> QIcon:
    """A square of one colour, with an outline: the colour may be that of the list."""
    pixmap = QPixmap(SWATCH * 2)
    pixmap.fill(QColor(current_colours().outline))
    painter = QPainter(pixmap)
    painter.fillRect(pixmap.rect().adjusted(2, 2, -2, -2), QColor(*colour))
    painter.end()
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)  # Qt would tint the colour of the selected row
    return icon
