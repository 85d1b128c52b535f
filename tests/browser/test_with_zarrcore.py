"""The browser on hierarchies written by zarr-python and read by zarrcore."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from pytestqt.qtbot import QtBot

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import whole
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.nodes.describe import type_name
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.panes.value_pane import ValuePane
from zarrbrowser.session.sources import SourceRequest, open_source
from zarrbrowser.values.elements import Elements
from zarrbrowser.window.main_window import MainWindow
from zarrcore.errors import StoreNotFoundError

VOLUME = np.random.default_rng(5).integers(-500, 500, (20, 60, 50)).astype(np.int16)


def plane(array: Any, axes: Axes) -> np.ndarray:
    raster = Raster.of(whole(array), axes)
    return raster.read((slice(0, raster.shape[0]), slice(0, raster.shape[1])))


@pytest.fixture(params=[2, 3])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "scan.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=request.param)
    group.create_array("volume", data=VOLUME, chunks=(7, 16, 16))
    group.create_group("inner").create_array("line", data=np.arange(10.0))
    return path


def test_planes_of_real_arrays_are_drawn(written: Path) -> None:
    array = open_source(SourceRequest(str(written))).hierarchy.node("/volume")
    axes = Axes.initial(array)
    assert np.array_equal(plane(array, axes), VOLUME[10])
    turned = axes.with_rows(2).with_columns(0)
    assert np.array_equal(plane(array, turned), VOLUME[:, 30, :].T)


def test_from_the_address_to_the_picture(window: MainWindow, written: Path, qtbot: QtBot) -> None:
    window.open_text(str(written))
    qtbot.waitUntil(lambda: window.model.rowCount(window.model.index(0, 0)) == 2)
    assert "Zarr v" in window.node_pane.header.format_chip.text()
    window.tree.choose(window.model.index(1, 0, window.model.index(0, 0)))
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert np.array_equal(pane.view.mosaics[0].values, VOLUME[10])
    qtbot.waitUntil(lambda: "chunks" in window.view.status.message.text)


def test_implicit_groups_of_v2_are_in_the_tree(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    zarr.create_group(tmp_path / "x.zarr", zarr_format=2)
    zarr.create_array(tmp_path / "x.zarr/A/1/0", data=VOLUME, chunks=(7, 16, 16), zarr_format=2)
    window.open_text(str(tmp_path / "x.zarr"))
    qtbot.waitUntil(lambda: window.model.index(0, 0, window.model.index(0, 0)).data() == "A")
    group = window.model.index(0, 0, window.model.index(0, 0))
    window.tree.choose(group)
    window.model.fetchMore(group)
    qtbot.waitUntil(lambda: window.model.rowCount(group) == 1)


def test_a_damaged_chunk_is_reported_and_the_others_are_shown(
    window: MainWindow, written: Path, qtbot: QtBot
) -> None:
    chunks = [
        path
        for path in (written / "volume").rglob("*")
        if path.is_file() and not path.name.startswith((".", "zarr"))
    ]
    damaged = next(
        path
        for path in chunks
        if path.relative_to(written / "volume").as_posix() in ("c/1/0/0", "1.0.0", "1/0/0")
    )
    damaged.write_bytes(damaged.read_bytes()[:20])
    window.open_text(f"{written}#/volume")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    # The other chunks of the plane are shown.
    qtbot.waitUntil(lambda: damaged.relative_to(written).as_posix() in pane.body.stack.notice.text)
    assert pane.body.stack.shows_data
    assert len(pane.canvas.holes.rects) == 1
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.sliders[0].setValue(2)
    assert np.array_equal(pane.view.mosaics[0].values, VOLUME[2])


def test_opening_a_missing_store_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreNotFoundError):
        open_source(SourceRequest(str(tmp_path / "nothing")))


def test_strings_are_shown_in_a_table_and_a_scalar_as_value(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "texts.zarr"
    with warnings.catch_warnings(action="ignore"):
        group = zarr.create_group(path, zarr_format=3)
        many = group.create_array("many", shape=(3, 4), dtype=str)
        many[...] = np.array([f"many {number}" for number in range(12)], object).reshape(3, 4)
        group.create_array("one", shape=(), dtype=str)[...] = "grüße"
    window.open_text(f"{path}#/many")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Table")
    table = window.node_pane.pane("Table")
    assert isinstance(table, TablePane)
    qtbot.waitUntil(lambda: table.model.value(2, 3) == (True, "many 11"))
    assert window.node_pane.header.summary.text.endswith("3 × 4  ·  text")
    window.open_text(f"{path}#/one")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Value")
    value = window.node_pane.pane("Value")
    assert isinstance(value, ValuePane)
    qtbot.waitUntil(lambda: value.value.text() == "grüße")


def test_numbers_that_numpy_does_not_define_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "small.zarr"
    zarr.create_array(
        path, data=np.arange(12, dtype="u2").reshape(3, 4) + 0x3F80, chunks=(2, 2), zarr_format=3
    )
    document = json.loads((path / "zarr.json").read_text())
    (path / "zarr.json").write_text(json.dumps({**document, "data_type": "bfloat16"}))
    array = open_source(SourceRequest(str(path))).hierarchy.node("/")
    numbers, _ = Elements().numbers(plane(array, Axes.initial(array)))
    assert numbers.dtype == np.float32
    assert numbers[0].tolist() == [1.0, 1.0078125, 1.015625, 1.0234375]
    assert type_name(array) == "bfloat16"


def test_drawing_the_rows_of_an_open_source_imports_nothing(tmp_path: Path) -> None:
    zarr.create_group(tmp_path / "a.zarr")
    code = f"""
import sys
from zarrbrowser.models.tree_columns import node_icon_name
from zarrbrowser.session.sources import SourceRequest, open_source
source = open_source(SourceRequest({str(tmp_path / "a.zarr")!r}))
loaded = set(sys.modules)
node_icon_name(source.root)
print(sorted(set(sys.modules) - loaded))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_window_is_imported_without_hierarchies_and_codecs() -> None:
    """They take a tenth of a second, and are loaded behind a window that is already there."""
    code = "import sys, zarrbrowser.app; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = {".".join(name.split(".")[:2]) for name in done.stdout.split()}
    assert not loaded & {
        f"zarrcore.{name}" for name in ("hierarchy", "formats", "metadata", "codecs", "array")
    }
