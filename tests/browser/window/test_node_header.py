"""The header of a node: one line in a low window."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, FakeHierarchy
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.window.node_header import NodeHeader


def header_of_an_array(qtbot: QtBot) -> NodeHeader:
    array = FakeArray(np.zeros((3, 4)))
    header = NodeHeader()
    qtbot.addWidget(header)
    header.show_node(Source(SourceRequest("a"), FakeHierarchy(array), array), array)
    return header


@pytest.mark.usefixtures("application")
def test_a_small_header_is_one_line_and_grows_again(qtbot: QtBot) -> None:
    header = header_of_an_array(qtbot)
    header.show()
    height = header.sizeHint().height()
    header.shrink(is_small=True)
    assert header.sizeHint().height() < height - 15
    header.shrink(is_small=False)
    assert header.sizeHint().height() == height


@pytest.mark.usefixtures("application")
def test_a_short_name_leaves_the_rest_of_a_small_header_to_the_summary(qtbot: QtBot) -> None:
    header = header_of_an_array(qtbot)
    header.shrink(is_small=True)
    header.resize(header.sizeHint().width(), header.sizeHint().height())
    header.show()
    assert header.summary.width() >= header.summary.sizeHint().width()
