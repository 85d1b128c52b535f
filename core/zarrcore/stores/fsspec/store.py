"""Stores of fsspec in addition to zarrcore's own: FTP, SFTP, SMB, WebHDFS, archives, caches, and chains of them.

An implementation of fsspec may raise any error of the library it uses, and names facts in its own way. So after a
failure it is asked if the file exists.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Iterator
from datetime import datetime
from typing import Any, Final

import xxhash

from zarrcore.errors import BodyTooLargeError, UnreachableError
from zarrcore.stores.connection.retries import Retries
from zarrcore.stores.fsspec.failures import fsspec_failure, is_absent
from zarrcore.stores.fsspec.source import GivenFilesystem, UrlFilesystem, turn
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
    WritableStore,
)
from zarrcore.stores.keys import check_path_like_key, check_path_like_prefix
from zarrcore.stores.local.atomic_files import is_temporary, temporary_name
from zarrcore.stores.options import DEFAULTS, StoreOptions

_ATTEMPTS: Final = 20
_TIMES: Final = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")
_REQUESTS_IN_FLIGHT: Final = 8


class FsspecStore(ReadableStore, ListableStore, WritableStore):
    """The files beneath a directory of a file system. Listings come from it a directory at a time.

    Values are stored atomically if the file system can rename files or is an object store. ``if_absent`` holds between
    the threads of a process, and between processes if the file system guarantees it.

    Args:
        source: a URL, a chain of URLs, or an fsspec file system.
        path: the directory, if a file system is given.
        options: how to connect, if a URL is given.

    >>> from fsspec.implementations.memory import MemoryFileSystem
    >>> store = FsspecStore(MemoryFileSystem(), "/example")
    >>> store.set("a/b", b"1"), store.get("a/b"), [entry.key for entry in store.list_dir("")]
    (True, b'1', ['a/'])
    """

    is_remote = True
    requests_in_flight = _REQUESTS_IN_FLIGHT

    def __init__(self, source: Any, path: str = "", options: StoreOptions = DEFAULTS) -> None:
        self._source = (
            UrlFilesystem(source, options) if isinstance(source, str) else GivenFilesystem(source, path)
        )
        self.url = self._source.url
        self._options = options
        self._has_answered = False

    @property
    def identity(self) -> Hashable:
        return "fsspec", self._source.identity

    def close(self) -> None:
        self._source.forget()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        check_path_like_key(key, self.url)
        value: bytes | None = self._ask(
            key, lambda fs, root: self._fetch(fs, root + key, key, byte_range, max_nbytes)
        )
        return value

    def _fetch(
        self, fs: Any, path: str, key: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> bytes | None:
        start, stop = byte_range or ByteRange(0)
        if start < 0 or max_nbytes is not None or (stop is not None and stop <= start):
            facts = _info(fs, path)
            if facts is None:
                return None
            if facts["size"] is not None:
                start, stop = ByteRange(start, stop).resolve(facts["size"])
                if max_nbytes is not None and stop - start > max_nbytes:
                    raise BodyTooLargeError(stop - start, max_nbytes, key=key, url=self.url)
                if stop <= start:
                    return b""
        try:
            return bytes(fs.cat_file(path, start or None, stop))
        except Exception:
            facts = _info(fs, path)
            if facts is None:
                return None
            if facts["size"] is not None and start >= facts["size"]:
                return b""
            raise

    def stat(self, key: str) -> StoreStat | None:
        check_path_like_key(key, self.url)
        facts = self._ask(key, lambda fs, root: _info(fs, root + key))
        if facts is None:
            return None
        size = facts["size"]
        if size is None:
            value = self.get(key)
            return None if value is None else StoreStat(len(value), _mtime_s(facts))
        etag = xxhash.xxh3_64_hexdigest(repr(sorted(facts.items())).encode())
        return StoreStat(size, _mtime_s(facts), etag)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_path_like_prefix(prefix, self.url)
        for facts in self._ask(prefix, lambda fs, root: _listed(fs, (root + prefix).rstrip("/") or "/")):
            name = str(facts["name"]).rstrip("/").rpartition("/")[2]
            if facts["type"] == "directory":
                yield StoreEntry(f"{prefix}{name}/")
            elif not is_temporary(name):
                yield StoreEntry(prefix + name, facts.get("size"), _mtime_s(facts))

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        way = [self.list_dir(prefix)]
        while way:
            entry = next(way[-1], None)
            if entry is None:
                way.pop()
            elif entry.is_prefix:
                way.append(self.list_dir(entry.key))
            else:
                yield entry

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        check_path_like_key(key, self.url)
        data = bytes(value)
        stored: bool = self._ask(
            key, lambda fs, root: _put(fs, root, key, data, if_absent), again=not if_absent
        )
        return stored

    def erase(self, key: str) -> None:
        check_path_like_key(key, self.url)
        self._ask(key, lambda fs, root: _remove(fs, root, key))

    def _ask(self, key: str, call: Callable[[Any, str], Any], *, again: bool = True) -> Any:
        """The file system's answer; repeated through a new file system if the connection broke."""
        retries = Retries(self._options, self.url)
        while True:
            try:
                fs, path = self._source.get()
                with turn(fs):
                    found = call(fs, path.rstrip("/") + "/" if path else "")
            except Exception as error:  # noqa: BLE001 - each implementation raises errors of its own
                failure = fsspec_failure(error, key, self.url, self._source.hint)
                repeatable = again and isinstance(failure, UnreachableError)
                # Most implementations have already repeated it themselves.
                if not repeatable or not retries.wait(briefly=not self._has_answered):
                    raise failure from None
                self._source.forget()
            else:
                self._has_answered = True
                return found


def _info(fs: Any, path: str) -> dict[str, Any] | None:
    """The facts about a file; None if it is missing or a directory."""
    try:
        facts: dict[str, Any] = dict(fs.info(path))
    except Exception as error:
        if is_absent(error):
            return None
        raise
    facts.setdefault("size", None)
    return None if facts.get("type") == "directory" else facts


def _listed(fs: Any, path: str) -> list[dict[str, Any]]:
    try:
        found = fs.ls(path, detail=True)
    except Exception as error:
        if is_absent(error):
            return []
        raise
    # The listing of a file is the file itself, and some file systems list a directory as its own member.
    return [facts for facts in found if str(facts["name"]).strip("/") != path.strip("/")]


def _put(fs: Any, root: str, key: str, data: bytes, if_absent: bool) -> bool:
    from fsspec import AbstractFileSystem

    path = root + key
    if not _has_directories(fs):
        try:
            fs.pipe_file(path, data, mode="create" if if_absent else "overwrite")
        except FileExistsError:
            return False
        return True
    if fs.isdir(path):
        raise IsADirectoryError(21, "there is a directory of this name, which contains other keys")
    if if_absent and _info(fs, path) is not None:
        return False
    above = path.rpartition("/")[0]
    renames = type(fs).mv is not AbstractFileSystem.mv
    temporary = f"{above}/{temporary_name()}" if renames else path
    _write(fs, temporary, above, data)
    if renames:
        try:
            fs.mv(temporary, path)
        except BaseException:
            with contextlib.suppress(Exception):
                fs.rm_file(temporary)
            raise
    return True


def _write(fs: Any, path: str, above: str, data: bytes) -> object:
    """Write a file in the directory ``above``, created if it is missing or was removed by an erase meanwhile."""
    for _ in range(_ATTEMPTS):
        try:
            return fs.pipe_file(path, data)
        except Exception:
            if not above or fs.isdir(above):
                raise
            fs.makedirs(above, exist_ok=True)
    return fs.pipe_file(path, data)


def _remove(fs: Any, root: str, key: str) -> None:
    path = root + key
    if _info(fs, path) is None:
        return
    try:
        fs.rm_file(path)
    except Exception as error:
        if not is_absent(error):
            raise
    while _has_directories(fs) and "/" in key:
        key = key.rpartition("/")[0]
        try:
            fs.rmdir(root + key)
        except Exception:  # noqa: BLE001 - implementations raise different errors for a directory with other keys
            return


def _has_directories(fs: Any) -> bool:
    """Whether directories must be created before files; asynchronous file systems are object stores."""
    return not getattr(fs, "async_impl", False)


def _mtime_s(facts: dict[str, Any]) -> float | None:
    for name in _TIMES:
        value = facts.get(name)
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, int | float):
            return float(value)
    return None
