"""What a node is according to a convention: a heading and facts, read in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zarrbrowser.nodes.describe import Fact
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.panes.late_facts import LateFacts
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrcore.conventions import Meaning


class MeaningFacts(LateFacts):
    """The meaning of one node; hidden for a node without one."""

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show what a node is, once that is read."""
        from zarrcore.conventions import meaning, recognise  # late: for a fast start

        self.clear()
        recognised = recognise(node)
        title = "" if recognised is None else f"{recognised[0].title} {recognised[1]}"

        def show_error(error: Exception) -> None:
            if title:  # otherwise nothing says that there is a meaning
                self._show(title, [Fact("Error", sentence(error))])

        if title:
            self._show(title, [])
        self._lane.ask(lambda _asked: meaning(node, source.hierarchy.node), self._show_meaning, show_error)

    def _show_meaning(self, found: Meaning | None) -> None:
        if found is not None:
            self._show(found.summary, [Fact(label.capitalize(), text) for label, text in found.facts()])
