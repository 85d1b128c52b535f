"""The bar above a volume."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSlider, QToolButton, QWidget

from zarrbrowser.image.levels import Image
from zarrbrowser.values.quantities import format_bytes, format_shape
from zarrbrowser.volume.camera import Side
from zarrbrowser.volume.grid import VolumeGrid
from zarrbrowser.volume.look import Look, Mode
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.bar import Bar
from zarrbrowser.widgets.buttons import tool_button
from zarrbrowser.widgets.label import label

_MODES = {
    Mode.MAXIMUM: "Maximum intensity",
    Mode.TRANSLUCENT: "Translucent",
    Mode.SURFACE: "Surface",
}
_STEPS = 100
_SIDES = {
    Side.FRONT: ("Front", "From the front, as the Image tab shows it (Z)"),
    Side.TOP: ("Top", "From above (Y)"),
    Side.LEFT: ("Left", "From the left (X)"),
}


class VolumeControls(Bar):
    """How a volume is drawn on the left, from where on the right.

    Signals:
        mode_chosen: a `Mode`.
        strength_chosen: the opacity or the threshold, 0 to 1.
        grid_chosen: a `VolumeGrid`.
        side_chosen: a `Side`.
    """

    least_width = 380
    mode_chosen = Signal(object)
    strength_chosen = Signal(float)
    grid_chosen = Signal(object)
    side_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mode = QComboBox()
        name_box(self.mode, "how samples become a picture")
        self.mode.setToolTip("What is drawn of the samples behind each other")
        for title in _MODES.values():
            self.mode.addItem(title)
        self.strength_label = label("", "muted")
        self.strength = QSlider(Qt.Orientation.Horizontal)
        self.strength.setRange(0, _STEPS)
        self.strength.setFixedWidth(110)
        self.level_label, self.level = label("Level", "muted"), QComboBox()
        name_box(self.level, "level and samples")
        self.level.setToolTip(
            "The level that is read, its samples along depth, rows and columns, and what is decoded"
        )
        self.level.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.sides = {side: _side(*texts) for side, texts in _SIDES.items()}
        self.turn_back = tool_button("retry", "The first view (R)")
        self.fit = tool_button("fit", "Fit the whole volume into view (F)")
        self.save = tool_button("export", "Save the picture as PNG")
        self._grids: list[VolumeGrid] = []
        row = self.row
        row.addWidget(self.mode)
        self._strength_box = QWidget()
        inside = QHBoxLayout(self._strength_box)
        inside.setContentsMargins(0, 0, 6, 0)
        inside.addWidget(self.strength_label)
        inside.addWidget(self.strength)
        row.addWidget(self._strength_box)
        row.addWidget(self.level_label)
        row.addWidget(self.level)
        row.addStretch(1)
        for widget in (*self.sides.values(), self.turn_back, self.fit, self.save, self.more):
            row.addWidget(widget)
        self.gives_way = (
            self.level_label,
            self.save,
            self.turn_back,
            *self.sides.values(),
        )
        self.mode.activated.connect(lambda at: self.mode_chosen.emit(list(_MODES)[at]))
        self.strength.valueChanged.connect(lambda value: self.strength_chosen.emit(value / _STEPS))
        self.level.activated.connect(lambda at: self.grid_chosen.emit(self._grids[at]))
        for side, button in self.sides.items():
            button.clicked.connect(lambda _checked, side=side: self.side_chosen.emit(side))

    def show_look(self, look: Look) -> None:
        """Show how the volume is drawn."""
        self.mode.setCurrentIndex(list(_MODES).index(look.mode))
        is_surface = look.mode is Mode.SURFACE
        name = "Threshold" if is_surface else "Opacity"
        tip = (
            "The surface is where numbers reach this part of the contrast"
            if is_surface
            else "How little is seen of what lies behind bright samples"
        )
        self.strength_label.setText(name)
        self.strength.setAccessibleName(name.lower())
        self.strength.setToolTip(tip)
        if self._strength_box.isHidden() != (look.mode is Mode.MAXIMUM):
            self._strength_box.setHidden(look.mode is Mode.MAXIMUM)
            self.make_room()
        with QSignalBlocker(self.strength):
            self.strength.setValue(round((look.threshold if is_surface else look.opacity) * _STEPS))

    def show_grids(self, image: Image, grids: list[VolumeGrid], current: VolumeGrid, planes: int) -> None:
        """Offer levels, each with what reading it costs.

        Args:
            planes: the number of volumes, one for each channel.
        """
        self._grids = grids
        self.level.clear()
        for grid in grids:
            self.level.addItem(title_of(image, grid, planes))
        self.level.setCurrentIndex(grids.index(current))
        self.level.setEnabled(len(grids) > 1)
        self.level_label.setText("Level" if len(image.levels) > 1 else "Samples")
        self.make_room()


def title_of(image: Image, grid: VolumeGrid, planes: int) -> str:
    """A choice of samples, and its cost: ``1: 64 × 256 × 256, 8.0 MiB``."""
    number = f"{grid.number}: " if len(image.levels) > 1 else ""
    steps = ""
    if max(grid.steps) > 1:
        steps = ", every " + " × ".join(str(step) for step in grid.steps)
    return f"{number}{format_shape(grid.shape)}{steps}, {format_bytes(grid.cost(planes).nbytes)}"


def _side(text: str, tip: str) -> QToolButton:
    button = tool_button("", tip)
    button.setText(text)
    return button
