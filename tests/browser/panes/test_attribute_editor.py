"""The text of attributes: checked as it is typed."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.attribute_editor import AttributeEditor

pytestmark = pytest.mark.usefixtures("application")


@pytest.fixture
def editor(qtbot: QtBot) -> AttributeEditor:
    made = AttributeEditor()
    qtbot.addWidget(made)
    made.show()
    made.start({"a": 1})
    return made


def test_only_another_valid_text_can_be_saved(editor: AttributeEditor, qtbot: QtBot) -> None:
    assert not editor.save_button.isEnabled()
    editor.edit.setPlainText('{"a": 1.0}')
    assert not editor.save_button.isEnabled(), "not checked yet"
    qtbot.waitUntil(editor.save_button.isEnabled)
    editor.edit.setPlainText('{ "a" :1}')
    qtbot.waitUntil(lambda: editor.problem.isHidden())
    assert not editor.save_button.isEnabled(), "only spaces differ"
    editor.edit.setPlainText('{"a": }')
    qtbot.waitUntil(editor.problem.isVisible)
    assert editor.problem.text().startswith("Line 1, column 7: expected a value")


def test_a_text_is_saved_once(editor: AttributeEditor, qtbot: QtBot) -> None:
    editor.edit.setPlainText('{"a": 2}')
    qtbot.waitUntil(editor.save_button.isEnabled)
    with qtbot.waitSignal(editor.save_asked) as heard:
        editor.save_button.click()
    assert heard.args == [{"a": 1}, {"a": 2}]
    assert editor.edit.isReadOnly()
    assert not editor.save_button.isEnabled()
    editor.failed(None)
    assert not editor.edit.isReadOnly()
    assert editor.save_button.isEnabled()
    assert editor.found.isHidden()


def test_a_conflict_is_shown_and_then_replaced(editor: AttributeEditor, qtbot: QtBot) -> None:
    editor.edit.setPlainText('{"a": 2}')
    qtbot.waitUntil(editor.save_button.isEnabled)
    editor.save_button.click()
    editor.failed({"a": 3})
    assert editor.found.isVisible()
    assert editor.shown == {"a": 3}
    with qtbot.waitSignal(editor.save_asked) as heard:
        editor.save_button.click()
    assert heard.args == [{"a": 3}, {"a": 2}]
    editor.start({"a": 2})
    assert editor.found.isHidden()
