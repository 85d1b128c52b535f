"""The files that an HDF5 file names: in the same store, and elsewhere only if references may be there.

The HDF5 library searches a file of an absolute name also beside the file that names it; so do we.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from zarrcore.errors import BrokenReferenceError, HierarchyNotFoundError, StoreError
from zarrcore.stores.hdf5.elements import UnshownError
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.virtual.file_reader import FileReader
from zarrcore.stores.virtual.named_files import NamedFiles

if TYPE_CHECKING:
    from zarrcore.stores.hdf5.file import Hdf5File

_OPEN_MAX: Final = 64
_CHECKED_EACH_S: Final = 1.0
_MAX_DEPTH: Final = 8
_own = threading.local()


class OtherFiles:
    """The files that one file names, opened when they are needed. Thread-safe.

    Args:
        file: the file that names them.

    Attributes:
        url: of that file.
        identity: of that file.
    """

    def __init__(self, file: Hdf5File) -> None:
        self._file = file
        self.url = file.url
        reader = file.reader
        self.identity = (reader.source.identity, reader.key)
        self._files = NamedFiles(reader.source, reader.key, file.url)
        self._opened: OrderedDict[str, tuple[Hdf5File | None, float]] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close their stores, and those of the files that they name."""
        with self._lock:
            opened = [file for file, _ in self._opened.values()]
            self._opened.clear()
        for file in opened:
            if file is not None and file is not self._file:
                file.others.close()
        self._files.close()

    def place(self, name: str) -> tuple[ReadableStore, str] | None:
        """The store of the file of a name, and its key there; None if there is no such file.

        Raises:
            BrokenReferenceError: it may not be read.
            StoreError: a store failed.
        """
        names = [name, name.rpartition("/")[2]] if name.startswith("/") else [name]
        return self._files.place(*names)

    def hdf5(self, name: str) -> Hdf5File | None:
        """The HDF5 file of a name, ``.`` for the one that names it; None if there is none.

        Raises:
            BrokenReferenceError: it may not be read, or is broken.
            StoreError: a store failed.
        """
        if name == ".":
            return self._file
        now = time.monotonic()
        with self._lock:
            kept = self._opened.get(name)
        if kept is not None and now - kept[1] <= _CHECKED_EACH_S:
            return kept[0]
        if kept is not None and kept[0] is not None and self._is_same(kept[0]):
            found: Hdf5File | None = kept[0]
        else:
            place = self.place(name)
            found = None if place is None else self._open(*place)
        with self._lock:
            self._opened[name] = found, now
            self._opened.move_to_end(name)
            while len(self._opened) > _OPEN_MAX:
                self._opened.popitem(last=False)
        return found

    def _open(self, store: ReadableStore, key: str) -> Hdf5File:
        if (store.identity, key) == self.identity:
            return self._file
        try:
            return type(self._file)(FileReader(store, key, f"{store.url.rstrip('/')}/{key}"))
        except HierarchyNotFoundError as error:
            raise BrokenReferenceError(
                f"{key} in {store.url}, which {self.url} names, is not HDF5", key=key, url=self.url
            ) from error
        except StoreError as error:
            if type(error) is not StoreError:
                raise  # the store failed, not the file
            raise BrokenReferenceError(str(error), key=key, url=self.url) from error

    def _is_same(self, file: Hdf5File) -> bool:
        reader = file.reader
        if reader.source.is_remote or file is self._file:
            return True
        facts = reader.source.stat(reader.key)
        return facts is not None and (facts.size, facts.version) == (reader.nbytes, reader.version)


@contextmanager
def within(what: object) -> Iterator[None]:
    """Note that this thread reads something that may lead to other files.

    Raises:
        UnshownError: it is already reading it, or the files lead too far.
    """
    above: list[object] = vars(_own).setdefault("above", [])
    if what in above:
        raise UnshownError("the link or virtual dataset leads to itself")
    if len(above) >= _MAX_DEPTH:
        raise UnshownError(f"the link or virtual dataset leads through more than {_MAX_DEPTH} others")
    above.append(what)
    try:
        yield
    finally:
        above.pop()
