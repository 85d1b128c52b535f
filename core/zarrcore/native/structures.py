"""The structures of ``core/native/engine.h``."""

from __future__ import annotations

import ctypes
from ctypes import c_char, c_char_p, c_int32, c_int64, c_void_p
from typing import Final

ABI: Final = 8
"""``ZS_ABI``: it changes with the structures."""

MAX_NDIM: Final = 32
MAX_CODECS: Final = 8

OK: Final = 0
EMPTY: Final = 6
NO_FOLDER: Final = 7
FILLED: Final = 8
"""Some of what may become of a unit."""

_CODECS: Final = (
    *("zstd", "blosc", "gzip", "zlib", "crc32c", "lz4", "shuffle", "fletcher32"),
    *("lz4_blocks", "bitshuffle", "differences"),
)
CODEC_KINDS: Final = {name: number for number, name in enumerate(_CODECS, 1)}


class NativeCodec(ctypes.Structure):
    """``zs_codec``."""

    _fields_ = (
        ("kind", c_int32),
        ("width", c_int32),
        ("decoded_nbytes", c_int64),
        ("block_nbytes", c_int64),
        ("compression", c_int32),
        ("samples", c_int32),
        ("level", c_int32),
        ("has_checksum", c_int32),
        ("shuffle", c_int32),
        ("type_nbytes", c_int32),
        ("compressor", c_char_p),
    )


class NativeAxis(ctypes.Structure):
    """``zs_axis``."""

    _fields_ = (
        ("chunk_length", c_int64),
        ("chunk_stride", c_int64),
        ("array_length", c_int64),
        ("array_stride", c_int64),
        ("ncrossings", c_int64),
        ("crossings", c_void_p),
    )


class NativeJob(ctypes.Structure):
    """``zs_job``."""

    _fields_ = (
        ("ndim", c_int32),
        ("itemsize", c_int32),
        ("ncodecs", c_int32),
        ("swap_nbytes", c_int32),
        ("axes", c_void_p),
        ("codecs", c_void_p),
        ("array", c_void_p),
        ("memory", c_void_p),
        ("memory_end", c_void_p),
        ("nunits", c_int64),
        ("is_listed", c_int32),
        ("arrays", c_void_p),
        ("root", c_int32),
        ("follows_links", c_int32),
        ("lead", c_char_p),
        ("separator", c_char),
        ("is_reversed", c_char),
        ("decodes_whole", c_char),
        ("max_encoded_nbytes", c_int64),
        ("parts", c_void_p),
        ("order", c_void_p),
        ("inode", c_int64),
        ("mtime_ns", c_int64),
        ("file_nbytes", c_int64),
        ("bytes", c_void_p),
        ("points", c_void_p),
        ("first_points", c_void_p),
        ("npoints", c_int64),
        ("fill", c_char_p),
        ("stores_empty", c_int32),
    )


class NativeCopyJob(ctypes.Structure):
    """``zs_copy_job``."""

    _fields_ = (
        ("count", c_int64),
        ("root", c_int32),
        ("follows_links", c_int32),
        ("new_root", c_int32),
        ("new_follows_links", c_int32),
        ("names", c_char_p),
        ("new_names", c_char_p),
        ("names_nbytes", c_int64),
        ("new_names_nbytes", c_int64),
        ("max_nbytes", c_int64),
        ("verifies", c_int32),
    )
