"""The compiled engine for chunks of local files and of bytes in memory, and how Python calls it.

`core/native/` has its source in C. Without it, as on a machine without a compiler, everything works as well, but more slowly.
"""

from zarrcore.native.copies import copy_files
from zarrcore.native.job import Job, JobAxis
from zarrcore.native.library import Engine, engine, engine_state
from zarrcore.native.structures import CODEC_KINDS, EMPTY, MAX_CODECS, MAX_NDIM, NO_FOLDER, OK, NativeCodec

__all__ = [
    "CODEC_KINDS",
    "EMPTY",
    "MAX_CODECS",
    "MAX_NDIM",
    "NO_FOLDER",
    "OK",
    "Engine",
    "Job",
    "JobAxis",
    "NativeCodec",
    "copy_files",
    "engine",
    "engine_state",
]
