"""``zarrscope`` as a protocol of fsspec: the trees of a mount, to be read only.

``fsspec.filesystem("zarrscope", source="s3://bucket/data.zarr", anonymous=True)`` has the paths ``arrays/…``, ``keys/…``,
``zarr3/…`` and ``hdf5/…`` of a mount. Chains of URLs work as for ``zip``: ``zarrscope://hdf5/x.h5::s3://bucket/data.zarr``.
Nothing here needs FUSE.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, NoReturn

from fsspec.spec import AbstractFileSystem

from zarrcore.errors import ReadOnlyError, ZarrError
from zarrcore.threads import ThreadPool
from zarrfs.fsspec.file import ZarrscopeFile
from zarrfs.fsspec.source import Shown, source_of
from zarrfs.trees.entry import Directory, Entry, File, OpenFile
from zarrfs.trees.paths import find, open_file

_OF_FSSPEC: Final = (
    "use_listings_cache",
    "listings_expiry_time",
    "max_paths",
    "asynchronous",
    "loop",
    "batch_size",
)
"""Options that every file system of fsspec has."""
_THREADS: Final = 8
"""Ranges of files that `ZarrscopeFileSystem.cat_ranges` reads at once; reading an array uses threads of its own."""


class ZarrscopeFileSystem(AbstractFileSystem):  # type: ignore[misc]
    """The trees of a store as a read-only file system. Instances with the same arguments share their memory.

    Args:
        source: path or URL of a store, or ``SOURCE#/node/path``.
        view: ``keys``, ``arrays``, ``zarr3`` or ``hdf5``: only that tree, at the root; None for all as directories.
        format: the format of the hierarchy; None detects it.
        metadata_ttl: how old an answer may be, in seconds; 0 always asks the store.
        cache_size: memory for decoded chunks, in bytes or as text such as "512M".
        spill_size: disk space for decoded chunks that do not fit in ``cache_size``, likewise.
        show: the file types that listings show; all others open by name.
        fo, target_protocol, target_options: set by fsspec for a chain of URLs, instead of ``source``.
        options: fields of `zarrcore.stores.StoreOptions`, and options of fsspec itself.

    Raises:
        StoreError: when it is first used, if the source cannot be opened.
        TypeError: an option is unknown.
    """

    protocol = "zarrscope"
    root_marker = ""

    def __init__(self, source: str | os.PathLike[str] | None = None, **options: Any) -> None:
        super().__init__(**{name: options.pop(name) for name in _OF_FSSPEC if name in options})
        self._source = source_of(source, options)
        self._opened: tuple[int, Shown] | None = None

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        stripped = super()._strip_protocol(path)
        return stripped if isinstance(stripped, list) else stripped.strip("/")

    def _shown(self) -> Shown:
        if self._opened is None or self._opened[0] != os.getpid():
            self._opened = os.getpid(), self._source.shown()
        return self._opened[1]

    def _find(self, path: str) -> Entry:
        entry = find(self._shown().root, _names(path))
        if entry is None:
            raise FileNotFoundError(path)
        return entry

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Name, size, type, and ``mtime`` in seconds where it is known.

        Raises:
            FileNotFoundError: there is no such file.
            StoreError: the store failed.
        """
        path = self._strip_protocol(path)
        entry = self._find(path)
        return _facts(path, entry.sized(True) if isinstance(entry, File) else entry)

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        """The entries of a directory, or the one of a file; without ``detail``, only their names.

        Raises:
            As `info`.
        """
        path = self._strip_protocol(path)
        entry = self._find(path)
        if not isinstance(entry, Directory):
            return [self.info(path)] if detail else [path]
        above = f"{path}/" if path else ""
        if not detail:
            return [above + name for name, _ in entry.entries()]
        return [_facts(above + name, _measured(listed)) for name, listed in entry.entries()]

    def _opened_file(self, path: str) -> OpenFile:
        names = _names(self._strip_protocol(path))
        found = open_file(self._shown().root, names)
        if found is None:
            raise IsADirectoryError(path) if find(self._shown().root, names) else FileNotFoundError(path)
        return found[1]

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        autocommit: bool = True,
        cache_options: dict[str, Any] | None = None,
        cache_type: str | None = None,
        **_: Any,
    ) -> ZarrscopeFile:
        if mode != "rb":
            self._refuse()
        opened = self._opened_file(path)
        # Reading ahead in a decoded file would decode chunks that were not requested; decoded chunks are cached anyway.
        cache = cache_type or ("none" if opened.caching.pages_expire else "readahead")
        return ZarrscopeFile(self, path, opened, block_size or self.blocksize, cache, cache_options)

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        """The bytes of a file, or a part of them; negative offsets count from its end.

        Raises:
            As `info`.
        """
        opened = self._opened_file(path)
        first, stop, _step = slice(start, end).indices(opened.size)
        try:
            return bytes(opened.read(first, stop - first, True)) if first < stop else b""
        finally:
            opened.close()

    def cat_ranges(
        self,
        paths: list[str],
        starts: Any,
        ends: Any,
        max_gap: int | None = None,
        on_error: str = "return",
        **_: Any,
    ) -> list[Any]:
        """Parts of files, several at once; ``starts`` and ``ends`` are one number for all, or one for each path."""
        if max_gap is not None:
            raise NotImplementedError("max_gap")
        firsts, stops = (
            [*each] if isinstance(each, Sequence) else [each] * len(paths) for each in (starts, ends)
        )
        with ThreadPool(_THREADS, "zarrfs-fsspec") as threads:
            asked = [
                threads.submit(self.cat_file, path, first, stop)
                for path, first, stop in zip(paths, firsts, stops, strict=True)
            ]
        return [_answer(part, on_error) for part in asked]

    def modified(self, path: str) -> datetime:
        """When a file was written.

        Raises:
            NotImplementedError: it is unknown.
            As `info`.
        """
        mtime_s = self._find(self._strip_protocol(path)).mtime_s
        if mtime_s is None:
            raise NotImplementedError(f"the time of {path} is unknown")
        return datetime.fromtimestamp(mtime_s, UTC)

    def invalidate_cache(self, path: str | None = None) -> None:
        """Drop everything that is remembered, also by other instances for the same source."""
        super().invalidate_cache(path)
        self._shown().trees.refresh()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ReadOnlyError("this file system is read-only")

    mkdir = makedirs = rmdir = rm = rm_file = _rm = cp_file = mv = touch = pipe_file = put_file = _refuse


def _names(path: str) -> list[str]:
    return path.split("/") if path else []


def _measured(entry: Entry) -> Entry:
    """The entry with its size, if that can be computed."""
    if isinstance(entry, File) and not entry.is_sized:
        with suppress(ZarrError):
            return entry.sized(True)
    return entry


def _facts(path: str, entry: Entry) -> dict[str, Any]:
    is_file = isinstance(entry, File)
    facts: dict[str, Any] = {
        "name": path,
        "size": 0 if not is_file else entry.size if entry.is_sized else None,
        "type": "file" if is_file else "directory",
    }
    if entry.mtime_s is not None:
        facts["mtime"] = entry.mtime_s
    if is_file and entry.version is not None:
        facts["version"] = entry.version
    return facts


def _answer(part: Future[bytes], on_error: str) -> Any:
    error = part.exception()
    if error is None:
        return part.result()
    if on_error == "return":
        return error
    raise error
