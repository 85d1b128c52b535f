"""The Metadata tab."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.window.examples import example
from zarrbrowser.panes.attributes_pane import AttributesPane
from zarrbrowser.panes.metadata_pane import MetadataPane
from zarrbrowser.theme import Appearance
from zarrbrowser.window.main_window import MainWindow


def test_an_array_is_described(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.node_pane.show_tab("Metadata")
    pane = window.node_pane.pane("Metadata")
    assert isinstance(pane, MetadataPane)
    qtbot.waitUntil(lambda: '"node_type": "array"' in pane.document.text)
    pane.form.setCurrentIndex(1)
    qtbot.waitUntil(lambda: '"zarr_format": 2' in pane.document.text)
    assert pane.document.heading.text == "image/.zarray"
    pane.document.copy()
    assert QGuiApplication.clipboard().text() == pane.document.text
    window.node_pane.show_tab("Attributes")
    attributes = window.node_pane.pane("Attributes")
    assert isinstance(attributes, AttributesPane)
    assert attributes.attributes.tree.model().index(0, 0).data() == "units"
    assert window.view.top_bar.address.text() == "fake.zarr#/image"


def test_a_pane_hidden_while_the_appearance_changes_shows_the_current_node(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.node_pane.show_tab("Metadata")
    pane = window.node_pane.pane("Metadata")
    assert isinstance(pane, MetadataPane)
    qtbot.waitUntil(lambda: "shape" in pane.document.text)
    window.node_pane.show_tab("Image")
    window.open_text("fake.zarr#/group/inner")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "inner")
    assert pane.document.text == ""
    window.view.appearance.choose(Appearance.LIGHT)
    window.node_pane.show_tab("Metadata")
    qtbot.waitUntil(lambda: "2,\n" in pane.document.text or "[2, 3]" in pane.document.text)


def test_the_shape_has_the_names_that_the_group_gives_the_dimensions(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    with h5py.File(tmp_path / "scan.nxs", "w") as file:
        data = file.create_group("data")
        data.attrs.update({"NX_class": "NXdata", "signal": "counts", "axes": ["sy", "sx"]})
        data["counts"] = np.zeros((3, 4))
        data["sy"], data["sx"] = np.arange(3.0), np.arange(4.0)
    window.open_text(f"{tmp_path}/scan.nxs#/data/counts")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/data/counts")
    window.node_pane.show_tab("Metadata")
    pane = window.node_pane.pane("Metadata")
    assert isinstance(pane, MetadataPane)
    qtbot.waitUntil(lambda: any(one.text() == "sy × sx" for one in pane.facts.findChildren(QLabel)))
