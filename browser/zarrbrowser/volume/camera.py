"""How a volume is seen: turned, zoomed and panned, without perspective, so that lengths can be measured.

The world has the volume's centre at 0, x to the right along columns, y down along rows, z away from the viewer along the depth.
Seen from the front, a volume looks as its planes do in the Image tab, the first plane nearest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
_CLOSEST, _FARTHEST = 60.0, 0.2
_MARGIN = 0.86
"""The part of the window that the whole volume takes, however it is turned."""


class Side(Enum):
    """A direction to look from."""

    FRONT = "front"
    TOP = "top"
    LEFT = "left"


_TURNS: dict[Side, tuple[tuple[int, int, int], ...]] = {
    # The rows are the directions of the screen in the world: right, down, away from the viewer.
    Side.FRONT: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    Side.TOP: ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    Side.LEFT: ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
}


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """Where the viewer is."""

    turn: Matrix
    """Its rows are the directions of the screen in the world: right, down, away from the viewer."""
    zoom: float = 1.0
    """1 if the whole volume fits into the window."""
    pan: tuple[float, float] = (0.0, 0.0)
    """The place of the volume's centre, right and down of the window's centre, in diameters of the volume as it is drawn."""

    @classmethod
    def initial(cls) -> Camera:
        """Obliquely from above, so that three faces are in view."""
        return cls.of(Side.FRONT).turned(0.55, 0.42)

    @classmethod
    def of(cls, side: Side) -> Camera:
        """From one of the sides."""
        return cls(np.array(_TURNS[side], np.float64))

    def turned(self, right: float, down: float) -> Camera:
        """Turned as if the near side was moved, by angles in radians."""
        cos, sin = math.cos(right), math.sin(right)
        around_down = np.array([[cos, 0, -sin], [0, 1, 0], [sin, 0, cos]])
        cos, sin = math.cos(down), math.sin(down)
        around_right = np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])
        turn = around_right @ around_down @ self.turn
        # Rounding must not deform the volume after many turns.
        left, _, right_ = np.linalg.svd(turn)
        return replace(self, turn=left @ right_)

    def zoomed(self, factor: float, at: tuple[float, float] = (0.0, 0.0)) -> Camera:
        """Closer or farther.

        Args:
            at: the place that stays, right and down of the window's centre, in diameters of the volume at zoom 1.
        """
        zoom = min(max(self.zoom * factor, _FARTHEST), _CLOSEST)
        pan = (
            at[0] / zoom - at[0] / self.zoom + self.pan[0],
            at[1] / zoom - at[1] / self.zoom + self.pan[1],
        )
        return replace(self, zoom=zoom, pan=pan)

    def panned(self, right: float, down: float) -> Camera:
        """Moved, in diameters of the volume at zoom 1."""
        reach = 1.0
        pan = (self.pan[0] + right / self.zoom, self.pan[1] + down / self.zoom)
        return replace(self, pan=(min(max(pan[0], -reach), reach), min(max(pan[1], -reach), reach)))

    def document(self) -> dict[str, Any]:
        """As JSON."""
        turn = [round(float(one), 6) for one in self.turn.reshape(-1)]
        return {"turn": turn, "zoom": round(self.zoom, 6), "pan": [round(one, 6) for one in self.pan]}


def camera_of(document: Any) -> Camera | None:
    """The camera of a document; None if it is malformed."""
    if not isinstance(document, Mapping):
        return None
    try:
        turn = np.array([float(one) for one in document["turn"]]).reshape(3, 3)
        zoom, (right, down) = float(document["zoom"]), document["pan"]
        pan = float(right), float(down)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    is_turn = np.isfinite(turn).all() and np.allclose(turn @ turn.T, np.eye(3), atol=1e-3)
    if not is_turn or np.linalg.det(turn) < 0 or not _FARTHEST <= zoom <= _CLOSEST:
        return None
    if not all(abs(one) <= 1 for one in pan):
        return None
    return Camera(turn, zoom, pan).turned(0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """From the world to a window of some size, and back."""

    camera: Camera
    sides: tuple[float, float, float]
    """The lengths of the volume along x, y and z."""
    width: float
    height: float

    @property
    def diameter(self) -> float:
        """The diagonal of the volume."""
        return math.hypot(*self.sides)

    @property
    def pixels(self) -> float:
        """Pixels per unit of length."""
        return self.camera.zoom * self.pixels_fitted

    @property
    def pixels_fitted(self) -> float:
        """Pixels per unit of length at zoom 1."""
        return _MARGIN * min(self.width, self.height) / self.diameter

    @property
    def centre(self) -> tuple[float, float]:
        """The pixel of the volume's centre."""
        reach = self.pixels * self.diameter
        return (self.width / 2 + self.camera.pan[0] * reach, self.height / 2 + self.camera.pan[1] * reach)

    def place(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """The pixels, right and down, and the distances from the centre away from the viewer, of points of the world.

        Args:
            point: shape (…, 3).
        """
        seen: NDArray[np.float64] = point @ self.camera.turn.T
        right, down = self.centre
        seen *= np.array([self.pixels, self.pixels, 1.0])
        seen += np.array([right, down, 0.0])
        return seen

    def ray(self, right: float, down: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where the ray of a pixel crosses the plane through the centre, in the world, and its direction."""
        middle = self.centre
        on_screen = np.array([(right - middle[0]) / self.pixels, (down - middle[1]) / self.pixels, 0.0])
        return on_screen @ self.camera.turn, self.camera.turn[2]
