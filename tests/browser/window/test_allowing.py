"""Names in data that the rule refuses: the window offers to allow them, and opens the source again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.core.stores.nrrd.test_store import write as write_nrrd
from tests.servers.faults import fault_server
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.widgets.buttons import AllowButton
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture
def up(tmp_path: Path) -> Path:
    (tmp_path / "up").mkdir()
    (tmp_path / "se&cret").mkdir()
    with h5py.File(tmp_path / "se&cret/s.h5", "w") as file:
        file["x"] = np.arange(6)
    (tmp_path / "se&cret/s").write_bytes(bytes(range(6)))
    with h5py.File(tmp_path / "up/a.h5", "w") as file:
        file["linked"] = h5py.ExternalLink("../se&cret/s.h5", "/x")
        file.create_dataset("stored", (6,), "u1", external=[("../se&cret/s", 0, 6)])
    return tmp_path / "up"


def offered(window: MainWindow) -> AllowButton | None:
    return next((button for button in window.findChildren(AllowButton) if button.isVisible()), None)


def shown_path(window: MainWindow) -> str:
    return "" if window.session.node is None else window.session.node.path


@pytest.mark.parametrize("name", ["linked", "stored"])
def test_a_name_in_a_collection_is_allowed_by_a_button(
    window: MainWindow, qtbot: QtBot, up: Path, name: str
) -> None:
    """A node that is broken for this reason, and an array whose elements are elsewhere."""
    path = f"/a.h5/{name}"
    window.navigator.go(SourceRequest(str(up), path))
    qtbot.waitUntil(lambda: shown_path(window) == path and offered(window) is not None)
    button = offered(window)
    assert button is not None
    assert "se&&cret" in button.text() or "…" in button.text()
    assert str(up.parent / "se&cret") in button.toolTip()
    button.click()
    qtbot.waitUntil(lambda: shown_path(window) == path and has_data(window))
    assert offered(window) is None
    assert window.session.source is not None
    assert window.session.source.request.options.allow_targets == (str(up.parent / "se&cret"),)


def has_data(window: MainWindow) -> bool:
    pane = window.node_pane.current_pane
    return pane is not None and any(stack.shows_data for stack in pane.findChildren(DataStack))


@pytest.fixture
def header(tmp_path: Path) -> Iterator[Path]:
    with fault_server() as server:
        server.values["s"] = bytes(range(6))
        fields = {"type": "uchar", "dimension": "1", "sizes": "6", "data_file": f"{server.url}/s"}
        write_nrrd(tmp_path / "a.nhdr", "", **fields)
        yield tmp_path / "a.nhdr"


def test_a_source_that_cannot_be_opened_for_this_reason(
    window: MainWindow, qtbot: QtBot, header: Path
) -> None:
    window.navigator.go(SourceRequest(str(header)))
    qtbot.waitUntil(lambda: offered(window) is not None)
    assert "--allow-targets" not in window.view.sentence.text
    button = offered(window)
    assert button is not None
    button.click()
    qtbot.waitUntil(lambda: shown_path(window) == "/")
    assert offered(window) is None


def test_what_is_allowed_is_added_to_the_options_of_a_request() -> None:
    request = SourceRequest("s3://b", options=Connection(region="r")).allowing("/a").allowing("s3://c/")
    assert (request.options.region, request.options.allow_targets) == ("r", ("/a", "s3://c/"))
