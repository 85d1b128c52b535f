"""The panel that compares the picture with another plane: of the same array, or of another one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from zarrbrowser.image.calculations.comparison import (
    MASK_NAME,
    CannotCompareError,
    Comparison,
    Operation,
    OtherArray,
    candidates,
)
from zarrbrowser.image.calculations.derivation import may_derive
from zarrbrowser.image.calculations.other_array import open_other
from zarrbrowser.image.calculations.reduction import Statistic
from zarrbrowser.image.colours.colour_maps import DIVERGING
from zarrbrowser.image.colours.contrast import Contrast
from zarrbrowser.image.levels import Image
from zarrbrowser.image.state import Change, ImageState
from zarrbrowser.image.view_settings import symmetric
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.session.error_text import sentence
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.label import ElidedLabel, label
from zarrbrowser.widgets.number_box import NumberBox
from zarrbrowser.workers import Lane, Workers

_log = logging.getLogger(__name__)

Find = Callable[[str], Any]
_ARRAY = "array"


class ComparisonPanel(QFrame):
    """Shown while its button is pressed; then the picture is a comparison.

    Attributes:
        locate: finds the hierarchy of an address that the user chose: the path of a node, and what opens it.
        viewed: addresses of other arrays that the user looked at.
    """

    def __init__(
        self,
        model: ImageModel,
        workers: Workers,
        coordinate_labels: CoordinateLabels,
        button: QToolButton,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "foot")
        self._model, self._button, self._coordinate_labels = model, button, coordinate_labels
        self._opening, self._listing = Lane(workers, in_flight=1), Lane(workers, in_flight=1)
        self.locate: Callable[[str], tuple[str, Find]] = _unknown
        self.viewed: Callable[[], list[str]] = list
        self._image: Image | None = None
        self._before: tuple[Contrast, str, bool] | None = None
        """Contrast, colour map and blending of the picture itself."""
        self._is_on = False
        """Whether the picture was a comparison."""
        self.operation, self.target, self.position, self.array = (
            QComboBox(),
            QComboBox(),
            NumberBox("index of the other plane"),
            QComboBox(),
        )
        self.place, self.words = ElidedLabel("muted"), label(role="muted", wrap=True)
        self._lay_out()
        button.clicked.connect(lambda is_on: self.turn(is_on=is_on))
        self.operation.activated.connect(lambda _row: self._choose())
        self.target.activated.connect(lambda _row: self._choose_target())
        self.position.valueChanged.connect(lambda _value: self._choose())
        self.array.activated.connect(lambda _row: self._choose())
        line = self.array.lineEdit()
        assert line is not None  # noqa: S101 - the box is editable
        line.returnPressed.connect(self._choose)
        model.changed.connect(self._follow)
        coordinate_labels.changed.connect(self._show_summary)
        self.hide()

    def turn(self, *, is_on: bool) -> None:
        """Begin to compare with the first plane along the first axis, or with an array; or end."""
        state = self._model.state
        if state is None:
            return
        if not is_on:
            self._end()
            return
        settings = state.settings
        self._before = settings.contrast, settings.colour_map, settings.is_blended
        comparison = self._first(state)
        self.show()
        self._list(state)
        self._model.set(
            comparison=comparison, contrast=symmetric(comparison), colour_map=DIVERGING, is_blended=False
        )
        if self._model.state is not None and self._model.state.settings.comparison is None:
            self._fill()  # another array must be chosen first

    def _end(self) -> None:
        """Show the picture itself, as it was before."""
        self._is_on = False
        contrast, colour_map, is_blended = self._before or (Contrast(), "", False)
        self._before = None
        self._opening.forget()
        self._say("")
        self._button.setChecked(False)
        self.hide()
        self._model.set(
            comparison=None, other=None, contrast=contrast, colour_map=colour_map, is_blended=is_blended
        )

    def _say(self, text: str) -> None:
        self.words.setText(text)
        self.words.setVisible(bool(text))

    def _first(self, state: ImageState) -> Comparison | None:
        settings = replace(state.settings, is_blended=False)
        sliders = settings.sliders(state.image)
        return Comparison(axis=sliders[0]) if sliders else None

    def _lay_out(self) -> None:
        column, row = QVBoxLayout(self), QHBoxLayout()
        column.setContentsMargins(12, 6, 12, 6)
        column.setSpacing(4)
        row.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self.words)
        for operation in Operation:
            self.operation.addItem(f"{operation.formula}  {operation.value}", operation)
        name_box(self.operation, "how the planes are compared")
        self.operation.setToolTip("How the picture (a) is compared with the other plane (b)")
        name_box(self.target, "what the picture is compared with")
        self.target.setToolTip("What the picture is compared with: b")
        self.position.setToolTip("The index of the other plane, counted from 0")
        self.array.setEditable(True)
        self.array.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        name_box(self.array, "path of the other array")
        self.array.setToolTip(
            "The path of an array with planes of the same shape, or the address of one in another open source: ADDRESS#/PATH"
        )
        self.array.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for box in (self.operation, self.target, self.array):
            # In a narrow window, the boxes give way, not the tree.
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(7)
        row.addWidget(self.operation, 1)
        row.addWidget(label("b is"))
        row.addWidget(self.target, 1)
        row.addWidget(self.position)
        row.addWidget(self.array, 2)
        row.addWidget(self.place, 1)

    # Following the state

    def _follow(self, change: Change) -> None:
        state = self._model.state
        image = state.image if state is not None else None
        if image is not self._image:
            self._image, self._before, self._is_on = image, None, False
            self._opening.forget()
            self._listing.forget()
            with QSignalBlocker(self.array):
                self.array.clear()
            if state is not None and state.settings.comparison is not None:
                self._list(state)
            self._say("")
        if state is None or not change & (
            Change.DERIVATION | Change.AXES | Change.CHANNELS | Change.VALUES | Change.IMAGE
        ):
            return
        settings = state.settings
        may = settings.axes.channel is None and may_derive(state.image.base, settings.elements)
        self._button.setEnabled(may)
        if self._is_on and settings.comparison is None:
            self._end()  # its axis is in the picture now, or its elements are not numbers
            return
        self._is_on = settings.comparison is not None
        is_on = settings.comparison is not None or (
            self._button.isChecked() and may and not change & Change.IMAGE
        )
        self._button.setChecked(is_on)
        self.setVisible(is_on)
        if is_on:
            self._fill()
            self._open(state)

    def _fill(self) -> None:
        """Show the comparison in the controls."""
        state = self._model.state
        if state is None:
            return
        settings, one = state.settings, state.settings.comparison
        shown: Any = self._chosen()
        if one is not None:
            shown = _ARRAY if one.address else (one.axis, one.statistic)
            self.operation.setCurrentIndex(self.operation.findData(one.operation))
        self.target.clear()
        for axis in settings.sliders(state.image):
            name = settings.axes.names[axis]
            self.target.addItem(f"{name} at index", (axis, None))
            if settings.reduction is None or settings.reduction.axis == axis:
                self.target.addItem(f"mean along {name}", (axis, Statistic.MEAN))
        self.target.addItem("another array", _ARRAY)
        known = [self.target.itemData(row) for row in range(self.target.count())]
        self.target.setCurrentIndex(known.index(shown) if shown in known else len(known) - 1)
        if one is not None and not one.address:
            with QSignalBlocker(self.position):
                self.position.setMaximum(settings.axes.shape[one.axis] - 1)
                self.position.setValue(one.position)
        elif one is not None and self.array.currentText() != one.address:
            self.array.setEditText(one.address)
        self._show_fields()
        self._show_summary()

    def _chosen(self) -> Any:
        return self.target.currentData()

    def _show_fields(self) -> None:
        chosen = self._chosen()
        self.array.setVisible(chosen == _ARRAY)
        self.position.setVisible(chosen != _ARRAY and chosen is not None and chosen[1] is None)

    def _show_summary(self) -> None:
        """Say what is compared, or what differs."""
        state = self._model.state
        one = state.settings.comparison if state is not None else None
        if state is None or one is None:
            return
        if one.address:
            other = state.settings.other
            self.place.set_text("")
            if other is not None:
                self._say(" ".join(other.notes))
            return
        coordinate = self._coordinate_labels.coordinates.get(one.axis)
        self._say("")
        self.place.set_text("" if coordinate is None or one.statistic else coordinate.text(one.position))

    # Choosing

    def _choose_target(self) -> None:
        self._show_fields()
        self._say("")
        if self._chosen() != _ARRAY or self.array.currentText().strip():
            self._choose()
        else:
            self.array.setFocus()

    def _choose(self) -> None:
        """Compare as the controls say."""
        state, operation = self._model.state, self.operation.currentData()
        if operation is Operation.MASK:
            self._choose_mask()
        chosen = self._chosen()
        if state is None or chosen is None:
            return
        if chosen == _ARRAY:
            address = self.array.currentText().strip()
            if not address:
                return
            one = Comparison(operation, address=address)
        else:
            axis, statistic = chosen
            before = state.settings.comparison
            is_same = before is not None and not before.address and before.axis == axis
            one = Comparison(operation, axis, int(self.position.value()) if is_same else 0, statistic)
        changed: dict[str, Any] = {"comparison": one}
        earlier, other = state.settings.comparison, state.settings.other
        if earlier is None or earlier.operation is not operation:
            changed["contrast"] = symmetric(one)
        masked = [each is not None and each.operation is Operation.MASK for each in (earlier, one)]
        is_other_kind = masked[0] != masked[1]
        if is_other_kind:
            contrast, colour_map, _ = self._before or (Contrast(), "", False)
            is_mask = operation is Operation.MASK  # the numbers of the picture itself, in its colours
            changed["contrast"] = contrast if is_mask else symmetric(one)
            changed["colour_map"] = colour_map if is_mask else DIVERGING
        if other is not None and (other.address != one.address or is_other_kind):
            changed["other"] = None
        self._opening.forget()
        self._model.set(**changed)

    def _choose_mask(self) -> None:
        """Choose another array, for which the first mask beside the picture's array is offered."""
        self.target.setCurrentIndex(self.target.findData(_ARRAY))
        self._show_fields()
        offered = (self.array.itemText(row) for row in range(self.array.count()))
        mask = next((address for address in offered if address.endswith(MASK_NAME)), "")
        if not self.array.currentText().strip():
            self.array.setEditText(mask)
            if not mask:
                self.array.setFocus()

    # Other arrays

    def _list(self, state: ImageState) -> None:
        """Offer arrays whose planes may fit, and those that the user looked at."""
        axes, viewed = state.settings.axes, self.viewed()
        self._listing.ask(
            lambda _asked: candidates(state.image.path, (axes.height, axes.width), state.find),
            lambda found: self._offer([*found, *(one for one in viewed if one not in found)]),
            lambda error: self._offer(viewed) or _log.debug("cannot list arrays", exc_info=error),  # type: ignore[func-returns-value]
        )

    def _offer(self, addresses: list[str]) -> None:
        text = self.array.currentText()
        with QSignalBlocker(self.array):
            self.array.clear()
            self.array.addItems(addresses)
            self.array.setCurrentIndex(-1)
            self.array.setEditText(text)

    def _open(self, state: ImageState) -> None:
        """Open the other array of the comparison, if it is not open yet."""
        one, settings = state.settings.comparison, state.settings
        if one is None or not one.address or self._opening.busy:
            return
        if settings.other is not None and settings.other.address == one.address:
            return
        coordinates, image, axes = dict(self._coordinate_labels.found), state.image, settings.axes

        def work(_asked: object) -> OtherArray:
            path, find = self.locate(one.address)
            is_mask = one.operation is Operation.MASK
            return open_other(image, axes, one.address, find(path), find, coordinates, is_mask=is_mask)

        self._opening.ask(work, self._set_other, self._fail, f"Opening {one.address}")

    def _set_other(self, other: OtherArray) -> None:
        self._model.set(other=other)

    def _fail(self, error: Exception) -> None:
        """Show the picture itself, and why it cannot be compared."""
        self._is_on = False
        self._model.set(comparison=None, other=None)
        self._say(str(error) if isinstance(error, CannotCompareError) else sentence(error))


def _unknown(address: str) -> tuple[str, Find]:
    raise CannotCompareError(f"{address} is not open.")
