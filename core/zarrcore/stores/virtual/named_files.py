"""The files that a file names: in the same store, and elsewhere only if references may be there."""

from __future__ import annotations

from zarrcore.errors import BrokenReferenceError, StoreNotFoundError
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.targets.opening import Targets
from zarrcore.stores.targets.places import scheme_of


class NamedFiles:
    """Finds the files that one file names. Thread-safe.

    Args:
        source: the store of the file that names them.
        key: its key there.
        url: the URL to show.
    """

    def __init__(self, source: ReadableStore, key: str, url: str) -> None:
        folder, slash, _ = key.rpartition("/")
        self._targets = Targets(source, folder + slash, url)
        self._key = key
        self._url = url

    def close(self) -> None:
        """Close their stores."""
        self._targets.close()

    def place(self, *names: str) -> tuple[ReadableStore, str] | None:
        """The store of a file, and its key there; None if there is no such file.

        Args:
            names: its name, and others that it may have; the first one that exists is taken.

        Raises:
            BrokenReferenceError: it may not be read.
            StoreError: a store failed.
        """
        refused = None
        for name in names:
            try:
                if scheme_of(name):
                    raise BrokenReferenceError(
                        f"{self._url} names the file {name[:200]!r}, which is not a path", url=self._url
                    )
                store, key = self._targets.find(name, self._key)
                if store.stat(key) is not None:
                    return store, key
            except StoreNotFoundError:
                continue
            except BrokenReferenceError as error:
                refused = refused or error
        if refused is not None:
            raise refused
        return None
