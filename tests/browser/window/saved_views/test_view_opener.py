"""Links and files of views: typed, dropped, and on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

import zarrcore as zc
from tests.browser.conftest import PATIENCE
from tests.browser.session.saved_views.views import VALUES as ANY
from tests.browser.window.saved_views.windows import Windows
from tests.servers.s3 import S3Server
from zarrbrowser.dialogs.views_dialog import FileDialog
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.saved_views.links import link_of
from zarrbrowser.session.saved_views.view import SavedView
from zarrbrowser.session.saved_views.view_files import views_text
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow
from zarrcore.stores import StoreOptions


def view(windows: Windows, position: int, path: str = "/volume") -> SavedView:
    state = {
        "rows": 1,
        "columns": 2,
        "index": [position, 0, 0],
        "field": None,
        "part": "amplitude",
        "is_marked": False,
        "is_masked": False,
        "keeps_range": True,
        "is_unpacked": False,
        "contrast": ["fixed", 10, 90],
        "norm": "linear",
        "colour_map": "viridis",
        "flips": [True, False],
        "channels": [],
    }
    return SavedView(f"z {position}", SourceRequest(str(windows.source), path), "Image", state)


def position(window: MainWindow) -> int:
    state = window.node_pane.pane("Image").model.state  # type: ignore[attr-defined]
    return -1 if state is None else int(state.settings.axes.index[0])


def drop(window: MainWindow, url: QUrl) -> None:
    data = QMimeData()
    data.setUrls([url])
    event = QDropEvent(
        QPointF(QPoint(100, 100)),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(event)


@pytest.mark.parametrize("way", ["typed", "dropped", "command line"])
def test_a_link_leads_to_its_view(way: str, windows: Windows) -> None:
    window = windows.open()
    link = link_of(view(windows, 7))
    if way == "typed":
        window.activateWindow()
        QTest.keySequence(window, "Ctrl+L")
        QTest.keyClicks(window.view.top_bar.address, link)
        QTest.keyClick(window.view.top_bar.address, Qt.Key.Key_Return)
    elif way == "dropped":
        drop(window, QUrl(link))
    else:
        window.go(SourceRequest(link))
    pane = windows.image(window)
    windows.qtbot.waitUntil(lambda: position(window) == 7)
    state = pane.model.state
    assert (state.settings.flip_rows, state.settings.colour_map) == (True, "viridis")
    assert (state.settings.contrast.low, state.settings.contrast.high) == (10, 90)
    assert window.view.top_bar.address.text() == f"{windows.source}#/volume"
    window.go(SourceRequest(link_of(view(windows, 2))))
    windows.qtbot.waitUntil(lambda: position(window) == 2)
    assert len(window.session.sources) == 1, "the source was open already"


def test_a_link_opens_the_source_of_its_second_image_and_so_does_the_next_session(
    windows: Windows, tmp_path: Path, s3: S3Server
) -> None:
    zarr.open_group(tmp_path / "made.zarr", mode="w").create_array("flat", data=np.arange(12).reshape(3, 4))
    s3.upload(tmp_path / "made.zarr", "bucket/second/made.zarr")
    place = {
        "address": "s3://bucket/second/made.zarr",
        "endpoint_url": s3.endpoint_url,
        "region": "us-east-1",
    }
    told = {**view(windows, 7).state, "beside": {**place, "path": "/flat", "moves": False}}
    window = windows.open()
    window.open_text(link_of(replace(view(windows, 7), state=told)))

    def second(window: MainWindow) -> dict[str, Any]:
        """The second image, once it is complete; moto's bucket can be read without credentials."""
        pane = windows.image(window)
        windows.qtbot.waitUntil(lambda: pane.beside.area is not None and pane.beside.area.source is not None)
        area = pane.beside.area
        assert area is not None
        windows.qtbot.waitUntil(lambda: area.pane.view.is_complete)
        assert area.pane.view.mosaics[0].values[2, 3] == 11
        return area.document() or {}

    found = second(window)
    assert found.items() >= {**place, "path": "/flat", "moves": False, "anonymous": True}.items()
    assert position(window) == 7
    windows.show(window, "/other")
    window.beside.close()
    window.model.close(window.model.find(SourceRequest(place["address"])))
    window.navigator.back()
    assert second(window) == found
    window.close()
    later = windows.open()
    later.restore_session()
    assert second(later) == found
    assert position(later) == 7
    assert later.model.rowCount() == 2


@pytest.mark.parametrize(
    "text",
    [
        "zarrscope://run?rm",
        "zarrscope:",
        "zarrscope://view?version=9",
        "zarrscope://view?version=1&address=redis://x",
    ],
)
def test_a_bad_link_says_why_and_changes_nothing(text: str, windows: Windows) -> None:
    window = windows.open()
    with windows.qtbot.waitSignal(window.settled):
        window.open_text(text)
    assert window.view.notice.text.startswith("The link was not opened. ")
    assert window.view.notice.isVisible()
    assert window.model.rowCount() == 0
    windows.show(window)
    window.open_text(text)
    assert window.session.node is not None
    window.view.notice.button.click()
    assert not window.view.notice.isVisible()
    window.open_text(text)
    window.open_text(link_of(view(windows, 1)))
    assert not window.view.notice.isVisible()
    windows.image(window)


def test_a_link_to_what_is_gone_shows_the_sentence_of_the_source(windows: Windows) -> None:
    window = windows.open()
    window.open_text(link_of(SavedView("a", SourceRequest("/nowhere/a.zarr", "/x"))))
    windows.qtbot.waitUntil(
        lambda: "/nowhere" in window.view.sentence.text and window.view.sentence.button.isVisible()
    )


def test_options_of_the_command_line_replace_those_of_the_link(windows: Windows) -> None:
    window = windows.open()
    own = StoreOptions(region="eu-west-1")
    window.go(SourceRequest(link_of(view(windows, 3)), "/", "v3", own))
    windows.image(window)
    request = window.session.sources[0].request
    assert (request.options, request.format) == (own, "v3")
    assert position(window) == 3


def test_a_view_that_does_not_fit_shows_the_node_as_usual(windows: Windows) -> None:
    window = windows.open()
    hierarchy = zc.open_hierarchy(windows.source, mode="r+")
    flat = hierarchy.create_array("flat", shape=(4, 5), dtype="int16", chunks=(4, 5))
    flat[...] = np.arange(20).reshape(4, 5)
    state = {**view(windows, 7).state, "place": [[0, 3], [1, 4]]}
    window.saved_views.opener.go(SavedView("a", SourceRequest(str(windows.source), "/flat"), "Image", state))
    pane = windows.image(window, "/flat")
    assert pane.canvas.is_fitted
    assert pane.model.state.settings.colour_map == ""
    far = {**view(windows, 700).state, "place": [[4000, 5000], [0, 3]]}
    window.saved_views.opener.go(SavedView("a", SourceRequest(str(windows.source), "/volume"), "Image", far))
    pane = windows.image(window)
    windows.qtbot.waitUntil(lambda: position(window) == 8)
    assert pane.canvas.is_fitted, "the part that was in view does not exist any more"
    window.saved_views.opener.go(SavedView("a", SourceRequest(str(windows.source), "/volume"), "No tab", far))
    windows.image(window)


def test_a_file_with_one_view_leads_there(windows: Windows, tmp_path: Path) -> None:
    path = tmp_path / "one.zarrscope-views.json"
    path.write_text(views_text([view(windows, 6)]))
    window = windows.open()
    drop(window, QUrl.fromLocalFile(str(path)))
    windows.image(window)
    windows.qtbot.waitUntil(lambda: position(window) == 6)
    assert window.saved_views.bookmarker.bookmarks.views == ()


def test_a_file_with_several_views_shows_them(windows: Windows, tmp_path: Path) -> None:
    path = tmp_path / "some.zarrscope-views.json"
    path.write_text(views_text([view(windows, 1), view(windows, 2)]))
    window = windows.open()
    window.saved_views.opener.choose_file()
    chooser = next(one for one in window.findChildren(QFileDialog) if one.isVisible())
    chooser.fileSelected.emit(str(path))
    chooser.reject()
    windows.qtbot.waitUntil(lambda: bool(window.findChildren(FileDialog)))
    dialog = window.findChildren(FileDialog)[0]
    dialog.add_button.click()
    windows.qtbot.waitUntil(lambda: "2 bookmarks added" in window.view.status.message.text)
    assert [one.title for one in window.saved_views.bookmarker.bookmarks.views] == ["z 1", "z 2"]
    window.open_text(str(path))
    windows.qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(FileDialog)))
    dialog = next(one for one in window.findChildren(FileDialog) if one.isVisible())
    QTest.keyClick(dialog.list, Qt.Key.Key_Down)
    QTest.keyClick(dialog.list, Qt.Key.Key_Return)
    windows.image(window)
    windows.qtbot.waitUntil(lambda: position(window) == 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "x.zarrscope-views.json was not opened. This is not"),
        (views_text([]), "has no views"),
        (views_text([SavedView("a", SourceRequest("redis://x"))]), "“a” is left out"),
        (views_text([SavedView(name, SourceRequest("redis://x")) for name in "abc"]), "2 more are left out"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(text: str, said: str, windows: Windows, tmp_path: Path) -> None:
    path = tmp_path / "x.zarrscope-views.json"
    path.write_text(text)
    window = windows.open()
    window.open_text(str(path))
    windows.qtbot.waitUntil(lambda: said in window.view.notice.text)
    path.unlink()
    window.open_text(str(path))
    windows.qtbot.waitUntil(lambda: "No such file" in window.view.notice.text)
    window.open_text("https://example.org/x.zarrscope-views.json")
    assert "download it" in window.view.notice.text


def test_a_link_uses_the_connection_of_its_source_but_takes_none_elsewhere(windows: Windows) -> None:
    window = windows.open()
    asked: list[SourceRequest] = []
    window.navigator._open_source = asked.append
    mine = SourceRequest("s3://bucket/a", options=Connection("https://mine", profile="work"))
    window.session.recent.add(mine)
    window.open_text("zarrscope://view?version=1&address=s3://bucket/a")
    window.open_text(
        "zarrscope://view?version=1&address=s3://bucket/a&endpoint_url=https://evil&profile=work"
    )
    window.open_text("zarrscope://view?version=1&address=s3://other/a&endpoint_url=https://evil")
    assert [one.options for one in asked] == [
        mine.options,
        Connection("https://evil", anonymous=True),
        Connection("https://evil", anonymous=True),
    ]


STATES = st.dictionaries(
    st.sampled_from(
        [
            *json.loads(json.dumps({"rows": 0, "columns": 0, "index": 0, "place": 0, "layout": 0})),
            "part",
            "contrast",
            "norm",
            "colour_map",
            "flips",
            "labels",
            "reduction",
            "projection",
            "comparison",
            "map",
            "channels",
            "blended",
            "field",
            "is_marked",
            "is_masked",
            "keeps_range",
            "is_unpacked",
        ]
    ),
    ANY
    | st.sampled_from(
        [
            "log",
            "orthogonal",
            "pair",
            ["fixed", 1e308, -1e308],
            ["fixed", 2**64, 0],
            ["symmetric", 0, 0],
            [0, "mean"],
            {"operation": "difference", "axis": 0, "position": 2**60, "statistic": None, "address": ""},
            {"operation": "ratio", "axis": 0, "position": 0, "statistic": None, "address": "/none"},
            [[-1e300, 1e300], [0.5, 0.5000001]],
            [[0, 1e-300], [0, 1]],
            "robinson",
            ["", 1e300],
        ]
    ),
)


@pytest.fixture
def shown(windows: Windows) -> tuple[Windows, MainWindow]:
    window = windows.open()
    windows.show(window)
    return windows, window


@settings(max_examples=60, deadline=PATIENCE, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STATES)
def test_any_settings_show_the_node(shown: tuple[Windows, MainWindow], state: dict[str, Any]) -> None:
    windows, window = shown
    whole = {**view(windows, 1).state, **state}
    window.saved_views.opener.go(
        SavedView("a", SourceRequest(str(windows.source), "/volume"), "Image", whole)
    )
    windows.settle(window)
    pane = windows.image(window)
    assert pane.model.state is not None
