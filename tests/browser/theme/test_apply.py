"""Colours of the application: chosen, or those of the system."""

from __future__ import annotations

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.window.examples import example
from zarrbrowser.theme import DARK, Appearance, apply, current_colours


def test_the_system_s_colours_are_followed_while_running(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(example())
    monkeypatch.setattr(apply, "_colours_for", lambda _application, _appearance: DARK)
    window.follow_system()
    assert current_colours() is DARK
    monkeypatch.undo()
    monkeypatch.setattr(window.settings, "appearance", lambda: Appearance.DARK)
    window.follow_system()
    assert current_colours() is DARK, "the user's own are kept"
    window.set_appearance(Appearance.LIGHT)
