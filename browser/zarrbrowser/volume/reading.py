"""Reading the samples of a volume, block by block, and from them the textures that are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.volume.grid import Part, VolumeGrid
from zarrcore.errors import CodecError
from zarrcore.typing import AnyArray


@dataclass(slots=True, eq=False)
class VolumeSamples:
    """The samples of one volume: of one channel, or of the image at one position of its sliders.

    A worker fills it, block by block; what is in `blocks` does not change any more.
    """

    grid: VolumeGrid
    plane: Axes
    """The plane at depth 0, which gives the position along the other axes."""
    values: AnyArray
    """Shape (depth, rows, columns), then red, green and blue if present."""
    blocks: list[Part] = field(default_factory=list)
    """The blocks that are read; of a block with a damaged chunk, its other chunks."""
    damaged: list[Part] = field(default_factory=list)
    """The blocks that are read chunk by chunk, because a chunk does not decode."""
    holes: list[Part] = field(default_factory=list)
    """The chunks that do not decode."""
    error: CodecError | None = None
    """Why the first of them does not decode."""

    @classmethod
    def empty(cls, grid: VolumeGrid, plane: Axes) -> VolumeSamples:
        """Nothing read yet."""
        array = grid.level.array
        colours = () if plane.channel is None else (array.shape[plane.channel],)
        return cls(grid, plane, np.zeros((*grid.shape, *colours), array.dtype))

    @property
    def raster(self) -> Raster:
        """The nearest plane."""
        return Raster.of(self.grid.level, self.plane)

    @property
    def is_whole(self) -> bool:
        """Whether every sample is read."""
        return not self.holes and sum(_size(part) for part in self.blocks) == self.grid.samples


def read(
    volumes: list[VolumeSamples],
    cancelled: Callable[[], bool] | None = None,
    progressed: Callable[[float], None] | None = None,
) -> None:
    """Read what is missing of some volumes; blocks.

    Args:
        progressed: called after each block with how much is done, 0 to 1.

    Raises:
        CodecError: no chunk of a volume decodes.
        ReadCancelledError: ``cancelled`` became true.
        ZarrError: a chunk cannot be read.
    """
    todo = [(volume, part) for volume in volumes for part in _missing(volume)]
    for volume in volumes:
        volume.holes.clear()
        volume.error = None
    for number, (volume, part) in enumerate(todo):
        _read_block(volume, part, cancelled)
        if progressed is not None:
            progressed((number + 1) / len(todo))
    for volume in volumes:
        if volume.error is not None and not volume.blocks:
            raise volume.error


def _missing(volume: VolumeSamples) -> Iterator[Part]:
    """The blocks that are not read; of those that are read in part, the chunks that are missing."""
    for block in volume.grid.blocks():
        parts = volume.grid.chunks(block) if block in volume.damaged else [block]
        yield from (part for part in parts if part not in volume.blocks)


def _read_block(volume: VolumeSamples, part: Part, cancelled: Callable[[], bool] | None) -> None:
    try:
        _read_part(volume, part, cancelled)
    except CodecError as error:
        chunks = volume.grid.chunks(part)
        if chunks == [part]:
            volume.values[part] = 0
            volume.holes.append(part)
            volume.error = volume.error or error
        else:
            volume.damaged.append(part)
            for chunk in chunks:
                _read_block(volume, chunk, cancelled)


def _read_part(volume: VolumeSamples, part: Part, cancelled: Callable[[], bool] | None) -> None:
    grid, plane = volume.grid, volume.plane
    axes = [*grid.axes, *([] if plane.channel is None else [plane.channel])]
    # The array's order of axes, so that chunks are decoded into place.
    turned = volume.values[part].transpose([axes.index(axis) for axis in sorted(axes)])
    selection = grid.selection(volume.raster.index, part, plane.channel)
    grid.level.array.read(selection, turned, cancelled=cancelled)
    if part not in volume.blocks:  # a worker that was cancelled too late may have read it, too
        volume.blocks.append(part)


def _size(part: Part) -> int:
    depth, rows, columns = (side.stop - side.start for side in part)
    return int(depth * rows * columns)
