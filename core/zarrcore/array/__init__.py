"""Arrays: selections, chunks and the threads that read them."""

from zarrcore.array.array import Array
from zarrcore.array.chunk_cache import ChunkCache
from zarrcore.array.planes import plane_ndim
from zarrcore.array.selection import Selection
from zarrcore.array.selection_text import parse_selection

__all__ = ["Array", "ChunkCache", "Selection", "parse_selection", "plane_ndim"]
