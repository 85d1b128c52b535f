"""The displayed array: its selection as text, its file name, its levels."""

from __future__ import annotations

import zarrcore as zc
from tests.browser.export.volume import PLANE
from zarrbrowser.export.viewed_array import selection_text


def test_the_text_of_a_selection_parses_back() -> None:
    for selection in (PLANE, (0, 0, 0), (slice(None, None, 2), slice(3, None), -1)):
        assert zc.parse_selection(selection_text(selection)) == selection
