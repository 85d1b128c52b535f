"""The columns of a plot as JSON: for the history of views and for saved views, which may come from others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from zarrbrowser.plot.curves import LINE_COLOURS


@dataclass(frozen=True, slots=True)
class PlotChoice:
    """What a plot of columns shows."""

    x: str | None
    """The column across; None for the rows."""
    ys: tuple[str, ...]
    has_points: bool | None
    """Whether there are points instead of lines; None if the columns decide."""
    is_log_x: bool = False
    is_log_y: bool = False

    def document(self) -> dict[str, Any]:
        """The choice as JSON."""
        told: dict[str, Any] = {"x": self.x, "y": list(self.ys), "log": [self.is_log_x, self.is_log_y]}
        return {"plot": told if self.has_points is None else {**told, "points": self.has_points}}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> PlotChoice | None:
        """The choice in a document; None if there is none, or it is malformed."""
        try:
            told = document["plot"]
            x, ys, log, points = told["x"], told["y"], told["log"], told.get("points")
            ys = tuple(one for one in ys[: len(LINE_COLOURS)] if isinstance(one, str))
            is_log_x, is_log_y = map(bool, log)
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        has_points = points if isinstance(points, bool) else None
        return cls(x if isinstance(x, str) else None, ys, has_points, is_log_x, is_log_y)
