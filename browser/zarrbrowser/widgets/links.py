"""Rows and cells that lead to other nodes: their look, and the entry of a context menu."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QMenu, QWidget

_MOST = 60
"""Characters of a path in a menu."""


def link_font(font: QFont) -> QFont:
    """A font for links."""
    found = QFont(font)
    found.setUnderline(True)
    return found


def link_menu(
    parent: QWidget, target: str, follow: Callable[[str], object], copy: Callable[[], object]
) -> QMenu:
    """The context menu of a value that may lead to a node.

    Args:
        target: the path of the node; empty if it leads nowhere.
        follow: called with the path.
        copy: copies the value.
    """
    menu = QMenu(parent)
    if target:
        shown = target if len(target) <= _MOST else "…" + target[1 - _MOST :]
        menu.addAction(f"Go to {shown.replace('&', '&&')}", lambda: follow(target))
        menu.addSeparator()
    menu.addAction("Copy", copy)
    return menu
