"""A directory that keeps bytes by name, within a budget. Several processes may share it; its content is verified.

Each entry is a file that is written atomically, begins with a checksum of its name and bytes, and may vanish at any time.
So processes need not know of each other, and a killed process does no harm. A failure of the directory is logged once and
never raised: from then on nothing is found and nothing is kept.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import random
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np

from zarrcore.errors import StoreError
from zarrcore.stores.cache.entries import CHECKSUM, FOLDER, LAYOUT, sealed, unsealed
from zarrcore.stores.descriptors import open_flags
from zarrcore.stores.interface import BytesLike
from zarrcore.stores.local.atomic_files import put_file, remove_abandoned, unlink
from zarrcore.stores.local.confined_paths import DIRECTORY, READ
from zarrcore.stores.local.file_reading import read_range
from zarrcore.stores.local.writing import OpenDirectory
from zarrcore.stores.validation import check_place
from zarrcore.system import os

Result = TypeVar("Result")

_log = logging.getLogger(__name__)

_BLOCK: Final = 4096
"""Bytes that the smallest file takes."""

_PARTS: Final = 8
"""After each eighth of the budget that is written, two eighths are freed; no entry is larger than one eighth."""

_CLAIMS: Final = "claims"
_CLAIM: Final = open_flags("O_RDWR", "O_CREAT", "O_CLOEXEC", "O_NOFOLLOW")

_OLD_CLAIM_S: Final = 3600.0

_USED_S: Final = 60.0
"""The precision of an entry's time of last use."""

_PAUSE_S: Final = 60.0
"""The pause of all writing after a write failed."""


class CacheDirectory:
    """Entries beneath a directory; those used least recently are removed first.

    Names are long and begin with evenly distributed characters, as hashes do.

    Args:
        path: the directory; created if missing, accessible only to this user.
        max_bytes: the budget of all entries together. Several processes that write at once may exceed it by an
            eighth each, until they notice.
    """

    def __init__(self, path: str | os.PathLike[str], max_bytes: int) -> None:
        check_place(os.fspath(path))
        self.path = os.path.abspath(os.path.expanduser(os.fspath(path)))
        self.max_bytes = max_bytes
        self._root: OpenDirectory | None = None
        self._claims: dict[str, int] = {}
        self._resume_s = 0.0
        self._warned = False
        self._tidied = False
        # If many processes write little each, some of them have to check the budget.
        self._written = int(random.random() * self._largest)  # noqa: S311 - not for cryptography
        self._sweeper: threading.Thread | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.max_bytes)

    @property
    def _largest(self) -> int:
        return self.max_bytes // _PARTS

    def get(self, name: str) -> BytesLike | None:
        """The bytes kept under a name, or None."""
        root = self._opened()
        if root is None:
            return None
        try:
            descriptor = os.open(_path_of(name), READ, dir_fd=root.descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._skip(error)
            return None
        try:
            _note_use(descriptor)
            content = read_range(descriptor, None) or b""
        except StoreError:
            return None
        except OSError as error:
            if error.errno != errno.ESTALE:  # another machine removed it, on a network file system
                self._skip(error)
            return None
        finally:
            os.close(descriptor)
        value = unsealed(name, content)
        if value is None:
            _log.info("an entry of the cache in %s is damaged and was dropped", self.path)
            self.drop(name)
        return value

    def put(self, name: str, value: BytesLike) -> None:
        """Keep bytes under a name, if there is space."""
        size = CHECKSUM + len(value)
        root = None if size > self._largest or time.monotonic() < self._resume_s else self._opened()
        if root is None:
            return
        if not self._tidied:
            self._tidied = True
            remove_abandoned(root.descriptor)  # left by a process that was killed
        content = sealed(name, value)
        store = partial(put_file, root.descriptor, _path_of(name), content, if_absent=False, durable=False)
        try:
            _in_folder(root, name[:FOLDER], store)
        except OSError as error:
            self._skip(error)
            return
        self._written += _taken(size)
        if self._written >= self._largest:
            self._written = 0
            self._sweep()

    def claim(self, name: str) -> bool:
        """Lock an empty file; False if it is locked already, and True as well if nothing can be kept.

        The system unlocks the file of a process that is killed.
        """
        root = None if time.monotonic() < self._resume_s else self._opened()
        if root is None:
            return True
        create = partial(os.open, _claim_of(name), _CLAIM, 0o600, dir_fd=root.descriptor)
        try:
            while True:
                descriptor = _in_folder(root, _CLAIMS, create)
                if not _lock(descriptor):
                    os.close(descriptor)
                    return False
                if os.fstat(descriptor).st_nlink:
                    self._claims[name] = descriptor
                    return True
                os.close(descriptor)  # the claim was given up, and its file removed, after it was opened
        except OSError as error:
            self._skip(error)
        return True

    def is_claimed(self, name: str) -> bool:
        """Whether a process holds the lock."""
        root = self._opened()
        if root is None:
            return False
        try:
            descriptor = os.open(_claim_of(name), READ, dir_fd=root.descriptor)
        except OSError:
            return False
        try:
            return not _lock(descriptor, shared=True)
        finally:
            os.close(descriptor)

    def unclaim(self, name: str) -> None:
        """Remove the file of a claim."""
        descriptor = self._claims.pop(name, None)
        root = self._opened()
        if root is not None:
            with contextlib.suppress(OSError):
                unlink(root.descriptor, _claim_of(name))
        if descriptor is not None:
            os.close(descriptor)

    def drop(self, name: str) -> None:
        """Remove the entry of a name."""
        root = self._opened()
        if root is not None:
            with contextlib.suppress(OSError):
                unlink(root.descriptor, _path_of(name))

    def endings(self, beginning: str) -> list[str]:
        """The rest of the names of all entries whose names begin with ``beginning``."""
        root = self._opened()
        if root is None:
            return []
        try:
            with _folder(root, beginning[:FOLDER]) as descriptor:
                names = os.listdir(descriptor)
        except OSError:
            return []
        start = beginning[FOLDER:]
        return [name[len(start) :] for name in names if name.startswith(start)]

    def note_ending(self, beginning: str, ending: str) -> None:
        """Nothing: the directory lists its entries."""

    def close(self) -> None:
        """Close the directory; it is opened again when it is used."""
        self._root = None

    def make_room(self) -> None:
        """Remove the least recently used entries until the budget is met with some space to spare."""
        root = self._opened()
        if root is None:
            return
        used, sizes = array("d"), array("q")
        try:
            remove_abandoned(root.descriptor)
            _remove_old_claims(root)
            for _, facts in _files(root):
                used.append(facts.st_atime)
                sizes.append(_taken(facts.st_size))
            excess = sum(sizes) - self.max_bytes * (_PARTS - 2) // _PARTS
            if excess <= 0:
                return
            # Two walks and two numbers per entry: a million names would take hundreds of megabytes.
            order = np.argsort(np.asarray(used))
            newest_s = used[order[np.searchsorted(np.cumsum(np.asarray(sizes)[order]), excess)]]
            for place, facts in _files(root):
                if excess > 0 and facts.st_atime <= newest_s:
                    unlink(root.descriptor, place)
                    excess -= _taken(facts.st_size)
        except OSError as error:
            self._skip(error)

    def _sweep(self) -> None:
        """Free space in the background."""
        if self._sweeper is None or not self._sweeper.is_alive():
            self._sweeper = threading.Thread(target=self.make_room, name="zarrscope-cache")
            with contextlib.suppress(RuntimeError):  # the interpreter is shutting down
                self._sweeper.start()

    def _opened(self) -> OpenDirectory | None:
        root = self._root
        if root is None and time.monotonic() >= self._resume_s:
            try:
                root = self._root = self._open()
            except OSError as error:
                self._skip(error)
        return root

    def _open(self) -> OpenDirectory:
        inner = os.path.join(self.path, LAYOUT)
        os.makedirs(self.path, 0o700, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(inner, 0o700)
        opened = OpenDirectory(inner)
        facts = os.fstat(opened.descriptor)
        if facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
            # Other users could read private data there, or replace it with their own.
            raise PermissionError(errno.EACCES, f"{LAYOUT} in it belongs, or is open, to other users")
        return opened

    def _skip(self, error: OSError) -> None:
        """Stop writing for a while."""
        self._resume_s = time.monotonic() + _PAUSE_S
        if error.errno not in _NO_ROOM:  # existing entries can still be read
            self._root = None
        if not self._warned:
            self._warned = True
            _log.warning("the cache in %s is skipped: %s", self.path, error.strerror)


_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)


def _path_of(name: str) -> str:
    return f"{name[:FOLDER]}/{name[FOLDER:]}"


def _claim_of(name: str) -> str:
    return f"{_CLAIMS}/{name}"


def _lock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock an open file; False if another process prevents it."""
    try:
        import fcntl
    except ImportError:  # Windows has none: processes may fetch the same value
        return True
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: processes may fetch the same value
        pass
    return True


def _in_folder(root: OpenDirectory, folder: str, create: Callable[[], Result]) -> Result:
    """The result of ``create``, which makes a file in a folder; the folder is made first if it is missing."""
    try:
        return create()
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700, dir_fd=root.descriptor)
        return create()


def _taken(size: int) -> int:
    """Bytes that a file takes on the disk."""
    return -(-size // _BLOCK) * _BLOCK


def _note_use(descriptor: int) -> None:
    """Record the time of use in the file, independent of the file system's own access times."""
    facts = os.fstat(descriptor)
    now_ns = time.time_ns()
    if now_ns - facts.st_atime_ns > _USED_S * 1e9:
        with contextlib.suppress(OSError):
            os.utime(descriptor, ns=(now_ns, facts.st_mtime_ns))


def _remove_old_claims(root: OpenDirectory) -> None:
    """Remove the claims that killed processes left, and that no process has waited for."""
    with contextlib.suppress(FileNotFoundError), _folder(root, _CLAIMS) as descriptor:
        for name in os.listdir(descriptor):
            with contextlib.suppress(FileNotFoundError):
                if (
                    time.time() - os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mtime
                    > _OLD_CLAIM_S
                ):
                    unlink(descriptor, name)


@contextlib.contextmanager
def _folder(root: OpenDirectory, name: str) -> Iterator[int]:
    descriptor = os.open(name, DIRECTORY, dir_fd=root.descriptor)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _files(root: OpenDirectory) -> Iterator[tuple[str, os.stat_result]]:
    """All entries, with the facts about their files."""
    for name in os.listdir(root.descriptor):
        if len(name) != FOLDER:
            continue
        with _folder(root, name) as descriptor, os.scandir(descriptor) as found:
            for item in found:
                with contextlib.suppress(FileNotFoundError):
                    yield f"{name}/{item.name}", item.stat(follow_symlinks=False)
