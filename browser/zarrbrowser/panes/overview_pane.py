"""The Overview tab of a group: its location, number of children, and attributes."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from zarrbrowser.nodes.describe import Fact, group_facts
from zarrbrowser.nodes.protocols import GroupLike, NodeLike, is_group
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.panes.attribute_tree import AttributeTree
from zarrbrowser.panes.level_findings import LevelFindings
from zarrbrowser.panes.meaning_facts import MeaningFacts
from zarrbrowser.panes.pane import Pane
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.values.quantities import count
from zarrbrowser.widgets.facts import FactGrid
from zarrbrowser.workers import Lane, Request, Workers

COUNT_UP_TO = 1_000_000
"""Counting of children stops at this number."""


class OverviewPane(Pane):
    """Shows one group."""

    is_filled_for_colours = True

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self.setProperty("role", "surface")
        self._lane = Lane(workers)
        self._facts: FactGrid | None = None
        self.children_label: QLabel | None = None
        self.attributes = AttributeTree(workers)
        self.attributes.change_asked.connect(self.change_asked)
        self.attributes.path_chosen.connect(self.path_chosen)
        self.meaning = MeaningFacts(workers)
        self.findings = LevelFindings(workers)
        self._place = QVBoxLayout()
        self._place.setContentsMargins(16, 16, 16, 12)
        self._place.setSpacing(20)
        line = QFrame()
        line.setFrameShape(QFrame.Shape.HLine)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._place)
        self._place.addWidget(self.meaning)
        self._place.addWidget(self.findings)
        column.addWidget(self.attributes, 1)

    def show_node(self, source: Source, group: NodeLike) -> None:
        """Show a group; its children are counted in the background."""
        self._lane.forget()
        if not is_group(group):
            return
        if self._facts is not None:
            self._place.removeWidget(self._facts)
            self._facts.hide()
            self._facts.deleteLater()
        facts = group_facts(group, source.kind_of(group), source.hierarchy.url)
        warnings = [Fact("Warning", text) for text in source.warnings_of(group)]
        self._facts = FactGrid("", [*facts[:-1], *warnings])  # attributes have their own heading
        self.children_label = text = self._facts.add(Fact("Children", "counting…"))
        self._place.insertWidget(0, self._facts)
        self.meaning.show_node(source, group)
        self.findings.show_node(source, group)
        self.attributes.show_node(source, group)
        self._lane.ask(
            lambda asked: count_children(group, asked),
            text.setText,
            lambda error: text.setText(sentence(error)),
        )

    def unsaved(self) -> dict[str, str]:
        """The texts of attributes that are not saved."""
        return self.attributes.unsaved()

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self.attributes.update_colours()

    def clear(self) -> None:
        """Cancel requests."""
        self._lane.forget()
        self.meaning.clear()
        self.findings.clear()


def count_children(group: GroupLike, asked: Request) -> str:
    """The number of a group's children as text; runs in a worker."""
    number = 0
    for _name in group.child_names():
        number += 1
        if number > COUNT_UP_TO:
            return f"more than {COUNT_UP_TO:,} children"
        if asked.is_cancelled():
            raise Cancelled
    return count(number, "child", "children") if number else "none"
