"""How a volume is drawn: from where, and by which rule the samples along a ray become one colour."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from zarrbrowser.volume.camera import Camera, camera_of
from zarrbrowser.volume.grid import VolumeGrid


class Mode(Enum):
    """What is drawn of the samples along a ray."""

    MAXIMUM = "maximum"
    """The largest one."""
    TRANSLUCENT = "translucent"
    """All, as in a fog: the brighter a sample, the less is seen of those behind it."""
    SURFACE = "surface"
    """The first one that reaches the threshold, lit by a lamp at the viewer."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a volume is drawn."""

    camera: Camera = field(default_factory=Camera.initial)
    mode: Mode = Mode.MAXIMUM
    opacity: float = 0.5
    """Of `Mode.TRANSLUCENT`, 0 to 1."""
    threshold: float = 0.5
    """Of `Mode.SURFACE`: 0 for the lower bound of the contrast, 1 for the upper."""

    @property
    def density(self) -> float:
        """The fog of the brightest samples, in thicknesses of the whole volume that let 1/e of the light through."""
        return 0.5 * math.pow(1000.0, self.opacity)

    def with_strength(self, value: float) -> Look:
        """The same look with another threshold, or another opacity if it has no surface."""
        is_surface = self.mode is Mode.SURFACE
        return replace(self, threshold=value) if is_surface else replace(self, opacity=value)


def look_document(look: Look, grid: VolumeGrid | None) -> dict[str, Any]:
    """A look as JSON, with the level that is shown.

    Args:
        grid: the user's choice; None if the level was chosen for the user.
    """
    return {
        "camera": look.camera.document(),
        "mode": look.mode.value,
        "opacity": look.opacity,
        "threshold": look.threshold,
        "level": None if grid is None else [grid.number, list(grid.steps)],
    }


def apply_look(look: Look, document: Any) -> Look:
    """The look in a document; what is malformed stays as it is."""
    if not isinstance(document, Mapping):
        return look
    modes = {mode.value: mode for mode in Mode}
    return replace(
        look,
        camera=camera_of(document.get("camera")) or look.camera,
        mode=modes.get(str(document.get("mode")), look.mode),
        opacity=_part(document.get("opacity"), look.opacity),
        threshold=_part(document.get("threshold"), look.threshold),
    )


def chosen_level(document: Any, grids: list[VolumeGrid]) -> VolumeGrid | None:
    """The level in a document; None if it names none of those that are offered."""
    level = document.get("level") if isinstance(document, Mapping) else None
    for grid in grids:
        if level == [grid.number, list(grid.steps)]:
            return grid
    return None


def _part(value: Any, otherwise: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return min(max(float(value), 0.0), 1.0) if is_number else otherwise
