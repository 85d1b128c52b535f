"""The panes of each kind of node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.browser.fakes import FakeArray, FakeBroken, FakeGroup
from zarrbrowser.panes.pane import Pane
from zarrbrowser.panes.registry import (
    PANES,
    PaneKind,
    inferred_tabs,
    is_drawn,
    kind_of,
    may_have_more_tabs,
    tabs_for,
)

OF_ARRAYS = ("Metadata", "Attributes", "Storage")


@pytest.mark.parametrize("kind", PANES, ids=lambda one: one.title)
def test_each_entry_names_a_pane(kind: PaneKind) -> None:
    assert issubclass(kind_of(kind.title).load(), Pane)


@pytest.mark.parametrize(
    ("values", "tabs"),
    [
        (np.zeros(()), ("Value", *OF_ARRAYS)),
        (np.zeros(1), ("Plot", "Table", *OF_ARRAYS)),
        (np.zeros((1, 1)), ("Image", "Table", *OF_ARRAYS)),
        (np.zeros((1, 1, 1)), ("Image", "Table", *OF_ARRAYS)),
        (np.zeros((2, 2, 2)), ("Image", "Volume", "Table", *OF_ARRAYS)),
        (np.zeros(3, "U3"), ("Table", *OF_ARRAYS)),
        (np.zeros(3, bool), ("Table", "Plot", *OF_ARRAYS)),
        (np.zeros(3, "i4,f8"), ("Table", "Plot", *OF_ARRAYS)),
        (np.zeros((3, 4), "U3"), ("Table", *OF_ARRAYS)),
    ],
)
def test_an_array_has_the_tabs_that_its_axes_and_type_allow(values: Any, tabs: tuple[str, ...]) -> None:
    assert tabs_for(FakeArray(values)) == tabs


def test_a_group_has_a_picture_only_if_it_is_an_image() -> None:
    assert tabs_for(FakeGroup()) == ("Overview", "Table", "Metadata")
    flat = {"multiscales": [{"axes": ["y", "x"], "datasets": []}]}
    assert tabs_for(FakeGroup({}, flat)) == ("Image", "Overview", "Metadata")
    assert tabs_for(FakeGroup({}, {"plate": {}})) == ("Thumbnails", "Overview", "Metadata")


@pytest.mark.parametrize(
    ("shapes", "titles"),
    [
        ([(8, 16, 32), (4, 8, 16)], ("Image", "Volume")),
        ([(16, 32), (8, 16)], ("Image",)),
        ([(8, 16, 32), (9, 8, 16)], ()),
    ],
)
def test_levels_of_n5_tell_whether_their_group_is_an_image_and_a_volume(
    shapes: list[tuple[int, ...]], titles: tuple[str, ...], tmp_path: Path
) -> None:
    made = zarrcore.create(tmp_path / "a.n5", format="n5")
    made.create_group("scan")
    for number, shape in enumerate(shapes):
        made.create_array(f"scan/s{number}", shape=shape, dtype="uint16", chunks=shape)
    assert inferred_tabs(made["scan"], made.node)[0] == titles


@pytest.mark.parametrize(("shape", "titles"), [((5,), ("Plot",)), ((5, 6), ("Image",)), ((), ())])
def test_a_group_of_nexus_has_the_tabs_of_its_signal(
    shape: tuple[int, ...], titles: tuple[str, ...], tmp_path: Path
) -> None:
    made = zarrcore.create(tmp_path / "a.zarr")
    made.create_group("data", attributes={"NX_class": "NXdata", "signal": "counts"})
    made.create_array("data/counts", shape=shape, dtype="f8", chunks=shape)
    assert may_have_more_tabs(made["data"])
    found, drawn = inferred_tabs(made["data"], made.node)
    assert found == titles
    assert drawn.path == "/data/counts"
    assert not may_have_more_tabs(FakeGroup({}, {"NX_class": "NXdetector"}))


def test_a_broken_node_has_only_the_problem_tab() -> None:
    assert tabs_for(FakeBroken(ValueError())) == ("Problem",)


def test_panes_with_colours_and_plots_load_pyqtgraph() -> None:
    assert [kind.title for kind in PANES if is_drawn(kind.title)] == ["Image", "Volume", "Plot"]
    assert not is_drawn("")
    with pytest.raises(KeyError):
        kind_of("Elsewhere")
