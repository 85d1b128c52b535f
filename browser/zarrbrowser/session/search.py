"""A search over all open sources: progress and results as text."""

from __future__ import annotations

from dataclasses import dataclass, field

from zarrbrowser.session.inventory import NAMES_MOST, Findings, Inventory
from zarrbrowser.session.sources import Source
from zarrbrowser.values.quantities import count


@dataclass(slots=True)
class Search:
    """The inventories of the sources, and the progress of a search in each."""

    inventories: dict[int, Inventory] = field(default_factory=dict)
    latest: dict[int, Findings] = field(default_factory=dict)

    def inventory(self, source: Source) -> Inventory:
        """The inventory of a source; kept until the source is closed."""
        found = self.inventories.get(id(source))
        if found is None:
            found = self.inventories[id(source)] = Inventory(source)
        return found

    def forget(self, source: Source) -> None:
        """Forget the inventory of a source whose nodes have changed."""
        self.inventories.pop(id(source), None)
        self.latest.pop(id(source), None)

    def keep_only(self, sources: list[Source]) -> None:
        """Forget closed sources."""
        known = set(map(id, sources))
        self.inventories = {key: value for key, value in self.inventories.items() if key in known}
        self.latest = {key: value for key, value in self.latest.items() if key in known}

    def summary(self, found: int, shown: int, *, running: bool, stopped: bool) -> str:
        """One line of text: the number of results and of searched nodes."""
        groups = sum(findings.groups for findings in self.latest.values())
        unlisted = sum(findings.unlisted for findings in self.latest.values())
        parts = [f"{found:,} found" if found else "nothing found" if not running else "searching…"]
        if found > shown:
            parts[0] += f", the first {shown:,} shown"
        parts.append(f"{count(groups, 'group')} searched" + ("…" if running else ""))
        names = sum(findings.names for findings in self.latest.values())
        read = sum(findings.read for findings in self.latest.values())
        if read < names:
            parts.append(f"{read:,} of {count(names, 'name')} read")
        if any(findings.is_cut for findings in self.latest.values()):
            parts.append(f"only the first {NAMES_MOST:,} names of a source are searched")
        if unlisted:
            parts.append(f"{count(unlisted, 'group')} cannot be listed")
        if stopped:
            parts.append("stopped")
        return "  ·  ".join(parts)
