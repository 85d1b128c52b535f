"""Loading the engine, and giving it the codecs' functions.

The engine has no codecs of its own. The modules of numcodecs and deflate export the C functions of c-blosc, libzstd, LZ4 and
libdeflate; the engine gets their addresses. So it decodes with the same code as Python does. A codec whose functions
are not found is decoded by Python.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from zarrcore.native.structures import ABI

__all__ = ["ABI", "Engine", "engine", "engine_state"]

_NAME: Final = "libengine.so"
_CHOICE: Final = "ZARRSCOPE_ENGINE"

_FUNCTIONS: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "zstd": (
        "numcodecs",
        "blosc",
        (
            "ZSTD_versionNumber",
            "ZSTD_createDCtx",
            "ZSTD_freeDCtx",
            "ZSTD_DCtx_reset",
            "ZSTD_DCtx_setParameter",
            "ZSTD_decompressDCtx",
            "ZSTD_decompressStream",
            "ZSTD_getFrameContentSize",
            "ZSTD_findFrameCompressedSize",
            "ZSTD_isError",
            "ZSTD_createCCtx",
            "ZSTD_freeCCtx",
            "ZSTD_CCtx_setParameter",
            "ZSTD_compressBound",
            "ZSTD_compress2",
        ),
    ),
    "blosc": ("numcodecs", "blosc", ("blosc_decompress_ctx", "blosc_compress_ctx")),
    "lz4": ("numcodecs", "blosc", ("LZ4_decompress_safe", "LZ4_compressBound", "LZ4_compress_fast")),
    "gzip": (
        "deflate",
        "_deflate",
        (
            "libdeflate_alloc_decompressor",
            "libdeflate_free_decompressor",
            "libdeflate_gzip_decompress_ex",
            "libdeflate_zlib_decompress_ex",
            "libdeflate_alloc_compressor",
            "libdeflate_free_compressor",
            "libdeflate_gzip_compress_bound",
            "libdeflate_gzip_compress",
            "libdeflate_zlib_compress_bound",
            "libdeflate_zlib_compress",
        ),
    ),
}
"""Per codec, the package and its module that export the functions that the codec needs."""

_MADE_OF: Final[dict[str, tuple[str, ...]]] = {
    "crc32c": (),
    "differences": (),
    "fletcher32": (),
    "shuffle": (),
    "zlib": ("gzip",),
    "lz4_blocks": ("lz4",),
    "bitshuffle": ("lz4", "zstd"),
}
"""Per further codec, those whose functions it needs."""


class Engine:
    """The loaded engine.

    Args:
        path: the shared library.

    Attributes:
        codecs: the names of the codecs that it decodes.

    Raises:
        OSError: the library cannot be loaded, or belongs to another version of zarrscope.
    """

    def __init__(self, path: str) -> None:
        library = ctypes.CDLL(path)
        if library.zs_abi() != ABI:
            raise OSError(f"{path} belongs to another version of zarrscope: install zarrscope again")
        self._library = library
        library.zs_bind.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        library.zs_thread_new.restype = ctypes.c_void_p
        library.zs_thread_free.argtypes = [ctypes.c_void_p]
        library.zs_check.argtypes = [ctypes.c_void_p]
        self._read = library.zs_read
        self._read.argtypes = [*[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 2, ctypes.c_void_p]
        self._read.restype = None
        self._write = library.zs_write
        self._write.argtypes = [*[ctypes.c_void_p] * 3, ctypes.c_int64, ctypes.c_void_p]
        self._write.restype = None
        self._copy = library.zs_copy
        self._copy.argtypes = [ctypes.c_void_p] * 3
        self._copy.restype = None
        self._threads = threading.local()
        self._homes: list[ctypes.CDLL] = []
        codecs = {name for name, home in _FUNCTIONS.items() if self._bind(*home)}
        self.codecs = frozenset(
            codecs.union(name for name, needed in _MADE_OF.items() if codecs.issuperset(needed))
        )

    def _bind(self, package: str, module: str, names: tuple[str, ...]) -> bool:
        """Give the engine functions of an extension module, which need not be imported for it."""
        for path in _extension_modules(package, module):
            try:
                home = ctypes.CDLL(path)
                functions = {name: getattr(home, name) for name in names}
            except (OSError, AttributeError):
                continue
            self._homes.append(home)  # which keeps the functions in memory
            for name, function in functions.items():
                self._library.zs_bind(name.encode(), ctypes.cast(function, ctypes.c_void_p))
            return True
        return False

    def accepts(self, job: int) -> bool:
        """Whether the job at an address is valid: each place that it names is inside the memory that it names."""
        return bool(self._library.zs_check(job) == 0)

    def read(self, job: int, first: int, stop: int, status: int) -> None:
        """Read units ``first`` to ``stop`` of an accepted job; ``status`` is the address of the array of all statuses.

        Other Python threads go on meanwhile.
        """
        thread = self._thread()  # the frame keeps it, see _Thread
        self._read(job, thread.address, first, stop, status)

    def write(self, job: int, numbers: int, count: int, status: int) -> None:
        """Write ``count`` units of an accepted job. Their numbers are at an address, and so are their statuses then.

        Other Python threads go on meanwhile.
        """
        thread = self._thread()  # the frame keeps it, see _Thread
        self._write(job, thread.address, numbers, count, status)

    def copy(self, job: int, status: int) -> None:
        """Copy the files of a job of copying; their statuses are at an address then.

        Other Python threads go on meanwhile.
        """
        thread = self._thread()  # the frame keeps it, see _Thread
        self._copy(job, thread.address, status)

    def _thread(self) -> _Thread:
        try:
            thread: _Thread = self._threads.thread
        except AttributeError:
            thread = self._threads.thread = _Thread(self._library)
        return thread


class _Thread:
    """The engine's memory for one thread; it is released with the thread.

    When Python ends, and in a forked child, the values of `threading.local` are dropped even if their thread is still in the
    engine. So each call of the engine keeps a reference of its own, and the memory is not released under it.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        self._free = library.zs_thread_free
        self.address: int = library.zs_thread_new()
        if not self.address:
            raise MemoryError("there is not enough memory for a thread of the engine")

    def __del__(self) -> None:
        if getattr(self, "address", 0):
            self._free(self.address)


def _extension_modules(package: str, module: str) -> Iterator[str]:
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        yield from sorted(map(str, Path(folder).glob(f"{module}.*so")))


def engine() -> Engine | None:
    """The engine; None if there is none, or if ``ZARRSCOPE_ENGINE=python`` turns it off."""
    return _loaded()[0]


def engine_state() -> tuple[bool, str]:
    """Whether the engine is in use, and what it decodes or why it is not."""
    found, why = _loaded()
    return (True, f"decodes {', '.join(sorted(found.codecs))}") if found else (False, why)


@cache
def _loaded() -> tuple[Engine | None, str]:
    choice = os.environ.get(_CHOICE, "")
    if choice == "python":
        return None, f"{_CHOICE}=python turns it off"
    try:
        return Engine(_path()), ""
    except OSError as error:
        if choice == "native":
            raise
        return None, str(error)


def _path() -> str:
    """The shared library.

    Raises:
        OSError: this installation has none, or this kind of machine cannot use it.
    """
    if sys.platform != "linux" or sys.byteorder != "little":
        raise OSError("it is for Linux on little-endian processors")
    path = os.path.join(os.path.dirname(__file__), _NAME)
    if not os.path.exists(path):
        raise OSError("this installation has none: it was built without a C compiler")
    return path
