"""Arrays: selections, chunks and the threads that read them."""

from zarrcore.array.array import Array
from zarrcore.array.chunk_cache import ChunkCache
from zarrcore.array.planes import plane_ndim
from zarrcore.array.selection import AxisRange, Selection, crossings
from zarrcore.array.selection_text import parse_selection
from zarrcore.array.spill import Spill, unnamed_files_folder

__all__ = [
    "Array",
    "AxisRange",
    "ChunkCache",
    "Selection",
    "Spill",
    "crossings",
    "parse_selection",
    "plane_ndim",
    "unnamed_files_folder",
]
