"""A folder with several hierarchies in the browser: one tree, each hierarchy with its own format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.hierarchies import write_collection
from tests.hierarchies.collection import VALUES
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("collection")
    write_collection(path)
    return path


@pytest.fixture
def window(application: QApplication, folder: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    made = MainWindow(Settings(fresh=True))
    made.show()
    made.open_text(str(folder))
    qtbot.waitUntil(lambda: made.model.rowCount(made.model.index(0, 0)) == 6)
    yield made
    made.close()
    assert made.workers.shut_down(30)
    made.deleteLater()
    application.processEvents()


def rows(window: MainWindow, parent: QModelIndex) -> dict[str, QModelIndex]:
    indexes = [window.model.index(row, 0, parent) for row in range(window.model.rowCount(parent))]
    return {index.data(): index for index in indexes}


def test_the_tree_shows_all_hierarchies_and_the_header_each_format(window: MainWindow, qtbot: QtBot) -> None:
    root = window.model.index(0, 0)
    assert list(rows(window, root)) == ["2020", "broken.zarr", "notes", "sites", "v3.zarr", "zipped.zip"]
    assert window.node_pane.header.format_chip.text() == "Collection of hierarchies"
    assert window.node_pane.header.summary.text.endswith("Collection")
    window.tree.choose(rows(window, root)["v3.zarr"])
    qtbot.waitUntil(lambda: window.node_pane.header.format_chip.text() == "Zarr v3")
    assert "Zarr v3" in rows(window, root)["v3.zarr"].data(Qt.ItemDataRole.ToolTipRole)
    window.tree.expand(rows(window, root)["sites"])
    qtbot.waitUntil(lambda: window.model.rowCount(rows(window, root)["sites"]) == 2)
    window.tree.choose(rows(window, rows(window, root)["sites"])["south.n5"])
    qtbot.waitUntil(lambda: window.node_pane.header.format_chip.text() == "N5")
    window.tree.choose(rows(window, root)["notes"])
    qtbot.waitUntil(lambda: window.node_pane.header.format_chip.text() == "Collection of hierarchies")
    overview = window.node_pane.pane("Overview")
    qtbot.waitUntil(lambda: any(label.text() == "1 child" for label in overview.findChildren(QLabel)))
    window.tree.choose(rows(window, root)["broken.zarr"])
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Problem")


@pytest.mark.parametrize("path", ["/sites/north/v2.zarr/b", "/zipped.zip/b"])
def test_a_path_in_a_collection_leads_to_its_node(
    window: MainWindow, folder: Path, qtbot: QtBot, path: str
) -> None:
    window.open_text(f"{folder}#{path}")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert np.array_equal(pane.view.mosaics[0].values, VALUES)
    assert len(window.session.sources) == 1
