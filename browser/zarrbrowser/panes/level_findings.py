"""What a check finds in a group itself and its place in consolidated metadata, read in the background from a local store."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from zarrbrowser.nodes.describe import Fact
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.panes.late_facts import LateFacts
from zarrbrowser.session.sources import Source
from zarrbrowser.workers import Request

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrcore.operations.check import Finding

_log = logging.getLogger(__name__)
_SHOWN = 4


class LevelFindings(LateFacts):
    """The errors and warnings of one group; hidden for a group without any."""

    def show_node(self, source: Source, group: NodeLike) -> None:
        """Show what is wrong with a group, once that is known."""
        from zarrcore.hierarchy import Hierarchy  # late: for a fast start
        from zarrcore.operations.check import check_level

        self.clear()
        hierarchy = source.hierarchy
        if not isinstance(hierarchy, Hierarchy) or hierarchy.store.is_remote:
            return  # over a network, each name below the group would be a request

        def work(asked: Request) -> list[Finding]:
            found: list[Finding] = []
            for one in check_level(hierarchy, group.path):
                if asked.is_cancelled():
                    raise Cancelled
                found.append(one)
            return found

        # What cannot be read is reported where it is shown.
        self._lane.ask(
            work, self._show_findings, lambda error: _log.debug("cannot check %s: %s", group.path, error)
        )

    def _show_findings(self, findings: list[Finding]) -> None:
        wrong = [one for one in findings if one.severity in ("error", "warning")]
        if not wrong:
            return
        facts = [Fact(one.severity.capitalize(), one.sentence, one.key or one.path) for one in wrong[:_SHOWN]]
        if len(wrong) > _SHOWN:
            facts.append(Fact("", f"and {len(wrong) - _SHOWN} more, which Check… lists"))
        self._show("What a check finds here", facts)
