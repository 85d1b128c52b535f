"""The window on a server whose answers are hostile: it shows the elements or says why not, in little memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

import zarrcore as zc
from tests.memory import forget_peak, peak_nbytes
from tests.servers.hostile import HostileServer, hostile_server
from zarrbrowser.panes.problem_pane import ProblemPane
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow

VALUES = np.arange(64 * 64, dtype=np.int32).reshape(64, 64)
GROWS_MAX = 200 << 20


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostileServer]:
    folder = tmp_path_factory.mktemp("hostile")
    made = zc.create(folder / "h.zarr").create_array("a", shape=VALUES.shape, dtype="int32", chunks=(32, 32))
    made[...] = VALUES
    values = {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }
    with hostile_server(values) as running:
        yield running


@pytest.mark.sampled
@pytest.mark.parametrize("where", ["chunk", "document"])
@pytest.mark.parametrize(
    "wrong", ["none", "throttled", "denied", "endless", "announced", "bomb", "login"]
)  # the others take half a minute, or two: the window has no option for its patience
def test_the_window(window: MainWindow, server: HostileServer, qtbot: QtBot, wrong: str, where: str) -> None:
    before = forget_peak()
    window.navigator.go(SourceRequest(f"{server.url}/{wrong}-{where}/h.zarr", "/a"))

    def pane() -> TablePane | None:
        node = window.session.node
        if node is None or node.path != "/a" or not window.node_pane.show_tab("Table"):
            return None
        found = window.node_pane.pane("Table")
        return found if isinstance(found, TablePane) else None

    def is_right() -> bool:
        shown = pane()
        return shown is not None and shown.model.value(3, 4) == (True, VALUES[3, 4])

    def is_told() -> bool:
        shown, current = pane(), window.node_pane.current_pane
        is_broken = isinstance(current, ProblemPane) and current.isVisible()
        return (
            is_broken
            or window.view.sentence.isVisible()
            or (shown is not None and shown.reader.problem.isVisible())
        )

    if wrong in ("none", "throttled"):
        qtbot.waitUntil(is_right)
    else:
        qtbot.waitUntil(is_told)
        assert not is_right()
    assert peak_nbytes() - before < GROWS_MAX
