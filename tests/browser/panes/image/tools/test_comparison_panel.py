"""The picture compared with other planes, in the real window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import zarr
from pytestqt.qtbot import QtBot
from rasterio.transform import from_origin

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.pictures import VOLUME, pane_of, picture
from zarrbrowser.image.calculations.comparison import Comparison, Operation
from zarrbrowser.image.calculations.reduction import Statistic
from zarrbrowser.image.colours.colour_maps import DIVERGING
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.image.tools.comparison_panel import ComparisonPanel
from zarrbrowser.window.main_window import MainWindow

OTHER = np.random.default_rng(8).normal(size=(30, 40)).astype(np.float32)


def root() -> FakeGroup:
    return FakeGroup(
        {
            "array": FakeArray(VOLUME, ("z", "y", "x")),
            "other": FakeArray(OTHER, ("y", "x")),
            "small": FakeArray(OTHER[:5], ("y", "x")),
        }
    )


@pytest.fixture
def pane(open_window: OpenWindow, qtbot: QtBot) -> ImagePane:
    found = pane_of(open_window(root(), "/array"), qtbot)
    qtbot.waitUntil(lambda: found.view.is_complete)
    return found


def panel_of(pane: ImagePane) -> ComparisonPanel:
    return pane.body.tools.comparison


def target(pane: ImagePane, text: str) -> None:
    """Choose what to compare with."""
    box = panel_of(pane).target
    box.setCurrentIndex(box.findText(text))
    box.activated.emit(box.currentIndex())


def name(pane: ImagePane, address: str) -> None:
    """Type the address of another array."""
    target(pane, "another array")
    line = panel_of(pane).array.lineEdit()
    assert line is not None
    line.setText(address)
    line.returnPressed.emit()


def shows(pane: ImagePane, expected: Any) -> bool:
    found = pane.view.mosaics[0].values if pane.view.is_complete else None
    return found is not None and found.dtype == np.float64 and np.allclose(found, expected, atol=1e-6)


def settings(pane: ImagePane) -> Any:
    assert pane.model.state is not None
    return pane.model.state.settings


def test_the_button_compares_with_the_first_plane(pane: ImagePane, qtbot: QtBot) -> None:
    pane.model.set(contrast=Contrast(ContrastMode.FIXED, 0.0, 2.0))
    pane.body.controls.compare.click()
    volume = VOLUME.astype(np.float64)
    qtbot.waitUntil(lambda: shows(pane, volume[4] - volume[0]))
    assert panel_of(pane).isVisible()
    assert settings(pane).colour_map == DIVERGING
    low, high = pane.view.picture_style().levels
    assert low == -high
    panel_of(pane).position.setValue(2)
    qtbot.waitUntil(lambda: shows(pane, volume[4] - volume[2]))
    pane.body.sliders.spins[0].setValue(6)
    qtbot.waitUntil(lambda: shows(pane, volume[6] - volume[2]))
    pane.body.controls.compare.click()
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.view.mosaics[0].values.dtype == VOLUME.dtype)
    assert (picture(pane) == VOLUME[6]).all()
    assert settings(pane).contrast == Contrast(ContrastMode.FIXED, 0.0, 2.0)
    assert settings(pane).colour_map == ""
    assert not panel_of(pane).isVisible()


def test_ratios_are_drawn_around_one(pane: ImagePane, qtbot: QtBot) -> None:
    pane.body.controls.compare.click()
    target(pane, "mean along z")
    panel_of(pane).operation.setCurrentIndex(1)
    panel_of(pane).operation.activated.emit(1)
    volume = VOLUME.astype(np.float64)
    qtbot.waitUntil(lambda: shows(pane, volume[4] / volume.mean(axis=0)))
    low, high = pane.view.picture_style().levels
    assert (low + high) / 2 == pytest.approx(1.0)
    assert settings(pane).comparison == Comparison(Operation.RATIO, 0, 0, Statistic.MEAN)
    pane.body.contrast.mode.setCurrentText("Full range")
    pane.body.contrast.mode.activated.emit(0)
    pane.body.contrast.mode.setCurrentText("Symmetric")
    pane.body.contrast.mode.activated.emit(0)
    low, high = pane.view.picture_style().levels
    assert (low + high) / 2 == pytest.approx(1.0)
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((3.0, 4.0))
    value = volume[4, 3, 4] / volume.mean(axis=0)[3, 4]
    assert heard.args[0] == f"y = 3, x = 4:  {float(f'{value:.10g}')}", "a ratio has no unit"


def test_another_array_is_compared(pane: ImagePane, qtbot: QtBot) -> None:
    pane.body.controls.compare.click()
    qtbot.waitUntil(lambda: panel_of(pane).array.count() == 1)
    assert panel_of(pane).array.itemText(0) == "/other"
    name(pane, "/other")
    qtbot.waitUntil(lambda: shows(pane, VOLUME[4].astype(np.float64) - OTHER))
    pane.body.sliders.spins[0].setValue(1)
    qtbot.waitUntil(lambda: shows(pane, VOLUME[1].astype(np.float64) - OTHER))


def test_what_cannot_be_compared_is_said_in_a_sentence(pane: ImagePane, qtbot: QtBot) -> None:
    for address, why in (
        ("/small", "The planes of /small are 5 × 40, those of the picture 30 × 40."),
        ("/none", "No node /none in fake.zarr."),
        ("elsewhere.zarr#/a", "elsewhere.zarr is not open."),
        ("/", "/ is not an array."),
    ):
        pane.body.controls.compare.click()
        name(pane, address)
        qtbot.waitUntil(lambda why=why: panel_of(pane).words.text() == why)
        assert settings(pane).comparison is None
        qtbot.waitUntil(lambda: pane.view.is_complete and pane.view.mosaics[0].values.dtype == VOLUME.dtype)
        pane.body.controls.compare.click()
        assert not panel_of(pane).isVisible()


def test_an_array_of_another_source_is_compared(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    for number in (1, 2):
        group = zarr.create_group(tmp_path / f"{number}.zarr")
        group.create_array("v", data=VOLUME[number], dimension_names=("y", "x"))
    for number in (2, 1):
        window.open_text(f"{tmp_path}/{number}.zarr#/v")
        qtbot.waitUntil(lambda number=number: len(window.session.sources) == 3 - number)
        pane = pane_of(window, qtbot)
        qtbot.waitUntil(lambda pane=pane: pane.view.is_complete and pane.model.state is not None)
    pane = pane_of(window, qtbot)
    pane.body.controls.compare.click()
    qtbot.waitUntil(lambda: panel_of(pane).array.count() == 1)
    address = panel_of(pane).array.itemText(0)
    assert address.endswith("2.zarr#/v")
    name(pane, address)
    qtbot.waitUntil(lambda: shows(pane, VOLUME[1].astype(np.float64) - VOLUME[2]))


def test_an_axis_in_the_picture_ends_the_comparison(pane: ImagePane, qtbot: QtBot) -> None:
    pane.body.controls.compare.click()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    pane.model.set(axes=settings(pane).axes.with_rows(0))
    assert settings(pane).comparison is None
    assert settings(pane).contrast == Contrast()
    assert not panel_of(pane).isVisible()
    assert not pane.body.controls.compare.isChecked()


def test_the_comparison_is_restored_also_with_another_array(pane: ImagePane, qtbot: QtBot) -> None:
    pane.body.controls.compare.click()
    name(pane, "/other")
    expected = VOLUME[4].astype(np.float64) - OTHER
    qtbot.waitUntil(lambda: shows(pane, expected))
    document = pane.view_state()
    pane.body.controls.compare.click()
    qtbot.waitUntil(lambda: not panel_of(pane).isVisible())
    pane.restore(document)
    qtbot.waitUntil(lambda: shows(pane, expected))
    assert panel_of(pane).isVisible()
    assert panel_of(pane).array.currentText() == "/other"


def test_a_plane_without_further_axes_waits_for_an_array(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(root(), "/other"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    pane.body.controls.compare.click()
    assert panel_of(pane).isVisible()
    assert panel_of(pane).target.count() == 1
    assert settings(pane).comparison is None
    name(pane, "/array")
    qtbot.waitUntil(lambda: shows(pane, OTHER.astype(np.float64) - VOLUME[4]))


def test_dates_cannot_be_compared(open_window: OpenWindow, qtbot: QtBot) -> None:
    group = FakeGroup({"array": FakeArray(np.zeros((2, 3, 4), "M8[s]"))})
    pane = pane_of(open_window(group, "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert not pane.body.controls.compare.isEnabled()


def test_there_are_no_statistics_along_two_axes(open_window: OpenWindow, qtbot: QtBot) -> None:
    group = FakeGroup({"array": FakeArray(np.stack([VOLUME, VOLUME * 2]), ("t", "z", "y", "x"))})
    pane = pane_of(open_window(group, "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    pane.body.controls.compare.click()
    target(pane, "mean along z")
    assert settings(pane).comparison.statistic is Statistic.MEAN
    pane.body.sliders.reduced.emit(0, Statistic.SUM)
    assert settings(pane).comparison is None
    pane.body.controls.compare.click()
    box = panel_of(pane).target
    texts = [box.itemText(row) for row in range(box.count())]
    assert texts == ["t at index", "mean along t", "z at index", "another array"]


def test_a_mask_beside_the_array_is_offered_and_left_out_of_the_contrast(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    counts = np.arange(3 * 20 * 30, dtype="u4").reshape(3, 20, 30)
    counts[:, 4, 5] = 10**9
    mask = np.zeros((20, 30), "u4")
    mask[4, 5], mask[6, 7] = 16, 1 << 31  # a noisy pixel; a virtual one, which counts
    children = {"data": FakeArray(counts), "a": FakeArray(mask * 0), "pixel_mask": FakeArray(mask)}
    pane = pane_of(open_window(FakeGroup(children), "/data"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert pane.model.state is not None
    before = pane.model.state.settings
    panel = panel_of(pane)
    panel.turn(is_on=True)
    qtbot.waitUntil(lambda: panel.array.count() == 2)
    assert panel.array.itemText(0) == "/pixel_mask"
    panel.operation.setCurrentIndex(panel.operation.findData(Operation.MASK))
    panel.operation.activated.emit(panel.operation.currentIndex())
    qtbot.waitUntil(lambda: pane.model.state is not None and pane.model.state.settings.other is not None)
    qtbot.waitUntil(lambda: pane.view.is_complete and np.isnan(picture(pane)).sum() == 1)
    assert np.isnan(picture(pane)[4, 5])
    qtbot.waitUntil(
        lambda: pane.model.measured is not None and pane.model.measured.statistics[0].maximum < counts.size
    )
    settings = pane.model.state.settings
    assert (settings.contrast, settings.colour_map) == (before.contrast, before.colour_map)
    assert settings.compared_with == "masked by /pixel_mask"
    assert not panel.words.text().startswith("The ")
    panel.operation.setCurrentIndex(panel.operation.findData(Operation.DIFFERENCE))
    panel.operation.activated.emit(panel.operation.currentIndex())
    assert pane.model.state.settings.colour_map == DIVERGING


@pytest.mark.parametrize("path", ["/", "/0"], ids=["image", "level"])
def test_the_mask_of_a_tiff_image_hides_what_gdal_hides(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, path: str
) -> None:
    counts = np.arange(1, 601, dtype="u2").reshape(20, 30)
    form = {"driver": "GTiff", "width": 30, "height": 20, "count": 1, "dtype": "uint16"}
    place = {"crs": "EPSG:32633", "transform": from_origin(500_000, 0, 3, 3)}
    with (
        rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True),
        rasterio.open(tmp_path / "a.tif", "w", **form, **place) as file,
    ):
        file.write(counts, 1)
        file.write_mask(np.tri(20, 30, dtype=bool))
    with rasterio.open(tmp_path / "a.tif") as file:
        expected = np.where(file.dataset_mask(), counts, np.nan)
    window.open_text(f"{tmp_path}/a.tif#{path}")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.model.state is not None)
    panel = panel_of(pane)
    panel.turn(is_on=True)
    qtbot.waitUntil(lambda: panel.array.count() > 0)
    assert panel.array.itemText(0) == "/mask"
    panel.operation.setCurrentIndex(panel.operation.findData(Operation.MASK))
    panel.operation.activated.emit(panel.operation.currentIndex())
    qtbot.waitUntil(lambda: pane.view.is_complete and np.isnan(picture(pane)).any())
    np.testing.assert_array_equal(picture(pane), expected)
    assert panel.words.text() == "Pixels where /mask is 0 are missing."
    panel.operation.setCurrentIndex(panel.operation.findData(Operation.DIFFERENCE))
    panel.operation.activated.emit(panel.operation.currentIndex())
    qtbot.waitUntil(lambda: shows(pane, counts - np.tri(20, 30)))
