"""From the arguments of a file system to the trees that it shows.

fsspec makes one instance of a file system for each thread. All instances with the same arguments share their trees in one
process, and thus the memory for decoded chunks. After a fork, the child opens the source again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from threading import Lock
from typing import Any, Final
from weakref import WeakValueDictionary

import fsspec
from fsspec.utils import tokenize

from zarrcore.errors import StoreError
from zarrcore.sizes import parse_size
from zarrcore.stores import ReadableStore, StoreOptions, canonical_scheme
from zarrcore.stores.fsspec import FsspecStore
from zarrfs.trees.entry import Directory
from zarrfs.trees.opening import open_trees
from zarrfs.trees.store_trees import LISTED, StoreTrees, TreeOptions

_OWN_SCHEMES: Final = frozenset({"file", "s3", "gs", "az", "abfs", "http", "https"})
"""The schemes for which zarrcore has its own stores."""
_STORE_OPTIONS: Final = frozenset(option.name for option in fields(StoreOptions))


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Shown:
    """A source that is open."""

    trees: StoreTrees
    root: Directory
    """The directory that the empty path names."""


_shown: WeakValueDictionary[tuple[int, str], Shown] = WeakValueDictionary()
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Source:
    """A source, and how to show it. The fields are the arguments of `ZarrscopeFileSystem`."""

    source: str | os.PathLike[str] | None = None
    """Path or URL of a store."""
    view: str | None = None
    """The tree at the root; None for all trees."""
    format: str | None = None
    """The format of the hierarchy; None detects it."""
    metadata_ttl: float = 60.0
    """How old an answer may be, in seconds."""
    cache_size: int | str = "512M"
    """Memory for decoded chunks."""
    spill_size: int | str = "8G"
    """Disk space for decoded chunks that do not fit in memory."""
    show: Sequence[str] = LISTED
    """File types that listings show."""
    fo: str | None = None
    """The path in the next file system of a chain of URLs, instead of ``source``."""
    target_protocol: str | None = None
    """The protocol of the next file system of the chain."""
    target_options: Mapping[str, Any] | None = None
    """The options of the next file system of the chain."""
    store_options: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `StoreOptions`."""

    def shown(self) -> Shown:
        """The trees, which are opened when they are first used in this process.

        Raises:
            As `zarrfs.trees.opening.open_trees`, and `StoreTrees.root`.
        """
        question = os.getpid(), tokenize(*(getattr(self, option.name) for option in fields(self)))
        with _lock:
            known = _shown.get(question)
            if known is None:
                trees = self._open()
                known = _shown[question] = Shown(trees, trees.root())
            return known

    def _open(self) -> StoreTrees:
        options = TreeOptions(
            self.view,
            tuple(self.show),
            _nbytes(self.cache_size),
            _nbytes(self.spill_size),
            float(self.metadata_ttl),
        )
        return open_trees(self.place(), options, StoreOptions(**self.store_options), self.format)

    def place(self) -> str | os.PathLike[str] | ReadableStore:
        """The path or URL of the source; for a chain of URLs, a store if fsspec must open it.

        Raises:
            StoreError: there is no source, or more than one.
        """
        if (self.source is None) == (self.fo is None):
            raise StoreError("name one source: zarrscope needs source=…, or a URL such as zarrscope::s3://…")
        if self.fo is None:
            return os.fspath(self.source or "")
        protocol = self.target_protocol or "file"
        scheme = canonical_scheme(protocol)
        if self.target_options or scheme not in _OWN_SCHEMES:
            return FsspecStore(fsspec.filesystem(protocol, **(self.target_options or {})), self.fo)
        return self.fo if scheme == "file" or "://" in self.fo else f"{scheme}://{self.fo}"


_OWN: Final = frozenset(option.name for option in fields(Source)) - {"source", "store_options"}


def source_of(source: str | os.PathLike[str] | None, options: Mapping[str, Any]) -> Source:
    """The source that a user names.

    Args:
        source: path or URL of a store; None for a chain of URLs.
        options: fields of `Source` and of `StoreOptions`.

    Raises:
        TypeError: an option is unknown.
    """
    own, of_store = (
        {name: value for name, value in options.items() if name in names} for names in (_OWN, _STORE_OPTIONS)
    )
    unknown = options.keys() - own.keys() - of_store.keys()
    if unknown:
        raise TypeError(f"zarrscope has no option {', '.join(sorted(unknown))}")
    return Source(source, **own, store_options=of_store)


def _nbytes(size: int | str) -> int:
    return parse_size(size) if isinstance(size, str) else size
