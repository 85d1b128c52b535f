"""Compressed Morton codes: the identifiers of the chunks of a sharded scale.

Specification: Neuroglancer, "Precomputed format", "Volume", "Compressed Morton code". The bits of x, y and z alternate; a
dimension whose bits are used up is left out.
"""

from __future__ import annotations

from functools import lru_cache

from zarrcore.stores.precomputed.info import Lengths


@lru_cache(64)
def _bits(grid_shape: Lengths) -> tuple[tuple[int, int], ...]:
    """The dimension and the bit in it, for each bit of a code from the lowest on."""
    widths = [max(0, count - 1).bit_length() for count in grid_shape]
    return tuple((axis, bit) for bit in range(max(widths)) for axis in range(3) if bit < widths[axis])


def morton_code(place: Lengths, grid_shape: Lengths) -> int:
    """The code of the chunk at a place of the grid.

    >>> morton_code((1, 0, 0), (4, 4, 4)), morton_code((0, 3, 1), (1, 4, 2))
    (1, 7)
    """
    code = 0
    for position, (axis, bit) in enumerate(_bits(grid_shape)):
        code |= (place[axis] >> bit & 1) << position
    return code


def place_of(code: int, grid_shape: Lengths) -> Lengths | None:
    """The place in the grid of the chunk with a code; None if there is none.

    >>> place_of(7, (1, 4, 2)), place_of(8, (1, 4, 2))
    ((0, 3, 1), None)
    """
    bits = _bits(grid_shape)
    if code >> len(bits):
        return None
    place = [0, 0, 0]
    for position, (axis, bit) in enumerate(bits):
        place[axis] |= (code >> position & 1) << bit
    x, y, z = place
    return (x, y, z) if x < grid_shape[0] and y < grid_shape[1] and z < grid_shape[2] else None
