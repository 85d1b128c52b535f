"""The module ``os``, with stand-ins for what zarrscope uses and the system lacks: ``from zarrcore.system import os``.

On Linux it is Python's own module. macOS lacks calls that save work or time. Windows has also no descriptors of
directories. There, a directory that was opened stands for its path, so that a directory that is replaced while it is in
use is not noticed, and a link is followed as it is when a file is opened.
"""

from __future__ import annotations

import errno
import itertools
import os as whole
import stat
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NoReturn

_ON_LINUX: Final = ("preadv", "posix_fallocate", "fdatasync", "copy_file_range", "getxattr")
_FIRST: Final = 1 << 24
"""Numbers of open directories; the system gives files smaller ones."""
_AT: Final = ("dir_fd", "src_dir_fd", "dst_dir_fd")


class System:
    """``os`` with what the system lacks."""

    def __init__(self) -> None:
        self._turn = Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(whole, name)

    def fdatasync(self, descriptor: int) -> None:
        whole.fsync(descriptor)

    def posix_fallocate(self, *_: object) -> NoReturn:
        _unsupported()

    def copy_file_range(self, *_: object) -> NoReturn:
        _unsupported()

    def getxattr(self, *_: object) -> NoReturn:
        _unsupported()

    def setxattr(self, *_: object) -> NoReturn:
        _unsupported()

    def preadv(self, descriptor: int, buffers: list[memoryview], offset: int) -> int:
        """Fills the first buffer only, which callers have to expect."""
        found: bytes = self.pread(descriptor, len(buffers[0]), offset)
        buffers[0][: len(found)] = found
        return len(found)


class SystemByPath(System):
    """``os`` on Windows: directories by their paths, and positions in files by seeking."""

    O_DIRECTORY, O_PATH, O_NOFOLLOW = 1 << 28, 1 << 29, 1 << 30
    SEEK_DATA = SEEK_HOLE = -1

    def __init__(self) -> None:
        super().__init__()
        self._numbers = itertools.count(_FIRST)
        self._paths: dict[int, str] = {}
        for name in ("access", "lstat", "mkdir", "rmdir", "stat", "unlink"):
            setattr(self, name, self._by_path(getattr(whole, name)))
        for name in ("link", "rename", "replace"):
            setattr(self, name, self._from_path_to_path(getattr(whole, name)))
        for name in ("listdir", "scandir", "fstat"):
            setattr(self, name, self._of_directory(name))

    def open(self, path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        """A descriptor, or the number of a directory, or of a path that is only looked at."""
        place = self.place(path, dir_fd)
        own = flags & (self.O_DIRECTORY | self.O_PATH | self.O_NOFOLLOW)
        if own & self.O_NOFOLLOW and whole.path.islink(place):
            raise OSError(errno.ELOOP, whole.strerror(errno.ELOOP), path)
        if own & (self.O_DIRECTORY | self.O_PATH):
            facts = whole.stat(place)
            if own & self.O_DIRECTORY and not stat.S_ISDIR(facts.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, whole.strerror(errno.ENOTDIR), path)
            number = next(self._numbers)
            self._paths[number] = place
            return number
        if whole.path.isdir(place):  # POSIX opens a directory, and callers then see that it is not a file
            raise OSError(errno.ENXIO, whole.strerror(errno.ENXIO), path)
        binary = getattr(whole, "O_BINARY", 0) | getattr(whole, "O_NOINHERIT", 0)
        return whole.open(place, flags & ~own | binary, mode)

    def place(self, path: str | int, directory: int | None = None) -> str:
        """The path of a name in a directory, or of an open directory."""
        if isinstance(path, int):
            return self._paths[path]
        return path if directory is None else whole.path.join(self._paths[directory], path)

    def close(self, descriptor: int) -> None:
        if self._paths.pop(descriptor, None) is None:
            whole.close(descriptor)

    def dup(self, descriptor: int) -> int:
        if descriptor < _FIRST:
            return whole.dup(descriptor)
        number = next(self._numbers)
        self._paths[number] = self._paths[descriptor]
        return number

    def fsync(self, descriptor: int) -> None:
        if descriptor < _FIRST:  # a directory needs none
            whole.fsync(descriptor)

    def utime(self, path: str | int, **more: Any) -> None:
        if isinstance(path, int):
            _unsupported()
        whole.utime(path, **more)

    def lseek(self, descriptor: int, position: int, how: int) -> int:
        if how == self.SEEK_DATA:  # no hole is known
            _unsupported()
        return whole.lseek(descriptor, position, how)

    def fchmod(self, *_: object) -> None:
        """Nothing: access is not by mode."""

    def fchown(self, *_: object) -> None:
        """Nothing: access is not by owner."""

    def geteuid(self) -> int:
        return 0  # which is also the owner of each file, as stat states it

    def fpathconf(self, *_: object) -> int:
        return 255  # characters, in NTFS

    def statvfs(self, *_: object) -> NoReturn:
        _unsupported()

    def pread(self, descriptor: int, size: int, offset: int) -> bytes:
        with self._turn:  # threads share the position of a file
            whole.lseek(descriptor, offset, whole.SEEK_SET)
            return whole.read(descriptor, size)

    def pwrite(self, descriptor: int, data: bytes | memoryview, offset: int) -> int:
        with self._turn:
            whole.lseek(descriptor, offset, whole.SEEK_SET)
            return whole.write(descriptor, data)

    def _by_path(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def by_path(path: str, *words: Any, dir_fd: int | None = None, **more: Any) -> Any:
            if call is whole.access:
                more.pop("follow_symlinks", None)  # Windows cannot look at a link itself
            return call(self.place(path, dir_fd), *words, **more)

        return by_path

    def _from_path_to_path(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def from_path_to_path(
            old: str, new: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None, **_: object
        ) -> None:
            call(self.place(old, src_dir_fd), self.place(new, dst_dir_fd))

        return from_path_to_path

    def _of_directory(self, name: str) -> Callable[[Any], Any]:
        def of_directory(path: Any) -> Any:
            if isinstance(path, int) and path >= _FIRST:
                return getattr(whole, "stat" if name == "fstat" else name)(self._paths[path])
            return getattr(whole, name)(path)

        return of_directory


def _unsupported() -> NoReturn:
    raise OSError(errno.EOPNOTSUPP, whole.strerror(errno.EOPNOTSUPP))


def _of_this_system() -> Any:
    if whole.open not in whole.supports_dir_fd:
        return SystemByPath()
    return whole if all(hasattr(whole, name) for name in _ON_LINUX) else System()


if TYPE_CHECKING:
    import os as os
else:
    os = _of_this_system()
