"""Text on what was read for a picture, and what was not."""

from __future__ import annotations

from zarrbrowser.image.levels import Image
from zarrbrowser.image.tiles.frames import Frame
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.values.quantities import count, format_bytes, format_duration


def reading(image: Image, settings: ViewSettings) -> str:
    """The read that is running."""
    where = settings.describe(image)
    return f"Reading {image.path}" + (f", {where}" if where else "")


def report(image: Image, settings: ViewSettings, frame: Frame, took_s: float) -> str:
    """The level that is shown, and how much was read for it."""
    raster, where = frame.raster, settings.describe(image)
    what = raster.level.array.path + (f", {where}" if where else "")
    parts = []
    if len(image.levels) > 1:
        parts.append(f"level {image.levels.index(raster.level)} of 0–{len(image.levels) - 1}")
    if max(raster.steps) > 1:
        parts.append("every {} × {} elements".format(*raster.steps))
    if frame.is_held_back:
        parts.append("nothing was read")
    elif frame.cost.chunks:
        read = f"{format_bytes(frame.cost.nbytes)} in {count(frame.cost.chunks, 'chunk')}"
        parts.append(f"{read}, {format_duration(took_s)}")
    return f"{what}: {' · '.join(parts)}" if parts else what


def withheld(cost: ReadCost, *, is_in_view: bool) -> str:
    """The question before a large read."""
    what = "The part in view crosses" if is_in_view else "The middle is shown. The whole plane crosses"
    return f"{what} {count(cost.chunks, 'chunk')}, {format_bytes(cost.nbytes)} when decoded."
