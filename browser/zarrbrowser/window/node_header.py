"""The name of a node above its tabs, with its path, its format, and buttons to export and copy it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from zarrbrowser.models.tree_columns import node_icon_name
from zarrbrowser.nodes.describe import summary
from zarrbrowser.nodes.protocols import NodeLike, is_broken
from zarrbrowser.session.sources import Source
from zarrbrowser.theme import current_colours, icon
from zarrbrowser.theme.fonts import scaled
from zarrbrowser.widgets.breadcrumbs import Breadcrumbs
from zarrbrowser.widgets.buttons import tool_button
from zarrbrowser.widgets.change_chip import ChangeChip
from zarrbrowser.widgets.label import ElidedLabel, label

_MARGINS, _SMALL_MARGINS = (16, 12, 16, 6), (16, 4, 16, 2)


class NodeHeader(QWidget):
    """Says which node is shown."""

    def __init__(self) -> None:
        super().__init__()
        self._picture, self._name, self.summary = QLabel(), ElidedLabel("title"), ElidedLabel("muted")
        self.summary.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.crumbs, self.change_chip = Breadcrumbs(), ChangeChip()
        self.format_chip = label(role="chip")
        self.format_chip.setFixedHeight(scaled(24))
        self.export_button = tool_button("export", "Export the displayed data (Ctrl+E)")
        self.copy_button = tool_button("code", "Copy as code, as a command or as a path")
        self.copy_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(*_MARGINS)
        row.setSpacing(12)
        self._words = words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self._name)
        below = QHBoxLayout()
        below.setSpacing(16)
        below.addWidget(self.summary)
        below.addWidget(self.crumbs, 1)
        words.addLayout(below)
        row.addWidget(self._picture)
        row.addLayout(words, 1)
        for part in (self.change_chip, self.format_chip, self.export_button, self.copy_button):
            row.addWidget(part, 0, Qt.AlignmentFlag.AlignVCenter)

    def shrink(self, *, is_small: bool) -> None:
        """Take one line instead of two, without the icon: a small window has more room for data then."""
        way = QBoxLayout.Direction.LeftToRight if is_small else QBoxLayout.Direction.TopToBottom
        if self._words.direction() is way:
            return
        self._words.setDirection(way)
        self._words.setSpacing(16 if is_small else 0)
        # A short name leaves the rest of the line to what the node is.
        wide = QSizePolicy.Policy.Maximum if is_small else QSizePolicy.Policy.Expanding
        self._name.setSizePolicy(wide, QSizePolicy.Policy.Fixed)
        for place, share in enumerate((3, 2) if is_small else (0, 0)):  # the name is cut last
            self._words.setStretch(place, share)
        self._picture.setHidden(is_small)
        self._row.setContentsMargins(*(_SMALL_MARGINS if is_small else _MARGINS))

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show the name of a node, and what it is."""
        self._name.set_text(node.name or source.title)
        self.crumbs.show_path(source.title, node.path)
        self.summary.set_text(summary(node))
        self.format_chip.setText(source.kind_of(node))
        self.change_chip.setVisible(source.may_change)
        self.draw_icon(node)

    def draw_icon(self, node: NodeLike) -> None:
        """Draw the icon of a node in the colours of the application's theme."""
        colours = current_colours()
        colour = colours.warning if is_broken(node) else colours.accent
        self._picture.setPixmap(icon(node_icon_name(node), colour).pixmap(QSize(32, 32)))
