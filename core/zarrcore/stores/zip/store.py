"""The members of a zip file in any store: only its directory and the requested members are fetched."""

from __future__ import annotations

import threading
import time
import zipfile
from collections.abc import Hashable, Iterable, Iterator
from functools import partial
from typing import Any, Final

from zarrcore.errors import (
    BodyTooLargeError,
    ChangedError,
    InvalidKeyError,
    ReadOnlyError,
    StoreError,
    StoreNotFoundError,
    UnsupportedError,
)
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
    WritableStore,
)
from zarrcore.stores.keys import check_key, check_prefix, join_url
from zarrcore.stores.local.store import LocalStore, inode_of
from zarrcore.stores.zip import ome_zarr
from zarrcore.stores.zip.changes import ZipChanges
from zarrcore.stores.zip.compression import STORED
from zarrcore.stores.zip.directory import is_safe
from zarrcore.stores.zip.file import OpenFile
from zarrcore.stores.zip.members import ZipMembers
from zarrcore.stores.zip.writing import check_name

_READ_BETWEEN: Final = 20
"""The maximum attempts to read the directory between changes of another process."""

_WRITTEN_S: Final = 10.0
"""A file that was changed within this time may still be written."""

_SAME_DATE_S: Final = 0.02
"""Two changes within this time may have the same date, because of the precision of file times."""

_READ_ANEW: Final = 3
"""How often the directory is read again for one value if the file is replaced repeatedly."""


class ZipStore(ReadableStore, ListableStore, WritableStore):
    """A zip file as a store. Nothing is read before the first request, except for the last bytes of a file on this machine.

    Its directory is read once, and again if the file is replaced: a remote store identifies the version of the bytes that
    it returns. Members with names that lead elsewhere (``..``, absolute names) are ignored.

    A file on this machine can be written, by several processes in turn. Stored values are in the file at once and survive
    the writer. Other `ZipStore` objects see them immediately. Other programs see them when the directory is written after
    them: immediately, or a little later if that would take more than a fiftieth of the time, or when the store is closed.
    Until then, other programs find the old values, or not a zip file. If a writer was killed, the next store that is opened
    by a process with write permission completes the file, also for reading: it adds only the directory of what is stored.
    The bytes of replaced values are freed when the store is closed if they are more than a quarter of the others; before
    that, if they are more than all others and 8 MiB (or half of the free disk space). The first writer of an ``.ozx`` file
    arranges it when it closes it, as RFC 9 of OME-NGFF demands.

    If another program changes the file, its members replace the known ones. If values that were set here are not among
    them, the next change, or closing, raises an error.

    Args:
        source: the store that contains the zip file.
        key: its key there.
        url: the URL to show; by default made from the store's URL.
    """

    def __init__(self, source: ReadableStore, key: str, url: str | None = None) -> None:
        self.source = source
        self.key = key
        self.url = url or join_url(source.url, key)
        self.is_remote = source.is_remote
        self.requests_in_flight = source.requests_in_flight
        self._reset()
        if self._changes is not None:
            self._changes.recover_abandoned()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._read: ZipMembers | None = None
        self._is_fresh = False
        self._changes = (
            ZipChanges(self.source, self.key, self.url) if isinstance(self.source, LocalStore) else None
        )

    def __getstate__(self) -> dict[str, Any]:
        if self._changes is not None:
            self._changes.settle()
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    @property
    def identity(self) -> Hashable:
        return self.source.identity, self.key

    @property
    def read_only(self) -> bool:
        return self._changes is None

    def refresh(self) -> None:
        self.source.refresh()
        self._read = None  # without the lock, which is held during the fetch of the directory

    def close(self) -> None:
        """Complete the file, and close files and connections.

        Raises:
            ChangedError: another program changed the file, and values that were set here are not in it any more.
            StoreFullError: there is no space for its directory; stored values are safe, and closing can be repeated.
            StoreError: the file cannot be written for another reason.
        """
        if self._changes is not None:
            self._changes.close()
        self._read = None
        self.source.close()

    def ome_zarr_deviations(self) -> list[str]:
        """What RFC 9 of OME-NGFF asks of an OME-Zarr zip file and this file does not do, one sentence each.

        Raises:
            StoreError: the file cannot be read.
        """
        directory = self._directory()
        members = [*directory.members.values()]
        return [*ome_zarr.deviations(members, directory.comment, directory.is_zip64, self.get)]

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        check_key(key, self.url)
        changes = self._writable(key)
        if not is_safe(key):
            raise _leads_elsewhere(key, self.url)
        check_name(key, self.url)
        return changes.set(key, value, if_absent=if_absent)

    def erase(self, key: str) -> None:
        changes = self._writable(key)
        if self._member(self._directory(), key) is not None:
            changes.erase(key)

    def erase_values(self, keys: Iterable[str]) -> None:
        self._writable("")
        super().erase_values(keys)

    def erase_prefix(self, prefix: str) -> None:
        self._writable(prefix)
        super().erase_prefix(prefix)

    def _writable(self, key: str) -> ZipChanges:
        if self._changes is not None:
            return self._changes
        raise ReadOnlyError(
            f"{f'{key} in ' if key else ''}{self.url} cannot be written: zip files can only be written on this machine's "
            "disks; write one there and copy it, or write keys beside it"
        )

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        for _ in range(_READ_ANEW):
            try:
                return self._get(key, byte_range, max_nbytes)
            except ChangedError:
                self._read = None
        return self._get(key, byte_range, max_nbytes)

    def _get(self, key: str, byte_range: ByteRange | None, max_nbytes: int | None) -> BytesLike | None:
        directory = self._directory()
        member = self._member(directory, key)
        if member is None:
            return None
        directory.check_readable(key, member)
        try:
            whole = byte_range is None
            start, stop = (
                (0, member.file_size) if byte_range is None else byte_range.resolve(member.file_size)
            )
            if max_nbytes is not None and stop - start > max_nbytes:
                raise BodyTooLargeError(stop - start, max_nbytes, key=key, url=self.url)
            if whole:
                return directory.value(key, member)
            return directory.part(key, member, start, stop) if stop > start else b""
        except (MemoryError, OverflowError) as error:
            raise StoreError(
                f"{key} in {self.url}: there is not enough memory for a value of {member.file_size} bytes",
                key=key,
                url=self.url,
            ) from error

    def stat(self, key: str) -> StoreStat | None:
        member = self._member(self._directory(), key)
        if member is None:
            return None
        etag = f"{member.CRC:08x}-{member.file_size:x}"
        return StoreStat(member.file_size, _mtime_s(member), etag)

    def place(self, key: str) -> tuple[int, int] | None:
        """Start and number of a member's bytes in the zip file; None if the key is absent.

        Raises:
            UnsupportedError: the member is compressed.
        """
        directory = self._directory()
        member = self._member(directory, key)
        if member is None:
            return None
        directory.check_readable(key, member)
        if member.compress_type != STORED:
            raise UnsupportedError(
                "zip member", key, f"in {self.url} is compressed, so that it is not a part of the file"
            )
        return directory.offset(key, member), member.file_size

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        directory = self._directory()
        for key in directory.keys_from(prefix):
            member = directory.members.get(key)
            if member is not None:  # otherwise it was erased meanwhile
                yield StoreEntry(key, member.file_size, _mtime_s(member))

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        directory = self._directory()
        key = directory.key_from(prefix)
        while key is not None and key.startswith(prefix):
            name, slash, _ = key[len(prefix) :].partition("/")
            if slash:
                yield StoreEntry(f"{prefix}{name}/")
                # "0" is the character after "/": this finds the first key after all keys under the prefix.
                key = directory.key_from(f"{prefix}{name}0")
                continue
            member = directory.members.get(key)
            if member is not None:
                yield StoreEntry(key, member.file_size, _mtime_s(member))
            key = directory.key_from(key + "\0")

    def _member(self, directory: ZipMembers, key: str) -> zipfile.ZipInfo | None:
        check_key(key, self.url)
        member = directory.members.get(key)
        if member is None and not is_safe(key):
            raise _leads_elsewhere(key, self.url)
        return member

    def _directory(self) -> ZipMembers:
        with self._lock:
            changed = None if self._changes is None else self._changes.directory()
            if changed is not None:
                return changed
            if self._read is None or not self.source.is_remote:
                facts = self._facts()
                if self._read is None or self._read.facts != facts or self._is_fresh:
                    self._read = self._found(facts)
            return self._read

    def _found(self, facts: StoreStat) -> ZipMembers:
        """The directory of a file that is only read."""
        if self._changes is None:
            return self._stored(facts)
        for _ in range(_READ_BETWEEN):
            try:
                found = self._stored(facts)
            except StoreError:
                # Another process may have changed the file meanwhile.
                self._is_fresh = _is_younger(facts, _SAME_DATE_S)
                if not self._is_fresh and self._facts() == facts:
                    raise
                time.sleep(_SAME_DATE_S / 2)
            else:
                self._is_fresh = _is_younger(facts, _SAME_DATE_S)
                if found.journal is None or not self._changes.recover():
                    return found
            facts = self._facts()
        return self._stored(facts)

    def _stored(self, facts: StoreStat) -> ZipMembers:
        if isinstance(self.source, LocalStore):
            if _is_younger(facts, _WRITTEN_S):
                return ZipMembers(self._held(self.source, facts).fetch, facts, self.url)
            return ZipMembers(partial(self._fetch_local, self.source, inode_of(facts)), facts, self.url)
        return ZipMembers(partial(self._fetch_stored, facts), facts, self.url)

    def _held(self, source: LocalStore, facts: StoreStat) -> OpenFile:
        """The file, kept open: while it is written, it may be replaced at any time and its inode number reused."""
        descriptor = source.open_key(self.key)
        if descriptor is None:
            raise self._gone()
        file = OpenFile(self.url, descriptor=descriptor)
        if inode_of(file.stat()) != inode_of(facts):
            raise ChangedError(f"{self.url} was replaced while it was read", url=self.url)
        return file

    def _facts(self) -> StoreStat:
        facts = self.source.stat(self.key)
        if facts is None:
            raise StoreNotFoundError(f"there is no file {self.url}", url=self.url)
        return facts

    def _gone(self) -> StoreNotFoundError:
        return StoreNotFoundError(f"there is no file {self.url} any more", url=self.url)

    def _fetch_local(self, source: LocalStore, inode: int, start: int, stop: int) -> BytesLike:
        """Bytes of a file on this machine: its known facts are valid until another file replaces it."""
        block = source.get_of_inode(self.key, ByteRange(start, stop), inode)
        if block is None:
            raise self._gone()
        return block

    def _fetch_stored(self, facts: StoreStat, start: int, stop: int) -> BytesLike:
        """Bytes of the file as stored, of the known version."""
        part = ByteRange(start, stop)
        if self.source.is_remote:
            block, now = self.source.get_with_stat(self.key, part) or (None, facts)
        else:
            block, now = self.source.get(self.key, part), facts  # which was just checked
        if block is None:
            raise self._gone()
        if now.version != facts.version:
            raise ChangedError(f"{self.url} was replaced while it was read", url=self.url)
        return block


def _is_younger(facts: StoreStat, seconds: float) -> bool:
    """Whether a file was changed within the given time."""
    return facts.mtime_s is not None and abs(time.time() - facts.mtime_s) < seconds


def _leads_elsewhere(key: str, url: str) -> InvalidKeyError:
    return InvalidKeyError(f"key {key!r} leads elsewhere", key=key, url=url)


def _mtime_s(member: zipfile.ZipInfo) -> float | None:
    """The member's date, which has no time zone and counts as local time, as in all programs."""
    try:
        return time.mktime((*member.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return None
