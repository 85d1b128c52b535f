"""The level at which a volume is read: the one that the user chose, or the first that fits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from zarrbrowser.volume.axes import VolumeAxes
from zarrbrowser.volume.grid import VolumeGrid, first_choice
from zarrbrowser.volume.look import chosen_level


@dataclass(frozen=True, slots=True)
class LevelChoice:
    """The levels of a volume along three axes, and one of them."""

    axes: VolumeAxes
    grids: list[VolumeGrid]
    """All that can be chosen."""
    grid: VolumeGrid
    """The one to read."""
    chosen: VolumeGrid | None = None
    """The one that the user chose; None if it was chosen for the user."""

    @classmethod
    def first(cls, axes: VolumeAxes, grids: list[VolumeGrid], planes: int, document: Any) -> LevelChoice:
        """The level that a document of `look_document` names, else the first one that suits so many planes."""
        chosen = chosen_level(document, grids)
        return cls(axes, grids, chosen or first_choice(grids, planes), chosen)

    def choose(self, grid: VolumeGrid) -> LevelChoice:
        """The same levels with another choice of the user."""
        return replace(self, grid=grid, chosen=grid)

    def with_axes(self, axes: VolumeAxes) -> LevelChoice:
        """The same level along the axes of the picture as they are now."""
        if axes.all == self.axes.all:
            return replace(self, axes=axes)
        grids = [one.with_axes(axes.all) for one in self.grids]
        chosen = None if self.chosen is None else self.chosen.with_axes(axes.all)
        return LevelChoice(axes, grids, self.grid.with_axes(axes.all), chosen)
