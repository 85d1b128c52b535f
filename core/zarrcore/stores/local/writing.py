"""The writing methods of `LocalStore`: directories are created with their first key and removed with their last."""

from __future__ import annotations

import contextlib
import errno
import stat
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from zarrcore.errors import StoreError, StoreNotFoundError
from zarrcore.stores.interface import BytesLike, Renaming, WritableStore
from zarrcore.stores.keys import check_path_like_key, check_path_like_prefix
from zarrcore.stores.local.atomic_files import (
    Fill,
    copy_file,
    empty_directory,
    put_file,
    remove_abandoned,
    unlink,
)
from zarrcore.stores.local.confined_paths import DIRECTORY
from zarrcore.stores.local.file_reading import file_failure
from zarrcore.system import os

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Result = TypeVar("Result")

_ATTEMPTS: Final = 100
_TIDIED: Final = 100_000
"""The number of directories remembered as cleared of abandoned temporary files."""


_NOT_THIS_WAY: Final = {
    errno.ENOENT,
    errno.EXDEV,
    errno.EPERM,
    errno.EMLINK,
    errno.EOPNOTSUPP,
    errno.ENOSYS,
}
"""The kernel's errors if a file cannot get another name, but its value can be copied."""


class OpenDirectory:
    """An open directory; its descriptor closes when the last thread that uses it releases it."""

    __slots__ = ("descriptor", "identity")

    def __init__(self, path: str) -> None:
        self.descriptor = os.open(path, DIRECTORY)
        facts = os.fstat(self.descriptor)
        self.identity = (facts.st_dev, facts.st_ino)

    def __del__(self) -> None:
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)


class LocalWriting(WritableStore):
    """The methods that a directory store needs for writing, in addition to reading."""

    root: str
    durable: bool
    _open: Callable[[int, str, int], int]
    _tidied: set[str]

    @abstractmethod
    def _directory(self) -> OpenDirectory:
        """The root."""

    @abstractmethod
    def _revalidated(self) -> OpenDirectory:
        """The root, opened again if its path names another directory than before."""

    @abstractmethod
    def _in_root(self, key: str, act: Callable[[OpenDirectory], Result]) -> Result | None:
        """The result of ``act``, which gets the root; None if the key is absent there."""

    def _create(self) -> None:
        try:
            os.makedirs(self.root, exist_ok=True)
        except FileExistsError:
            return  # not a directory: opening it reports the error
        except OSError as error:
            raise file_failure(error, None, self.url) from error

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        return self._set(key, value, if_absent)

    def set_file(self, key: str, descriptor: int, *, if_absent: bool = False) -> bool:
        """Store all bytes of an open file, part by part; holes stay holes."""
        return self._set(key, partial(copy_file, descriptor), if_absent)

    def _set(self, key: str, value: BytesLike | Fill, if_absent: bool) -> bool:
        check_path_like_key(key, self.url)
        for _ in range(_ATTEMPTS):
            try:
                return self._write(key, value, if_absent)
            except StoreError:
                raise
            except FileNotFoundError:
                self._revalidated()  # a concurrent erase removed the empty directory, or the root
            except OSError as error:
                self._remove_empty(self._directory().descriptor, key.rpartition("/")[0])
                raise file_failure(error, key, self.url) from error
        raise StoreError(
            f"{key} in {self.url}: its directory is removed as soon as it is created", key=key, url=self.url
        )

    def write_by_engine(
        self, keys: Sequence[str], write: Callable[[Sequence[int]], NDArray[np.int32]], no_folder: int
    ) -> NDArray[np.int32]:
        """Let the engine write files, and make the folders that they lack.

        Args:
            keys: the keys of the files.
            write: writes those at some positions among the keys; returns the status of each.
            no_folder: the status of a file whose folder does not exist.

        Returns:
            The status of each file.
        """
        folders = [key.rpartition("/")[0] for key in keys]
        for folder in set(folders).difference(self._tidied):
            try:
                descriptor = self._open(self._directory().descriptor, folder or ".", DIRECTORY)
            except OSError:
                continue  # it is made below, and has nothing to tidy
            try:
                self._tidy(folder, descriptor)
            finally:
                os.close(descriptor)
        statuses = write(range(len(keys)))
        if missing := (statuses == no_folder).nonzero()[0].tolist():
            for folder in dict.fromkeys(folders[at] for at in missing):
                with contextlib.suppress(OSError, StoreError):  # writing shows what is wrong
                    os.close(self._writable_directory(folder))
            statuses[missing] = write(missing)
        return statuses

    def _tidy(self, folder: str, descriptor: int) -> None:
        if folder not in self._tidied:
            remove_abandoned(descriptor)
            if len(self._tidied) > _TIDIED:
                self._tidied.clear()
            self._tidied.add(folder)

    def _write(self, key: str, value: BytesLike | Fill, if_absent: bool) -> bool:
        parent, _, name = key.rpartition("/")
        descriptor = self._writable_directory(parent)
        try:
            self._tidy(parent, descriptor)
            return put_file(descriptor, name, value, if_absent=if_absent, durable=self.durable)
        finally:
            os.close(descriptor)

    def rename(self, key: str, new: str, *, if_absent: bool = False) -> Renaming:
        renamed = self._act_on_names(key, new, _link if if_absent else _rename)
        if renamed and if_absent:
            self.erase(key)
        elif renamed:
            self._remove_empty(self._directory().descriptor, key.rpartition("/")[0])
        return renamed

    def rename_prefix(self, prefix: str, new: str) -> Renaming:
        check_path_like_prefix(prefix, self.url)
        check_path_like_prefix(new, self.url)
        if not prefix or not new or new.startswith(prefix):
            return Renaming.NOT_POSSIBLE
        renamed = self._act_on_names(prefix[:-1], new[:-1], _rename_directory, stat.S_ISDIR)
        if renamed:
            self._tidied.clear()
            self._remove_empty(self._directory().descriptor, prefix[:-1].rpartition("/")[0])
        return renamed

    def link(self, key: str, new: str) -> Renaming:
        return self._act_on_names(key, new, _link)

    def _act_on_names(
        self,
        key: str,
        new: str,
        act: Callable[[int, str, int, str], None],
        is_right: Callable[[int], bool] = stat.S_ISREG,
    ) -> Renaming:
        """Link or rename a file or directory by ``act``, which gets the directories and names of both."""
        check_path_like_key(key, self.url)
        check_path_like_key(new, self.url)
        (parent, _, name), (new_parent, _, new_name) = key.rpartition("/"), new.rpartition("/")
        try:
            source = self._open(self._directory().descriptor, parent or ".", DIRECTORY)
        except OSError:
            return Renaming.NOT_POSSIBLE
        try:
            # The value of a symbolic link is copied, because the link may lead elsewhere from the new place.
            if not is_right(os.lstat(name, dir_fd=source).st_mode):
                return Renaming.NOT_POSSIBLE
            target = self._writable_directory(new_parent)
            try:
                act(source, name, target, new_name)
                if self.durable:
                    os.fsync(target)
            finally:
                os.close(target)
        except FileExistsError:
            return Renaming.KEY_TAKEN
        except OSError as error:
            self._remove_empty(self._directory().descriptor, new_parent)
            if error.errno in _NOT_THIS_WAY:
                return Renaming.NOT_POSSIBLE
            raise file_failure(error, new, self.url) from error
        finally:
            os.close(source)
        return Renaming.DONE

    def erase(self, key: str) -> None:
        check_path_like_key(key, self.url)
        parent, _, name = key.rpartition("/")

        def erase(root: OpenDirectory) -> None:
            descriptor = self._open(root.descriptor, parent or ".", DIRECTORY)
            try:
                with contextlib.suppress(IsADirectoryError):  # a prefix of keys, not a key itself
                    unlink(descriptor, name)
            finally:
                os.close(descriptor)
            self._remove_empty(root.descriptor, parent)

        self._in_root(key, erase)

    def erase_prefix(self, prefix: str) -> None:
        """Erase all keys that begin with ``prefix``. Of symbolic links, only the links are removed."""
        check_path_like_prefix(prefix, self.url)
        found = self._in_root(
            prefix, lambda root: (root, self._open(root.descriptor, prefix or ".", DIRECTORY))
        )
        if found is None:
            return
        directory, descriptor = found
        try:
            for _ in range(_ATTEMPTS):
                if not empty_directory(descriptor):
                    break
        except OSError as error:
            raise file_failure(error, prefix, self.url) from error
        finally:
            os.close(descriptor)
        self._remove_empty(directory.descriptor, prefix[:-1])

    def _remove_empty(self, root: int, path: str) -> None:
        """Remove a directory and its parents if they are empty: without keys there is no prefix."""
        while path:
            try:
                os.rmdir(path, dir_fd=root)
            except OSError:
                return
            path = path.rpartition("/")[0]

    def _writable_directory(self, path: str) -> int:
        """A descriptor of the directory ``path``, which is created if it is missing."""
        root = self._directory().descriptor
        missing: list[str] = []
        while True:
            try:
                descriptor = self._open(root, path or ".", DIRECTORY)
                break
            except FileNotFoundError:
                if not path:
                    raise StoreNotFoundError(f"there is no directory {self.url}", url=self.url) from None
            path, _, name = path.rpartition("/")
            missing.append(name)
        while missing:
            name = missing.pop()
            path = f"{path}/{name}" if path else name
            try:
                with contextlib.suppress(FileExistsError):  # another writer was faster
                    os.mkdir(name, dir_fd=descriptor)
                if self.durable:
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)
            descriptor = self._open(root, path, DIRECTORY)
        return descriptor


def _rename(source: int, name: str, target: int, new: str) -> None:
    if name == new and os.path.samestat(os.fstat(source), os.fstat(target)):
        return  # one file with two paths
    with contextlib.suppress(FileNotFoundError):
        facts = os.lstat(name, dir_fd=source)
        if facts.st_nlink > 1 and os.path.samestat(facts, os.lstat(new, dir_fd=target)):
            os.unlink(name, dir_fd=source)  # two names of one file: the kernel would keep both
            return
    os.rename(name, new, src_dir_fd=source, dst_dir_fd=target)


def _rename_directory(source: int, name: str, target: int, new: str) -> None:
    try:
        os.rename(name, new, src_dir_fd=source, dst_dir_fd=target)  # which replaces only an empty directory
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.ENOTDIR):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new) from error
        raise


def _link(source: int, name: str, target: int, new: str) -> None:
    os.link(name, new, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
