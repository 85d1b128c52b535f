"""The Attributes tab: the user's own metadata as a tree."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from zarrbrowser.nodes.protocols import NodeLike, is_array, is_group
from zarrbrowser.panes.attribute_tree import AttributeTree
from zarrbrowser.panes.pane import Pane
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.workers import Workers


class AttributesPane(Pane):
    """Shows the attributes of one node."""

    is_filled_for_colours = True

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self.attributes = AttributeTree(workers)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.attributes)

        self.attributes.change_asked.connect(self.change_asked)
        self.attributes.path_chosen.connect(self.path_chosen)

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show the attributes of a group or an array."""
        if is_array(node) or is_group(node):
            self.attributes.show_node(source, node)

    def unsaved(self) -> dict[str, str]:
        """The texts of attributes that are not saved."""
        return self.attributes.unsaved()

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self.attributes.update_colours()
