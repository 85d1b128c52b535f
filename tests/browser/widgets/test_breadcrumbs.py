"""The path above the tabs, as links to the ancestors of a node."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.window.places import at, example
from zarrbrowser.widgets.breadcrumbs import Breadcrumbs


def test_breadcrumbs_lead_to_ancestors(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/scan/line")
    qtbot.waitUntil(lambda: at(window, "/scan/line", "Plot"))
    assert [link.text() for link in window.node_pane.header.crumbs.links] == ["fake.zarr", "scan"]
    window.node_pane.header.crumbs.links[1].click()
    qtbot.waitUntil(lambda: at(window, "/scan", "Overview"))
    window.node_pane.header.crumbs.links[0].click()
    qtbot.waitUntil(lambda: at(window, "/", "Overview"))


def test_breadcrumbs_without_space_keep_the_nearest_ancestors(
    application: QApplication, qtbot: QtBot
) -> None:
    crumbs = Breadcrumbs()
    qtbot.addWidget(crumbs)
    crumbs.resize(200, 24)
    crumbs.show()
    crumbs.show_path("source.zarr", "/" + "/".join(f"a_long_name_{number}" for number in range(20)))
    visible = [link.text() for link in crumbs.links if link.isVisible()]
    assert visible == ["a_long_name_18"][: len(visible)]
    for width in (60, 130, 290, 420, 555):
        crumbs.resize(width, 24)
        crumbs.layout().activate()
        parts = [one for one in crumbs.findChildren(QWidget) if one.isVisible()]
        assert all(crumbs.rect().contains(one.geometry()) for one in parts)
        assert all(one.width() >= one.sizeHint().width() for one in parts), "a part is clipped"
    crumbs.resize(4000, 24)
    qtbot.waitUntil(lambda: all(link.isVisible() for link in crumbs.links))
