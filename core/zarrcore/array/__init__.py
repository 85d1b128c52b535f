"""Arrays: selections, chunks and the threads that read them."""

from zarrcore.array.array import Array
from zarrcore.array.chunks.cache import ChunkCache
from zarrcore.array.chunks.spill import Spill, unnamed_files_folder
from zarrcore.array.pools import limit_threads
from zarrcore.array.reader import Missing, Verify
from zarrcore.array.selection.any_selection import Selection
from zarrcore.array.selection.axes import AxisRange, crossings
from zarrcore.array.selection.planes import plane_ndim
from zarrcore.array.selection.text import parse_selection

__all__ = [
    "Array",
    "AxisRange",
    "ChunkCache",
    "Missing",
    "Selection",
    "Spill",
    "Verify",
    "crossings",
    "limit_threads",
    "parse_selection",
    "plane_ndim",
    "unnamed_files_folder",
]
