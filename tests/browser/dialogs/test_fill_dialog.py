"""The dialog that writes a value: what it would write, and why it cannot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

import zarrcore as zc
from tests.browser.editing.places import done, example
from zarrbrowser.dialogs.fill_dialog import FillDialog
from zarrbrowser.editing.cells import Target
from zarrbrowser.editing.opening import open_for_changes
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.workers import Workers
from zarrcore.conventions.cf import Packing


def dialog_of(target: Target, qtbot: QtBot) -> FillDialog:
    dialog = FillDialog(target)
    qtbot.addWidget(dialog)
    return dialog


def test_a_value_is_written_to_a_typed_selection(tmp_path: Path, workers: Workers, qtbot: QtBot) -> None:
    source = example(tmp_path)
    array = source.hierarchy.node("/scan/raw")
    dialog = dialog_of(Target(source, array, (slice(0, 2), slice(0, 2)), "The selected cells"), qtbot)
    assert dialog.selection.text() == "0:2, 0:2"
    assert dialog.selection.isReadOnly()
    assert dialog.note.text() == "4 elements in 1 chunk, can be undone"
    dialog.what.setCurrentIndex(1)
    dialog.value.setText("300000000000")
    assert "expected an integer from" in dialog.problem.text().lower()
    dialog.value.setText("6")
    for text, reason in (
        ("0:10, :, 3", "3 parts for 2 axes"),
        ("99", "99 is outside an axis of length 20"),
        ("5:5", "no elements"),
        ("x", "Expected a number, a range"),
    ):
        dialog.selection.setText(text)
        assert reason in dialog.problem.text()
        assert not dialog.write_button.isEnabled()
    dialog.selection.setText("-1, ::10")
    assert dialog.note.text() == "3 elements in 3 chunks, can be undone"
    with qtbot.waitSignal(dialog.asked) as heard:
        dialog.accept()
    done(heard.args[0])
    assert array.read((19, slice(None, None, 10))).tolist() == [6, 6, 6]
    assert array.read((18, 0)) == 540


def test_unpacked_values_are_asked_for_as_shown(tmp_path: Path, workers: Workers, qtbot: QtBot) -> None:
    source = example(tmp_path)
    array = source.hierarchy.node("/scan/raw")
    target = Target(source, array, (slice(0, 1), slice(0, 1)), "cells", unpacking=Packing(0.5))
    dialog = dialog_of(target, qtbot)
    dialog.value.setText("0.3")
    assert "in steps of 0.5" in dialog.problem.text()
    dialog.value.setText("2.5")
    with qtbot.waitSignal(dialog.asked) as heard:
        dialog.accept()
    done(heard.args[0])
    assert array.read((0, 0)) == 5


def test_too_many_elements_for_one_field(tmp_path: Path, workers: Workers, qtbot: QtBot) -> None:
    dtype = np.dtype([("a", "i4"), ("b", "f8")])
    with zc.create(tmp_path / "a.zarr") as made:
        made.create_array("x", shape=(10**9,), dtype=dtype, chunks=(10**6,))
    source = open_for_changes(SourceRequest(str(tmp_path / "a.zarr")))
    dialog = dialog_of(Target(source, source.hierarchy.node("/x"), (slice(None),), "cells", "a"), qtbot)
    dialog.value.setText("1")
    assert "select fewer" in dialog.problem.text()
    whole = dialog_of(Target(source, source.hierarchy.node("/x"), (slice(None),), "cells"), qtbot)
    whole.value.setText("1")
    assert "several values" in whole.problem.text()
