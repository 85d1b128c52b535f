"""The compiled engine for chunks of local files, and how Python calls it.

`core/native/` has its source in C. Without it, as on a machine without a compiler, everything works as well, but more slowly.
"""

from zarrcore.native.job import Job, JobAxis
from zarrcore.native.library import Engine, engine, engine_state
from zarrcore.native.structures import MAX_CODECS, MAX_NDIM, NativeCodec

__all__ = ["MAX_CODECS", "MAX_NDIM", "Engine", "Job", "JobAxis", "NativeCodec", "engine", "engine_state"]
