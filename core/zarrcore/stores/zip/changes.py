"""A zip file that is being written: when to write its directory, when to compact it, and changes by other programs."""

from __future__ import annotations

import logging
import threading
import time
import weakref
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from zarrcore.errors import ChangedError, StoreError, StoreFullError
from zarrcore.stores.descriptors import open_flags
from zarrcore.stores.interface import ByteRange, BytesLike
from zarrcore.stores.local.atomic_files import remove_abandoned
from zarrcore.stores.local.confined_paths import DIRECTORY
from zarrcore.stores.local.file_reading import file_failure
from zarrcore.stores.local.store import LocalStore, inode_of
from zarrcore.stores.zip import ome_zarr
from zarrcore.stores.zip.compaction import compact
from zarrcore.stores.zip.file import OpenFile
from zarrcore.stores.zip.journal import TRAILER_NBYTES, Journal
from zarrcore.stores.zip.members import ZipMembers
from zarrcore.stores.zip.writing import ZipWriter
from zarrcore.system import os

_log = logging.getLogger(__name__)

_REST: Final = 50
"""The directory is not written again before this many times the duration of the last write, …"""
_REST_MAX_S: Final = 5.0
"""… but after this time at the latest: other writers wait for twice as long, and a busy machine writes slowly."""

_ATTEMPTS: Final = 5
_PAUSE_S: Final = 0.01

_Fingerprint = tuple[int, int] | None
"""Checksum and size of a value; None if it was erased."""


class ZipChanges:
    """The writing part of a `ZipStore`. Thread-safe.

    Args:
        source: the directory of the file.
        key: the file's name there.
        url: the file's URL in errors.
    """

    def __init__(self, source: LocalStore, key: str, url: str) -> None:
        self.source = source
        self.key = key
        self.url = url
        self._lock = threading.Lock()
        self._writer: ZipWriter | None = None
        self._finalizer: weakref.finalize[Any, Any] | None = None
        self._stored: dict[str, _Fingerprint] = {}
        self._due_s = 0.0
        self._timer: threading.Timer | None = None
        self._compacted_above = 0
        self._inode = 0
        self._tidied = False

    def set(self, key: str, value: BytesLike, *, if_absent: bool) -> bool:
        """Same as `WritableStore.set`."""
        with self._changing() as writer:
            if if_absent and key in writer.members:
                return False
            try:
                writer.put(key, value)
            except StoreFullError:
                if not self._is_compacted(writer):
                    raise
                writer = self._opened()
                writer.put(key, value)
            self._stored[key] = _fingerprint(writer.members[key])
        return True

    def erase(self, key: str) -> None:
        """Same as `WritableStore.erase`."""
        with self._changing() as writer:
            if key in writer.members:
                writer.erase(key)
                self._stored[key] = None

    def directory(self) -> ZipMembers | None:
        """The directory, if no other program has changed the file; None if it must be read again."""
        writer = self._writer
        if writer is None or not writer.is_settled or not self._lock.acquire(blocking=False):
            return writer
        try:
            if writer is self._writer and not writer.is_current():
                self._let_go()
            return self._writer
        finally:
            self._lock.release()

    def recover_abandoned(self) -> None:
        """Complete a file whose writer was killed. A file that is not there, or cannot be read, fails when it is used."""
        with suppress(StoreError):
            tail = self.source.get(self.key, ByteRange(-TRAILER_NBYTES))
            if tail is not None and Journal.told_by(bytes(tail)) is not None:
                self.recover()

    def recover(self) -> bool:
        """Complete a file whose writer was killed. False if another process writes it, or this process may not."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            writer = ZipWriter(self.source, self.key, self.url, wait_s=0)
            if writer.is_locked:  # otherwise another writer may be active
                writer.settle()
        except StoreError:
            return False
        else:
            return writer.is_locked
        finally:
            self._lock.release()

    def settle(self) -> None:
        """Complete the file for other programs.

        Raises:
            StoreError: the directory could not be written; the stored values are safe.
        """
        with self._lock:
            if self._writer is not None and self._writer.is_mine:
                self._settle(self._writer)

    def close(self) -> None:
        """Complete and release the file.

        Raises:
            As `ZipStore.close`.
        """
        with self._lock:
            if self._writer is not None and not self._writer.is_mine:
                return
            writer = self._writer
            if writer is not None:
                self._settle(writer)
            if self._writer is None:
                self._check_kept()
            else:
                with suppress(StoreError):  # another process writes it now
                    self._finish(self._writer)
            self._let_go()
            self._stored.clear()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _finish(self, writer: ZipWriter) -> None:
        """Rewrite a file that has many dead bytes, or a new OME-Zarr zip file, whose documents come first from now on."""
        version = None
        if self.key.endswith(ome_zarr.SUFFIX) and not ome_zarr.is_arranged(writer.comment):
            member = writer.members.get(ome_zarr.DOCUMENT)
            version = (
                None
                if member is None
                else ome_zarr.ome_version(bytes(writer.value(ome_zarr.DOCUMENT, member)))
            )
        if writer.is_worth_compacting or version is not None:
            writer.resume(wait_s=0)
            self._is_compacted(writer, version)

    @contextmanager
    def _changing(self) -> Iterator[ZipWriter]:
        """Change the file, with other writers locked out."""
        with self._lock:
            try:
                yield self._ready()
            finally:
                if self._writer is not None:
                    self._tidy(self._writer)

    def _ready(self) -> ZipWriter:
        """The file, as it is now, with other writers locked out."""
        writer = self._writer
        if writer is not None:
            writer.resume()
            if writer.is_current():
                return writer
            self._let_go()
        self._check_kept()
        return self._opened()

    def _opened(self) -> ZipWriter:
        writer = self._writer = ZipWriter(self.source, self.key, self.url)
        if not self._tidied:
            self._tidied = True
            _remove_abandoned_beside(writer.file.path)
        self._finalizer = weakref.finalize(self, _complete, writer)
        self._inode = inode_of(writer.file.stat())
        return writer

    def _let_go(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.file.unlock()
        if self._finalizer is not None:
            self._finalizer.detach()

    def _check_kept(self) -> None:
        """Raise `ChangedError`, once, if another program has removed values that were stored here."""
        stored, self._stored = self._stored, {}
        if not stored:
            return
        members, inodes = self._members_now()
        # Changes of the same file and compaction keep its content; another file may be older than the stored values.
        is_same = self._inode in inodes
        gone = [
            key
            for key, before in stored.items()
            if _fingerprint(members.get(key)) != before and (not is_same or (before and key not in members))
        ]
        if gone:
            more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
            raise ChangedError(
                f"{self.url} was changed by another program meanwhile: "
                f"the value stored here under {gone[0]}{more} is not in it",
                key=gone[0],
                url=self.url,
            )
        self._stored = stored

    def _members_now(self) -> tuple[dict[str, zipfile.ZipInfo], list[int]]:
        """The members of the file, its inode number and those before compaction; nothing if it is not a zip file any more."""
        for _ in range(_ATTEMPTS):
            try:
                file = OpenFile(os.path.join(self.source.root, self.key), open_flags("O_RDONLY", "O_CLOEXEC"))
                facts = file.stat()
                return ZipMembers(file.fetch, facts, self.url).members, [*file.replaced(), inode_of(facts)]
            except StoreError:
                time.sleep(_PAUSE_S)  # the other process may be about to complete it
            except FileNotFoundError:
                break
            except OSError as error:
                raise file_failure(error, None, self.url) from error
        return {}, []

    def _tidy(self, writer: ZipWriter) -> None:
        """Write the directory or compact after changes, in a small share of the time that the changes take."""
        if writer.is_settled:
            writer.file.unlock()
        elif writer.is_wasteful and self._is_compacted(writer):
            self._opened().file.unlock()
        elif time.monotonic() >= self._due_s:
            with suppress(StoreError):  # the stored values are safe; closing tries again and reports errors
                self._settle(writer)
        elif self._timer is None:
            delay_s = max(0.0, self._due_s - time.monotonic())
            self._timer = threading.Timer(delay_s, _settle_later, [weakref.ref(self)])
            self._timer.daemon = True
            try:
                self._timer.start()
            except RuntimeError:  # no memory for another thread
                self._timer = None
                with suppress(StoreError):
                    self._settle(writer)

    def _is_compacted(self, writer: ZipWriter, arranged_as: str | None = None) -> bool:
        """Rewrite the file without its dead bytes. If that fails, it stays unchanged until it has many more."""
        if writer.dead_nbytes <= self._compacted_above and arranged_as is None:
            return False
        try:
            done = compact(writer, durable=self.source.durable, arranged_as=arranged_as)
        except OSError as error:
            self._compacted_above = 2 * writer.dead_nbytes
            _log.warning(
                "%s keeps %d unused bytes: %s",
                self.url,
                writer.dead_nbytes,
                error.strerror or error,
            )
            return False
        if done:
            self._let_go()
        return done

    def _settle(self, writer: ZipWriter) -> None:
        """Write the directory, unless another program has changed the file."""
        started_s = time.monotonic()
        try:
            if writer.is_current():
                writer.settle()
            elif writer is self._writer:
                self._let_go()
        finally:
            now_s = time.monotonic()
            self._due_s = now_s + min(_REST * (now_s - started_s), _REST_MAX_S)

    def settle_due(self) -> None:
        """Complete the file some time after a change."""
        self._timer = None
        with suppress(StoreError):  # as above
            self.settle()


def _remove_abandoned_beside(path: str) -> None:
    """Remove what was left by a process that was killed while it made or compacted a file."""
    with suppress(OSError):
        directory = os.open(os.path.dirname(path) or "/", DIRECTORY)
        try:
            remove_abandoned(directory)
        finally:
            os.close(directory)


def _fingerprint(member: zipfile.ZipInfo | None) -> _Fingerprint:
    return None if member is None else (member.CRC, member.file_size)


def _settle_later(changes: weakref.ref[ZipChanges]) -> None:
    known = changes()
    if known is not None:
        known.settle_due()


def _complete(writer: ZipWriter) -> None:
    """Complete a file whose store was garbage-collected."""
    if writer.is_mine and writer.is_current():
        writer.settle()
