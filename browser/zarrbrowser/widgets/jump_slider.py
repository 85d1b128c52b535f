"""A slider that jumps to the place where it is clicked."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider


class JumpSlider(QSlider):
    """A horizontal slider; a click beside its handle brings the handle there, where it can be dragged on."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if event.button() is Qt.MouseButton.LeftButton and not self._part(self._handle()).contains(
            event.position().toPoint()
        ):
            self.setValue(self._value_at(event.position().x()))
        super().mousePressEvent(event)  # the handle is under the pointer now, and is dragged

    def _value_at(self, x: float) -> int:
        """The value whose handle has its middle at a position."""
        groove, handle = self._part(QStyle.SubControl.SC_SliderGroove), self._part(self._handle())
        start = round(x) - groove.x() - handle.width() // 2
        return QStyle.sliderValueFromPosition(
            self.minimum(), self.maximum(), start, groove.width() - handle.width(), self._option().upsideDown
        )

    def _part(self, part: QStyle.SubControl) -> QRect:
        return self.style().subControlRect(QStyle.ComplexControl.CC_Slider, self._option(), part, self)

    def _option(self) -> QStyleOptionSlider:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        return option

    @staticmethod
    def _handle() -> QStyle.SubControl:
        return QStyle.SubControl.SC_SliderHandle
