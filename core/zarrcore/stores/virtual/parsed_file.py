"""The base of virtual stores that read the structure of a file once, and keep it as long as the file is the same."""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar

from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.virtual.combined_reads import combining
from zarrcore.stores.virtual.file_reader import FileReader
from zarrcore.stores.virtual.one_version import OneVersion
from zarrcore.stores.virtual.store import VirtualStore

Content = TypeVar("Content")

_CHECKED_EACH_S: Final = 1.0
PARSING_ERRORS: Final = (
    ValueError,
    LookupError,
    ArithmeticError,
    TypeError,
    MemoryError,
    RecursionError,
)
"""What parsing a broken file raises, besides errors of stores."""


class FileVersion(NamedTuple):
    """What shows that a file was replaced."""

    nbytes: int
    version: str | None


class ParsedFile(VirtualStore, Generic[Content]):
    """A file whose structure is read at the first request. A file that was replaced is read again.

    A local file is looked at each second. Reads of a remote file that was replaced fail, never mixing two versions; the
    structure is read again when a second has passed.

    Args:
        reader: a reader of the file as it is now, if there is one.

    Attributes:
        reads: the store of the file; if it is remote, neighbouring parts are requested together.
    """

    not_pickled: ClassVar[tuple[str, ...]] = ("_lock", "reads", "_parsed", "_reader")
    _reader: FileReader | None = None

    def __init__(self, source: ReadableStore, key: str, url: str, reader: FileReader | None = None) -> None:
        super().__init__(source, key, url)
        self._reset()
        self._reader = reader

    def _reset(self) -> None:
        """Prepare what is not pickled."""
        self._lock = threading.RLock()
        self.reads: ReadableStore = self.source
        self._is_outdated = False
        self._parsed: tuple[Content, FileVersion] | None = None
        self._checked_s = 0.0

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in self.not_pickled}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.source.options = self.options  # not all stores keep them, and they say what may be named
        self._reset()

    @abstractmethod
    def read_content(self) -> tuple[Content, FileVersion]:
        """What the file contains now, and its version.

        Raises:
            StoreError: the store failed, or the file cannot be shown.
        """

    def take_reader(self) -> FileReader:
        """A reader of the file as it is now: the given one the first time, then new ones.

        Raises:
            StoreError: the store failed, or the file does not exist.
        """
        reader, self._reader = self._reader, None
        return reader or FileReader(self.source, self.key, self.url)

    def release(self, content: Content) -> None:
        """Close what the content holds open."""

    @property
    def content(self) -> Content:
        """What the file contains.

        Raises:
            StoreError: the store failed, or the file cannot be shown.
        """
        with self._lock:
            now = time.monotonic()
            parsed = self._parsed
            if parsed is not None and now - self._checked_s > _CHECKED_EACH_S and not self.is_remote:
                facts = self.source.stat(self.key)
                if facts is None or (facts.size, facts.version) != parsed[1]:
                    parsed = None
                self._checked_s = now
            if self._is_outdated and now - self._checked_s > _CHECKED_EACH_S:
                self.source.refresh()
                parsed = None
            if parsed is None:
                parsed = self._parsed = self._read_version()
                self._checked_s = now
            return parsed[0]

    def _read_version(self) -> tuple[Content, FileVersion]:
        self._is_outdated = False
        if not self.is_remote:
            return self.read_content()
        # What was parsed before keeps its own reads, which fail from now on.
        reads = self.reads = OneVersion(combining(self.source), self.key, self.url)
        parsed = self.read_content()
        reads.version = parsed[1].version
        return parsed

    def _notice_change(self) -> None:
        self._is_outdated, self._checked_s = True, time.monotonic()

    def refresh(self) -> None:
        super().refresh()
        self._forget()

    def close(self) -> None:
        self._forget()
        super().close()

    def _forget(self) -> None:
        with self._lock:
            self._reader = None
            parsed, self._parsed = self._parsed, None
        if parsed is not None:
            self.release(parsed[0])
