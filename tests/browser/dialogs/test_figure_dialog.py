"""The dialog for figures: its choices, their limits, and the preview."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.browser.drawing.figures import figure
from zarrbrowser.dialogs.figure_dialog import FigureDialog
from zarrbrowser.export.figures.choices import FigureChoices
from zarrbrowser.export.figures.figure import FigureOptions

pytestmark = pytest.mark.usefixtures("application")


@pytest.fixture
def dialog(qtbot: QtBot) -> FigureDialog:
    made = FigureDialog(figure(), FigureChoices(FigureOptions(100.0, 80.0, 150), "svg", "mm"))
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_choices_are_those_of_the_controls(dialog: FigureDialog) -> None:
    dialog.width_.setValue(90)
    dialog.boxes["has_axes"].setChecked(False)
    dialog.title.setText("A title")
    chosen = dialog.choices()
    assert chosen.suffix == "svg"
    assert chosen.options == FigureOptions(90.0, 80.0, 150, title="A title", has_axes=False)
    dialog.boxes["has_title"].setChecked(False)
    assert dialog.choices().options.title == ""


class Windows(QObject):
    """Notes each window that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(type(watched).__name__)
        return False


def test_its_controls_are_not_shown_as_windows(qapp: QApplication, request: pytest.FixtureRequest) -> None:
    windows = Windows()
    qapp.installEventFilter(windows)
    dialog = request.getfixturevalue("dialog")
    qapp.removeEventFilter(windows)
    assert windows.shown == ["FigureDialog"]
    assert dialog.boxes["has_title"].isVisible()


def test_the_dialog_fits_a_small_screen(dialog: FigureDialog) -> None:
    assert dialog.minimumSizeHint().width() <= 683  # half of 1366, at twice the scale
    assert dialog.preview.sizeHint().width() == 430


def test_another_unit_keeps_the_size(dialog: FigureDialog) -> None:
    dialog.unit.setCurrentText("inches")
    assert dialog.width_.value() == pytest.approx(3.94)
    assert dialog.choices().options.width_mm == pytest.approx(100, abs=0.2)
    dialog.unit.setCurrentText("mm")
    assert dialog.width_.value() == pytest.approx(100, abs=0.2)


def test_too_many_pixels_are_refused_in_a_sentence(dialog: FigureDialog, qtbot: QtBot) -> None:
    dialog.width_.setValue(2000)
    dialog.dpi.setValue(2400)
    qtbot.waitUntil(lambda: not dialog.save_button.isEnabled())
    assert dialog.problem.isVisible()
    assert "too many" in dialog.problem.text()
    heard: list[object] = []
    dialog.export_asked.connect(heard.append)
    dialog.accept()
    assert dialog.isVisible()
    assert heard == []
    dialog.dpi.setValue(72)
    qtbot.waitUntil(dialog.save_button.isEnabled)
    assert not dialog.problem.isVisible()


def test_the_preview_follows_the_choices(dialog: FigureDialog, qtbot: QtBot) -> None:
    def has(colour: tuple[int, int, int]) -> bool:
        """Whether a pixel is nearly of a colour."""
        image = dialog.preview.grab().toImage().convertToFormat(QImage.Format.Format_RGBA8888)
        pixels = np.frombuffer(image.constBits(), np.uint8).reshape(-1, 4)[:, :3]
        return bool((np.abs(pixels.astype(int) - colour) < 24).all(axis=1).any())

    assert has((255, 0, 0))
    yellow = (253, 231, 36)
    assert has(yellow), "the end of the colour bar"
    dialog.boxes["has_colour_bar"].setChecked(False)
    qtbot.waitUntil(lambda: not has(yellow))


def test_the_keyboard_is_enough(dialog: FigureDialog, qtbot: QtBot) -> None:
    assert dialog.title.hasFocus() or dialog.focusWidget() is dialog.title
    with qtbot.waitSignal(dialog.export_asked) as asked:
        QTest.keyClick(dialog.title, Qt.Key.Key_Return)
    assert asked.args[0].suffix == "svg"
    assert not dialog.isVisible()


def test_copying_and_printing_leave_the_dialog_open(dialog: FigureDialog, qtbot: QtBot) -> None:
    for button, signal in (
        (dialog.copy_button, dialog.copy_asked),
        (dialog.print_button, dialog.print_asked),
    ):
        with qtbot.waitSignal(signal):
            button.click()
        assert dialog.isVisible()
