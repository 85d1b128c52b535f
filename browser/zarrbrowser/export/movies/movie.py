"""What the user wants of a movie."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from zarrbrowser.export.figures.figure import MM_PER_INCH, FigureOptions
from zarrbrowser.export.movies.playing import Direction, frames

DPI = 100
"""Of movies, so that the size of text has a meaning in pixels."""
SIDES = (64, 4096)
MOST_FRAMES = 100_000


@dataclass(frozen=True, slots=True)
class MovieOptions:
    """The type, the frames and the look of a movie.

    Raises:
        ValueError: the size, the rate or the number of frames is out of range; the text says which.
    """

    kind: str
    """A key of `writers.MOVIE_TYPES`."""
    axis: int
    first: int
    last: int
    step: int = 1
    direction: Direction = Direction.FORWARD
    rate: float = 10.0
    """Frames per second."""
    loops: bool = True
    has_same_contrast: bool = True
    """Whether a colour means the same number in all frames."""
    has_title: bool = True
    """Whether each frame says where it is."""
    width: int = 800
    height: int = 600
    look: FigureOptions = field(default_factory=FigureOptions)
    """The parts of each frame; its size is that of the movie."""

    def __post_init__(self) -> None:
        low, high = SIDES
        if not (low <= self.width <= high and low <= self.height <= high):
            raise ValueError(f"the sides of a movie must be between {low} and {high} pixels")
        if not 0.1 <= self.rate <= 100:
            raise ValueError("the frame rate must be between 0.1 and 100 frames per second")
        if len(self.positions) > MOST_FRAMES:
            raise ValueError(f"{len(self.positions):,} frames are too many (at most {MOST_FRAMES:,})")

    @property
    def positions(self) -> list[int]:
        """The position of each frame along the axis."""
        return frames(self.first, self.last, self.step, self.direction)

    @property
    def duration_s(self) -> float:
        """How long it takes to play once."""
        return len(self.positions) / self.rate

    def frame_options(self, title: str) -> FigureOptions:
        """The options of one frame.

        Args:
            title: where the frame is.
        """
        return replace(
            self.look,
            width_mm=self.width / DPI * MM_PER_INCH,
            height_mm=self.height / DPI * MM_PER_INCH,
            dpi=DPI,
            title=title if self.has_title else "",
            is_transparent=False,
        )
