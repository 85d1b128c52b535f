"""The state of the browser while it runs."""

from __future__ import annotations

import numpy as np

from tests.browser.fakes import FakeArray, FakeHierarchy
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.session.state import Session


def test_views_are_kept_until_their_source_is_closed() -> None:
    array = FakeArray(np.zeros((3, 4)))
    source = Source(SourceRequest("a"), FakeHierarchy(array), array)
    session, view = Session(), initial_settings(image_of_array(array))
    session.add(source)
    session.remember(source, "/", view, array)
    assert session.view_of(source, "/") is view
    session.remove(source)
    assert session.view_of(source, "/") is None
