"""Labels of an image: offered if there are some, kept with the image, reported if they cannot be read."""

from __future__ import annotations

from typing import Any

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky
from tests.browser.panes.image.pictures import pane_of
from tests.browser.panes.image.tools.labelled import CELLS, choose, scan, seen, show
from zarrbrowser.image.colours.colour_maps import LABELS, lookup_table


def test_labels_are_restored_with_the_image(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, FakeArray(CELLS))
    choose(pane, "cells")
    qtbot.waitUntil(lambda: seen(pane.view.overlay) is not None)
    window: Any = pane.window()
    window.open_text("fake.zarr#/plane")
    qtbot.waitUntil(lambda: pane.view.is_complete and window.session.node.path == "/plane")
    assert pane.view.overlay.mosaic is None
    assert not pane.body.controls.labels.isEnabled()
    window.navigator.back()
    qtbot.waitUntil(lambda: np.array_equal(seen(pane.view.overlay), CELLS[1]))


def test_unreadable_labels_are_reported(open_window: OpenWindow, qtbot: QtBot) -> None:
    labels = FakeArray(CELLS)
    labels.before_read = Flaky()
    pane = show(open_window, qtbot, labels)
    with qtbot.waitSignal(pane.reported, check_params_cb=lambda text: "does not answer" in text):
        choose(pane, "cells")
    assert pane.body.stack.shows_data
    assert not pane.body.stack.notice.isVisible()


def test_an_ampersand_in_the_name_of_labels_is_shown(open_window: OpenWindow, qtbot: QtBot) -> None:
    root = scan(FakeArray(CELLS))
    listed = root.find("/labels")
    listed.attributes["labels"] = ["cells & nuclei"]
    listed.add("cells & nuclei", listed.find("/cells"))
    pane = pane_of(open_window(FakeGroup({"scan": root}), "/scan"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.body.controls.labels.isEnabled())
    choose(pane, "cells && nuclei")
    assert pane.model.state is not None
    assert pane.model.state.settings.labels == "cells & nuclei"


def test_exported_pictures_have_the_labels(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, FakeArray(CELLS))
    bare = pane.displayed(0)
    assert bare is not None
    plain = bare.picture(bare.selection)
    choose(pane, "cells")
    qtbot.waitUntil(lambda: seen(pane.view.overlay) is not None)
    pane.model.set(labels_opacity=1.0, flip_rows=True)
    shown = pane.displayed(0)
    assert shown is not None
    picture = shown.picture(shown.selection)[::-1]
    z = shown.axes.index[1]
    assert z == 1
    inside = CELLS[z] != 0
    assert np.array_equal(picture[~inside], plain[~inside])
    colour = lookup_table(LABELS)
    assert len({tuple(one) for one in picture[inside]}) == 1
    assert tuple(picture[inside][0][:3]) in {tuple(one) for one in colour}
