"""Recent views: kept when an image is left, shown on the start page, private, and forgotten on request."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from tests.browser.window.saved_views.test_bookmarker import menu_of
from tests.browser.window.saved_views.windows import Windows
from zarrbrowser.drawing.png import png_of
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.window.saved_views import recent_keeper


@pytest.fixture
def folder(own_settings: Path) -> Path:
    return own_settings / "cache" / "zarrscope" / "recent-views"


def paths(window: MainWindow) -> list[str]:
    return [card.view.request.path for card in window.view.empty.cards.cards]


def close_all(windows: Windows, window: MainWindow) -> None:
    while window.model.rowCount():
        window.sources.close_current()
    windows.settle(window)
    windows.qtbot.waitUntil(lambda: window.view.empty.isVisible())
    windows.settle(window)


def test_an_image_that_was_left_is_on_the_start_page_of_the_next_run(windows: Windows, folder: Path) -> None:
    first = windows.open()
    assert not first.view.empty.cards.isVisible()
    pane = windows.show(first, "/other")
    pane.body.sliders.step(4)
    windows.settle(first)
    windows.show(first)
    windows.settle(first)
    assert len([*folder.iterdir()]) == 1, "the other one is still shown"
    first.close()
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    second = windows.open()
    windows.qtbot.waitUntil(lambda: paths(second) == ["/volume", "/other"])
    card = second.view.empty.cards.cards[1]
    assert card.isVisible()
    assert card.accessibleName() == "other, z = 8, a b.zarr/other"
    assert card.toolTip() == f"{windows.source}#/other"
    card.setFocus()
    assert card.focusPolicy() & Qt.FocusPolicy.TabFocus
    QTest.keyClick(card, Qt.Key.Key_Space)
    pane = windows.image(second, "/other")
    windows.qtbot.waitUntil(lambda: pane.model.state.settings.axes.index[0] == 8)


def test_the_thumbnail_is_what_was_on_the_screen_and_nothing_is_read(windows: Windows) -> None:
    window = windows.open()
    pane = windows.show(window)
    pane.canvas.show_range((0, 20), (0, 30))
    windows.settle(window)
    before = window.session.traffic()
    image = pane.thumbnail(QSize(160, 104))
    assert image is not None
    assert image.width() == 160 or image.height() == 104
    assert window.session.traffic() == before
    colours = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert len(colours) > 20, "a picture, not a blank"
    window.node_pane.show_tab("Table")
    assert window.node_pane.current_pane.thumbnail(QSize(160, 104)) is None


def test_a_thumbnail_does_not_block_the_window(windows: Windows, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[int] = []

    def watched(image: QImage) -> bytes:
        encoded.append(threading.get_ident())
        return png_of(image)

    monkeypatch.setattr(recent_keeper, "png_of", watched)
    window = windows.open()
    pane = windows.show(window)
    took = []
    for _ in range(9):
        start_s = time.thread_time()  # not of the clock: other programs may be running
        pane.thumbnail(QSize(160, 104))
        window.saved_views.present()
        took.append(time.thread_time() - start_s)
    assert min(took) < 0.01
    windows.show(window, "/other")
    windows.settle(window)
    assert len(encoded) == 1
    assert threading.get_ident() not in encoded


def test_the_picture_fits_the_screen(windows: Windows) -> None:
    window = windows.open()
    windows.show(window)
    close_all(windows, window)
    windows.qtbot.waitUntil(lambda: paths(window) == ["/volume"])
    (recent,) = window.saved_views.recent._views
    image = QImage.fromData(recent.png)
    scale = min(window.devicePixelRatioF(), 2.0)
    assert max(image.width() / 160, image.height() / 104) <= scale


def test_recent_views_are_forgotten(windows: Windows, folder: Path) -> None:
    window = windows.open()
    windows.show(window)
    close_all(windows, window)
    windows.qtbot.waitUntil(lambda: paths(window) == ["/volume"])
    menu = menu_of(window, "Recent views")
    assert "volume, z = 4" in menu
    menu["Forget recent views"].trigger()
    assert paths(window) == []
    assert [*folder.iterdir()] == []
    windows.qtbot.waitUntil(lambda: "forgotten" in window.view.status.message.text)
    assert not menu_of(window, "Recent views")["Forget recent views"].isEnabled()


def test_keeping_can_be_switched_off(windows: Windows, folder: Path) -> None:
    window = windows.open()
    windows.show(window)
    windows.show(window, "/other")
    windows.settle(window)
    assert [*folder.iterdir()] != []
    menu_of(window, "Recent views")["Keep recent views"].trigger()
    assert [*folder.iterdir()] == []
    windows.show(window)
    window.close()
    assert [*folder.iterdir()] == []
    again = windows.open()
    keeping = menu_of(again, "Recent views")["Keep recent views"]
    assert not keeping.isChecked()
    keeping.trigger()
    windows.show(again)
    again.close()
    assert len([*folder.iterdir()]) == 1


def test_a_fresh_window_keeps_nothing(windows: Windows, own_settings: Path) -> None:
    window = windows.open(fresh=True)
    windows.show(window)
    windows.show(window, "/other")
    window.close()
    assert not (own_settings / "cache").exists()
    assert not menu_of(window, "Recent views")["Keep recent views"].isEnabled()


def test_a_folder_that_cannot_be_written_does_not_matter(windows: Windows, folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("not a folder")
    window = windows.open()
    windows.show(window)
    windows.show(window, "/other")
    windows.settle(window)
    window.saved_views.recent.forget()
    windows.qtbot.waitUntil(lambda: "not removed" in window.view.status.message.text)
    window.close()
    assert folder.read_text() == "not a folder"
