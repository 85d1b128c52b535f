"""In which order and how fast positions are shown, in the window and in movies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

RATES = (1, 2, 5, 10, 15, 25, 50)
"""Frames per second to choose from."""


class Direction(Enum):
    """The order of the positions."""

    FORWARD = "Forward"
    BACKWARD = "Backward"
    BOTH = "Forward and back"


@dataclass(frozen=True, slots=True)
class Playing:
    """How to play along an axis."""

    rate: float = 10
    """Frames per second."""
    loops: bool = True
    """Whether it starts again at the end."""
    direction: Direction = Direction.FORWARD

    @property
    def heading(self) -> int:
        """The step to begin with."""
        return -1 if self.direction is Direction.BACKWARD else 1

    def after(self, position: int, last: int, heading: int) -> tuple[int, int] | None:
        """The next position and the next step; None at the end.

        Args:
            last: the last position of the axis; the first is 0.
            heading: the present step, 1 or -1.

        >>> Playing().after(4, 4, 1), Playing(direction=Direction.BOTH).after(4, 4, 1)
        ((0, 1), (3, -1))
        >>> Playing(loops=False).after(4, 4, 1)
        """
        if 0 <= position + heading <= last:
            return position + heading, heading
        if self.direction is Direction.BOTH:
            if last == 0 or (not self.loops and heading < 0):
                return None
            return position - heading, -heading
        if not self.loops:
            return None
        return (0 if heading > 0 else last), heading

    def following(self, position: int, last: int, heading: int, number: int) -> list[int]:
        """The other positions that come next, at most ``number`` and each once."""
        found = [position]
        for _ in range(2 * number):  # on the way back, each was there before
            following = self.after(position, last, heading)
            if following is None or len(found) > number:
                break
            position, heading = following
            found += [] if position in found else [position]
        return found[1:]


def frames(first: int, last: int, step: int, direction: Direction) -> list[int]:
    """The positions of a movie's frames, in order.

    >>> frames(0, 4, 2, Direction.BOTH), frames(0, 4, 2, Direction.BACKWARD)
    ([0, 2, 4, 2], [4, 2, 0])
    """
    forward = list(range(min(first, last), max(first, last) + 1, max(1, step)))
    if direction is Direction.FORWARD:
        return forward
    return forward[::-1] if direction is Direction.BACKWARD else forward + forward[-2:0:-1]
