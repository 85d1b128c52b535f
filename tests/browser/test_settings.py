"""Saved settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray

from zarrbrowser.settings import Settings
from zarrbrowser.theme import Appearance

pytestmark = pytest.mark.usefixtures("own_settings", "application")


def test_settings_are_saved_but_not_when_fresh() -> None:
    first = Settings()
    first.keep("recent", ["one"])
    first.keep("appearance", "dark")
    first.flush()
    again = Settings()
    assert again.texts("recent") == ["one"]
    assert again.appearance() is Appearance.DARK
    assert Settings(fresh=True).texts("recent") == []


def test_fresh_settings_leave_the_saved_ones_alone(own_settings: Path) -> None:
    saved = Settings()
    saved.keep("appearance", "light")
    saved.flush()
    before = {path: path.read_bytes() for path in own_settings.rglob("*") if path.is_file()}
    fresh = Settings(fresh=True)
    fresh.keep("appearance", "dark")
    fresh.flush()
    assert fresh.appearance() is Appearance.SYSTEM
    assert before
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("texts", [[], ["one"], ["one", "two"], ["naïve, 細", 'a "b"\n[c]', "%20"]])
def test_lists_of_any_length_and_letters_are_read_back(texts: list[str]) -> None:
    saved = Settings()
    saved.keep("recent", texts)
    saved.flush()
    assert Settings().texts("recent") == texts


def test_the_state_of_a_widget_is_read_back_byte_for_byte() -> None:
    state = QByteArray(bytes(range(256)))
    saved = Settings()
    saved.keep("geometry", state)
    saved.flush()
    assert Settings().data("geometry") == state
    assert Settings().data("none").isEmpty()


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ('{"a": [1, null]}', {"a": [1, None]}),
        ("[1]", {}),
        ("{", {}),
        ("", {}),
        ("null", {}),
        ("NaN", {}),
        ("[" * 100_000, {}),
    ],
    ids=lambda text: str(text)[:30],
)
def test_a_document_that_is_not_an_object_is_empty(text: str, document: dict[str, object]) -> None:
    saved = Settings()
    saved.keep("view", text)
    assert saved.document("view") == document


def test_a_value_of_another_kind_is_the_default() -> None:
    saved = Settings()
    saved.keep("list", ["one", "two"])
    saved.keep("bytes", QByteArray(b"x"))
    saved.keep("appearance", "sepia")
    assert saved.text("list", "default") == "default"
    assert saved.texts("bytes") == []
    assert saved.data("list").isEmpty()
    assert saved.document("missing") == {}
    assert saved.appearance() is Appearance.SYSTEM


def test_folders_are_those_of_the_user_but_not_when_fresh(own_settings: Path) -> None:
    assert Settings().folder == own_settings / "zarrscope"
    assert Settings().cache_folder == own_settings / "cache" / "zarrscope"
    assert Settings(fresh=True).folder is None
    assert Settings(fresh=True).cache_folder is None
