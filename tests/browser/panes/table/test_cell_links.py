"""Cells that hold references."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from pytestqt.qtbot import QtBot

import zarrcore
from zarrbrowser.models.grid_model import GridModel
from zarrbrowser.panes.table.cell_links import CellLinks
from zarrbrowser.table.grid import Grid, grid_of
from zarrbrowser.table.references import TableReferences
from zarrbrowser.workers import Workers
from zarrcore.errors import StoreError


@pytest.fixture
def arrays(tmp_path: Path) -> Any:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset("d", data=np.arange(3))
        file["objects"] = np.array([data.ref, data.ref], h5py.ref_dtype)
        file["texts"] = np.array(["/d", "x"], h5py.string_dtype())
    return zarrcore.open_hierarchy(tmp_path / "a.h5")


def shown(model: GridModel, grid: Grid) -> Grid:
    model.show(grid)
    model.put((0, 0), grid.read(slice(0, grid.rows), slice(0, 1)))
    return grid


def test_cells_become_links_once_it_is_known_that_they_are_references(
    arrays: Any, workers: Workers, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[TableReferences] = []
    look = TableReferences.look

    def counted(self: TableReferences) -> bool:
        looked.append(self)
        return look(self)

    monkeypatch.setattr(TableReferences, "look", counted)
    model = GridModel()
    links = CellLinks(model, workers)
    links.show_table(shown(model, grid_of(arrays["objects"])))
    assert model.target(model.index(0, 0)) == ""
    qtbot.waitUntil(lambda: model.target(model.index(0, 0)) == "/d")
    links.show_table(model.grid)
    assert model.target(model.index(0, 0)) == "/d", (
        "the same columns, as in another slice, are not asked for again"
    )
    assert len(looked) == 1
    links.show_table(shown(model, grid_of(arrays["texts"])))
    qtbot.waitUntil(lambda: len(looked) == 2 and not workers.active)
    assert model.target(model.index(0, 0)) == "", "a text that looks like a path is none"
    links.show_table(shown(model, grid_of(arrays["d"])))
    links.show_table(None)
    assert len(looked) == 2


def test_a_store_that_fails_shows_no_links(
    arrays: Any, workers: Workers, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_self: TableReferences) -> bool:
        raise StoreError("gone", url="memory://")

    monkeypatch.setattr(TableReferences, "look", fail)
    model = GridModel()
    CellLinks(model, workers).show_table(shown(model, grid_of(arrays["objects"])))
    qtbot.waitUntil(lambda: not workers.active)
    assert model.target(model.index(0, 0)) == ""
