"""The history of visited nodes, to go back and forward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

MOST = 200


@dataclass(frozen=True, slots=True)
class Visit:
    """A visited node, and the tab that showed it."""

    place: str
    """The source: see `SourceRequest.place`."""
    address: str
    """How to open the source again."""
    path: str
    tab: str
    view_state: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The view settings of its pane: see `Pane.view_state`."""


@dataclass(slots=True, weakref_slot=True)  # PySide6 6.7 keeps weak references to what its signals call
class History:
    """Visits in order, and the present one.

    >>> history = History()
    >>> for path in ("/a", "/b"):
    ...     history.visit(Visit("x.zarr", "x.zarr", path, "Image"))
    >>> history.back().path, history.back(), history.forward().path
    ('/a', None, '/b')
    """

    visits: list[Visit] = field(default_factory=list)
    position: int = -1

    @property
    def here(self) -> Visit | None:
        """The present visit; None before the first."""
        return self.visits[self.position] if self.position >= 0 else None

    @property
    def can_go_back(self) -> bool:
        """Whether there is a visit before this one."""
        return self.position > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether there is a visit after this one."""
        return self.position < len(self.visits) - 1

    def visit(self, visit: Visit) -> None:
        """Record a visit; the present place again is not a new visit."""
        if self.position >= 0 and self.visits[self.position] == visit:
            return
        self.visits = [*self.visits[: self.position + 1], visit][-MOST:]
        self.position = len(self.visits) - 1

    def keep_view_state(self, view_state: Mapping[str, Any]) -> None:
        """Replace the present visit, after its view has changed."""
        if self.position >= 0:
            self.visits[self.position] = replace(self.visits[self.position], view_state=view_state)

    def back(self) -> Visit | None:
        """Go to the visit before and return it; None at the beginning."""
        return self._go(-1) if self.can_go_back else None

    def forward(self) -> Visit | None:
        """Go to the next visit and return it; None at the end."""
        return self._go(1) if self.can_go_forward else None

    def _go(self, by: int) -> Visit:
        self.position += by
        return self.visits[self.position]
