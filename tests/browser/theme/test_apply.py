"""Colours of the application: chosen, or those of the system."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.window.examples import example
from zarrbrowser.theme import DARK, LIGHT, Appearance, apply, apply_theme, current_colours


def test_the_system_s_colours_are_followed_while_running(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(example())
    monkeypatch.setattr(apply, "_colours_for", lambda _application, _appearance: DARK)
    window.view.appearance.follow_system()
    assert current_colours() is DARK
    monkeypatch.undo()
    monkeypatch.setattr(window.settings, "appearance", lambda: Appearance.DARK)
    window.view.appearance.follow_system()
    assert current_colours() is DARK, "the user's own are kept"
    window.view.appearance.choose(Appearance.LIGHT)


@pytest.fixture
def _light_again(application: QApplication) -> Iterator[None]:
    yield
    apply_theme(application, Appearance.LIGHT)


@pytest.mark.usefixtures("_light_again")
@pytest.mark.parametrize("appearance", [Appearance.DARK, Appearance.LIGHT])
def test_an_appearance_applies_to_widgets_that_exist(
    appearance: Appearance, application: QApplication, qtbot: QtBot
) -> None:
    button = QPushButton("Open")
    qtbot.addWidget(button)
    colours = apply_theme(application, appearance)
    assert colours is current_colours() is (DARK if appearance is Appearance.DARK else LIGHT)
    assert application.palette().color(QPalette.ColorRole.Window).name() == colours.window
    button.ensurePolished()
    assert button.palette().color(QPalette.ColorRole.ButtonText).name() == colours.text


@pytest.mark.usefixtures("_light_again")
def test_the_same_appearance_again_changes_nothing(application: QApplication, qtbot: QtBot) -> None:
    apply_theme(application, Appearance.DARK)
    window = QWidget()
    qtbot.addWidget(window)
    window.setStyleSheet("QLabel { color: red }")
    apply_theme(application, Appearance.DARK)
    assert window.styleSheet() == "QLabel { color: red }"
