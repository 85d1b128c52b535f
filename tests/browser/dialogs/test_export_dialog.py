"""The dialog that asks what to export: what the file would hold, and why it cannot be written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

import zarrcore as zc
from zarrbrowser.dialogs.export_dialog import ExportDialog
from zarrbrowser.export.viewed_array import ViewedArray
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.displayed_slice import DisplayedChannel, DisplayedSlice, ImageInfo
from zarrbrowser.image.levels import Channel
from zarrbrowser.values.elements import Elements
from zarrcore.conventions.cf import Packing

ALL = slice(None)

pytestmark = pytest.mark.usefixtures("application")


@pytest.fixture
def array(tmp_path: Path) -> Any:
    """A volume of three axes."""
    return zc.create(tmp_path / "a.zarr").create_array(
        "volume",
        shape=(3, 20, 30),
        dtype="int16",
        chunks=(1, 20, 30),
        dimension_names=("c", "y", "x"),
    )


def displayed(array: Any, level: int = 0, on: tuple[int, ...] = ()) -> DisplayedSlice:
    """The plane at position 1; with channels, their blend."""
    axes = Axes.initial(array).at(0, 1)
    plane = (slice(0, 3) if on else 1, slice(0, array.shape[1]), slice(0, array.shape[2]))
    channels = tuple(DisplayedChannel(Channel("", (1, 1, 1)), position, (0.0, 1.0)) for position in on)
    return DisplayedSlice(
        array,
        array.path,
        level,
        axes,
        plane,
        (*plane[:2], slice(10, 20)),
        channel_axis=0 if on else None,
        channels=channels,
        image=ImageInfo("cells", 2, 0, ("DAPI", "GFP", "RFP")) if on else None,
    )


def dialog_of(viewed: ViewedArray, qtbot: QtBot, suffix: str = "") -> ExportDialog:
    dialog = ExportDialog(viewed)
    qtbot.addWidget(dialog)
    if suffix:
        dialog.suffix.setCurrentIndex(dialog.suffix.findData(suffix))
    return dialog


def choices(box: Any) -> list[str]:
    return [box.itemText(row) for row in range(box.count())]


def asked(dialog: ExportDialog, qtbot: QtBot) -> list[Any]:
    with qtbot.waitSignal(dialog.asked) as heard:
        dialog.accept()
    return heard.args


def test_the_part_in_view_or_the_whole_plane_is_exported(array: Any, qtbot: QtBot) -> None:
    viewed = ViewedArray.of(displayed(array))
    dialog = dialog_of(viewed, qtbot, "npy")
    assert choices(dialog.what) == ["The part in view", "The whole plane", "Another selection"]
    assert dialog.selection.text() == "1, :, 10:20"
    assert dialog.selection.isReadOnly()
    assert dialog.note.text() == "20 × 10 · 200 elements · 400 bytes"
    dialog.what.setCurrentIndex(1)
    assert asked(dialog, qtbot) == [viewed, (1, ALL, ALL), "npy"]


def test_a_table_has_no_picture_to_export(array: Any, qtbot: QtBot) -> None:
    dialog = dialog_of(ViewedArray.whole(array), qtbot)
    assert dialog.suffix.findData("png") == -1
    assert choices(dialog.what) == ["The whole array", "Another selection"]
    assert (dialog.level.count(), dialog.channels.count()) == (0, 0)
    pictured = dialog_of(ViewedArray.of(displayed(array)), qtbot)
    assert pictured.suffix.findData("png") >= 0


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        ("-1, ..., 4:9", (2, ALL, slice(4, 9))),
        ("2", (2, ALL, ALL)),
        ("y=5, x=-30", (ALL, 5, 0)),
        ("...", (ALL, ALL, ALL)),
        (":, ::3, 0", (ALL, slice(None, None, 3), 0)),
    ],
)
def test_a_typed_selection_is_completed(
    text: str, selection: tuple[Any, ...], array: Any, qtbot: QtBot
) -> None:
    dialog = dialog_of(ViewedArray.of(displayed(array)), qtbot, "npy")
    dialog.what.setCurrentText("Another selection")
    dialog.selection.setText(text)
    assert asked(dialog, qtbot)[1] == selection


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("3, :, :", "3 is outside an axis of length 3."),
        ("-4, :, :", "-4 is outside an axis of length 3."),
        ("0, 0, 0, 0", "4 parts for 3 axes."),
        ("nonsense", "nonsense"),
    ],
)
def test_a_selection_that_does_not_fit_is_explained(
    text: str, problem: str, array: Any, qtbot: QtBot
) -> None:
    dialog = dialog_of(ViewedArray.of(displayed(array)), qtbot, "npy")
    dialog.what.setCurrentText("Another selection")
    dialog.selection.setText(text)
    assert problem in dialog.problem.text()
    assert (dialog.save_button.isEnabled(), dialog.note.text()) == (False, "")
    with qtbot.assertNotEmitted(dialog.asked):
        dialog.accept()
    dialog.selection.setText("0")
    assert (dialog.save_button.isEnabled(), dialog.problem.isHidden()) == (True, True)


def test_a_selection_that_a_file_type_cannot_hold_is_explained(array: Any, qtbot: QtBot) -> None:
    dialog = dialog_of(ViewedArray.of(displayed(array)), qtbot, "csv")
    assert dialog.save_button.isEnabled()
    dialog.what.setCurrentText("Another selection")
    dialog.selection.setText("...")
    assert "at most two axes" in dialog.problem.text()
    assert not dialog.save_button.isEnabled()
    dialog.suffix.setCurrentIndex(dialog.suffix.findData("npy"))
    assert dialog.save_button.isEnabled()


def test_one_channel_of_a_blend_can_be_exported(array: Any, qtbot: QtBot) -> None:
    viewed = ViewedArray.of(displayed(array, on=(0, 2)))
    dialog = dialog_of(viewed, qtbot, "png")
    assert choices(dialog.channels) == ["All visible", "DAPI", "GFP", "RFP"]
    dialog.what.setCurrentText("The whole plane")
    dialog.channels.setCurrentText("RFP")
    assert dialog.selection.text() == "2, :, :"
    dialog.channels.setCurrentText("GFP")
    assert "switch this one on" in dialog.problem.text()
    dialog.suffix.setCurrentIndex(dialog.suffix.findData("tiff"))
    assert asked(dialog, qtbot) == [viewed, (1, ALL, ALL), "tiff"]


def test_another_level_has_its_own_plane(array: Any, qtbot: QtBot, tmp_path: Path) -> None:
    coarse = zc.open_hierarchy(tmp_path / "a.zarr", mode="r+").create_array(
        "coarse",
        shape=(3, 10, 15),
        dtype="int16",
        chunks=(1, 10, 15),
        dimension_names=("c", "y", "x"),
    )
    viewed = ViewedArray.of_levels([displayed(array), displayed(coarse, 1)])
    dialog = dialog_of(viewed, qtbot, "npy")
    dialog.what.setCurrentText("The whole plane")
    assert choices(dialog.level) == ["Level 0: 3 × 20 × 30", "Level 1: 3 × 10 × 15"]
    dialog.level.setCurrentIndex(1)
    assert dialog.note.text().startswith("10 × 15")
    assert asked(dialog, qtbot)[0] is viewed.levels[1]


def test_whether_numbers_are_unpacked_is_said(array: Any, qtbot: QtBot) -> None:
    viewed = replace(ViewedArray.of(displayed(array)), packing=Packing(0.5))
    for suffix, note in (("npy", "as stored, not unpacked"), ("csv", "unpacked")):
        assert dialog_of(viewed, qtbot, suffix).note.text().endswith(f" · {note}")
    assert "packed" not in dialog_of(viewed, qtbot, "png").note.text()


def test_a_line_is_exported_as_all_of_its_elements(tmp_path: Path, qtbot: QtBot) -> None:
    line = zc.create(tmp_path / "line.zarr").create_array("line", shape=(0,), dtype="float64", chunks=(1,))
    dialog = dialog_of(ViewedArray.whole(line), qtbot, "npy")
    assert choices(dialog.what) == ["All elements", "Another selection"]
    assert dialog.note.text() == "0 · 0 elements · 0 bytes"
    assert asked(dialog, qtbot)[1] == (ALL,)


def test_whether_numbers_are_masked_is_said(array: Any, qtbot: QtBot) -> None:
    viewed = ViewedArray.of(replace(displayed(array), elements=Elements(masks_largest=True)))
    for suffix, note in (("npy", "32,767 as stored, not masked"), ("png", "32,767 masked")):
        assert dialog_of(viewed, qtbot, suffix).note.text().endswith(f" · {note}")


def test_a_selection_names_the_axes_that_the_picture_names(tmp_path: Path, qtbot: QtBot) -> None:
    """An array of Zarr v2 has no names of dimensions; its image gives them to the picture."""
    level = zc.create(tmp_path / "v2.zarr", format="v2").create_array("0", shape=(3, 20, 30), dtype="int16")
    assert level.dimension_names is None
    shown = displayed(level)
    shown = replace(shown, axes=replace(shown.axes, names=("c", "y", "x")))
    dialog = dialog_of(ViewedArray.of(shown), qtbot, "npy")
    dialog.what.setCurrentText("Another selection")
    dialog.selection.setText("c=2,x=3:9")
    assert asked(dialog, qtbot)[1] == (2, ALL, slice(3, 9))
