"""The panel of colours of two images beside each other: one place outside the pair, with the colours of one image at a time."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from zarrbrowser.panes.image.image_body import ImageBody


class SharedColours(QWidget):
    """Holds the panels of two images, and shows that of the image which last had the keys, or was chosen above the panel.

    If only one of the two has colours to choose, its panel is shown.
    """

    def __init__(self, first: ImageBody, second: ImageBody, parent: QWidget) -> None:
        super().__init__(parent)
        self._bodies = first, second
        self._current = 0
        self.choice = QFrame()
        self.choice.setProperty("role", "side")
        self.buttons = (
            _button("First", "Colours of the first image"),
            _button("Second", "Colours of the second image"),
        )
        group, row = QButtonGroup(self), QHBoxLayout(self.choice)
        row.setContentsMargins(8, 6, 8, 0)
        row.setSpacing(4)
        for number, button in enumerate(self.buttons):
            group.addButton(button, number)
            row.addWidget(button, 1)
        group.idClicked.connect(self.show_colours)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.choice)
        for body in self._bodies:
            body.controls.be_one_of_two(is_on=True)
            column.addWidget(body.lend_colours(self.update_panels), 1)
        self.setTabOrder(self.buttons[1], first.contrast)
        self.setTabOrder(first.contrast, second.contrast)
        first.controls.colours.toggled.connect(second.controls.colours.setChecked)
        second.controls.colours.toggled.connect(first.controls.colours.setChecked)
        QApplication.instance().focusChanged.connect(self._follow_keys)  # type: ignore[union-attr]
        self.update_panels()

    def forget(self) -> None:
        """Give the panels back."""
        QApplication.instance().focusChanged.disconnect(self._follow_keys)  # type: ignore[union-attr]
        first, second = self._bodies
        first.controls.colours.toggled.disconnect(second.controls.colours.setChecked)
        for body in self._bodies:
            body.controls.be_one_of_two(is_on=False)
            body.take_colours_back()

    def show_colours(self, number: int) -> None:
        """Show the colours of the first image (0) or of the second one (1)."""
        self._current = number
        self.update_panels()

    def update_panels(self) -> None:
        """Show the panel that applies; none while neither image has colours, or the user has hidden them."""
        toggles = [body.controls.colours for body in self._bodies]
        is_wanted = all(toggle.isChecked() for toggle in toggles)  # one of them is switched first
        offered = [is_wanted and toggle.isEnabled() for toggle in toggles]
        shown = self._current if offered[self._current] or not any(offered) else 1 - self._current
        keys = QApplication.focusWidget()
        for number, body in enumerate(self._bodies):
            is_left = number != shown or not offered[number]
            if is_left and keys is not None and body.contrast.isAncestorOf(keys):
                # Else Qt would choose what gets the keys, which may be in the other image.
                self._bodies[shown].view.canvas.setFocus()
        for number, (body, button) in enumerate(zip(self._bodies, self.buttons, strict=True)):
            body.contrast.setVisible(number == shown and offered[number])
            button.setChecked(number == shown)
            button.setEnabled(offered[number])
        self.setVisible(any(offered))

    def _follow_keys(self, _before: QWidget | None, now: QWidget | None) -> None:
        for number, body in enumerate(self._bodies):
            if now is not None and body.isAncestorOf(now):
                self.show_colours(number)


def _button(text: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setCheckable(True)
    button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return button
