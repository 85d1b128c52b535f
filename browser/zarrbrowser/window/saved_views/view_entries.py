"""Views as entries of menus."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu

from zarrbrowser.drawing.elided import elided
from zarrbrowser.session.saved_views.view import SavedView
from zarrbrowser.widgets.tooltip import tooltip

_WIDTH = 360


def add_view(menu: QMenu, view: SavedView, chosen: Callable[[SavedView], object]) -> None:
    """Add an entry with the title of a view, shortened if it is long, and its address as tooltip."""
    text = elided(view.title, menu.fontMetrics(), _WIDTH)
    action = menu.addAction(text.replace("&", "&&"), partial(chosen, view))
    action.setToolTip(tooltip(view.address))
