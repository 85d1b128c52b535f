"""The members of a zip file, wherever it lies: only its directory and the members asked for are fetched."""

from __future__ import annotations

import bisect
import threading
import time
import weakref
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
from zarrcore.stores.local import LocalStore
from zarrcore.stores.zip_directory import is_safe
from zarrcore.stores.zip_members import ZipMembers
from zarrcore.stores.zip_writing import ZipDraft, check_name

_READ_ANEW: Final = 3
"""How often the directory is read again for one value, of a file that is replaced time and again."""


class ZipStore(ReadableStore, ListableStore, WritableStore):
    """A zip file as a store. Nothing is read before the first request.

    Its directory is read once, and again when the file was replaced: a remote store tells of which version the bytes
    are that it gives. Members whose names lead elsewhere (``..``, absolute ones) are left out.

    A file on this machine can be written: a copy beside it takes the changes, which this store shows at once and
    others when it is closed and the copy replaces the file. One who is killed before that leaves the file as it was.

    Args:
        source: the store that holds the zip file.
        key: its key there.
        url: what to show; made from the store's without it.
    """

    def __init__(self, source: ReadableStore, key: str, url: str | None = None) -> None:
        self.source = source
        self.key = key
        self.url = url or join_url(source.url, key)
        self.is_remote = source.is_remote
        self.requests_in_flight = source.requests_in_flight
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._read: ZipMembers | None = None
        self._draft: ZipDraft | None = None
        self._finalizer: weakref.finalize[Any, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        if self._draft is not None:
            raise StoreError(
                f"{self.url} holds changes that other processes cannot see yet: close it first", url=self.url
            )
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    @property
    def identity(self) -> Hashable:
        return self.source.identity, self.key

    @property
    def read_only(self) -> bool:
        return not isinstance(self.source, LocalStore)

    def refresh(self) -> None:
        self.source.refresh()
        self._read = None  # without the lock, which is held while the directory is fetched

    def close(self) -> None:
        """Store what was changed, and give back files and connections.

        Raises:
            StoreError: somebody else changed the file meanwhile, or there is no room for it.
        """
        with self._lock:
            if self._draft is not None:
                draft = self._draft
                try:
                    draft.commit()
                finally:
                    if draft.done:  # else there was no room, and closing can be tried again
                        self._draft = None
                        if self._finalizer is not None:
                            self._finalizer.detach()
        self.source.close()

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        check_key(key, self.url)
        self._check_local(key)
        self._member(self._directory(), key)
        check_name(key, self.url)
        return self._changing(key).put(key, value, if_absent=if_absent)

    def erase(self, key: str) -> None:
        self._check_local(key)
        if self._member(self._directory(), key) is not None:
            self._changing(key).erase(key)

    def erase_values(self, keys: Iterable[str]) -> None:
        self._check_local("")
        super().erase_values(keys)

    def erase_prefix(self, prefix: str) -> None:
        self._check_local(prefix)
        super().erase_prefix(prefix)

    def _changing(self, key: str) -> ZipDraft:
        """The copy that takes changes until the store is closed, or let go."""
        source = self._check_local(key)
        with self._lock:
            if self._draft is None:
                self._draft = ZipDraft(source, self.key, self._facts(), self.url)
                self._finalizer = weakref.finalize(self, self._draft.commit)
            return self._draft

    def _check_local(self, key: str) -> LocalStore:
        if isinstance(self.source, LocalStore):
            return self.source
        raise ReadOnlyError(
            f"{f'{key} in ' if key else ''}{self.url} cannot be written: zip files are written on this machine's "
            "disks only; write one there and copy it, or write keys beside it"
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
                f"{key} in {self.url}: there is no memory for a value of {member.file_size} bytes",
                key=key,
                url=self.url,
            ) from error

    def stat(self, key: str) -> StoreStat | None:
        member = self._member(self._directory(), key)
        if member is None:
            return None
        etag = f"{member.CRC:08x}-{member.file_size:x}"
        return StoreStat(member.file_size, _mtime_s(member), etag)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        directory = self._directory()
        members, names = directory.members, directory.names
        for index in range(bisect.bisect_left(names, prefix), len(names)):
            key = names[index]
            if not key.startswith(prefix):
                return
            member = members.get(key)
            if member is not None:  # else it was erased meanwhile
                yield StoreEntry(key, member.file_size, _mtime_s(member))

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        directory = self._directory()
        members, names = directory.members, directory.names
        index = bisect.bisect_left(names, prefix)
        while index < len(names) and names[index].startswith(prefix):
            key = names[index]
            name, slash, _ = key[len(prefix) :].partition("/")
            if slash:
                yield StoreEntry(f"{prefix}{name}/")
                # "0" is the character after "/": what it finds is the first key after all under this prefix.
                index = bisect.bisect_left(names, f"{prefix}{name}0", lo=index)
            else:
                member = members.get(key)
                if member is not None:
                    yield StoreEntry(key, member.file_size, _mtime_s(member))
                index += 1

    def _member(self, directory: ZipMembers, key: str) -> zipfile.ZipInfo | None:
        check_key(key, self.url)
        member = directory.members.get(key)
        if member is None and not is_safe(key):
            raise InvalidKeyError(f"key {key!r} leads elsewhere", key=key, url=self.url)
        return member

    def _directory(self) -> ZipMembers:
        with self._lock:
            if self._draft is not None:
                return self._draft
            if self._read is None or not self.source.is_remote:
                facts = self._facts()
                if self._read is None or self._read.facts != facts:
                    self._read = ZipMembers(partial(self._fetch_stored, facts), facts, self.url)
            return self._read

    def _facts(self) -> StoreStat:
        facts = self.source.stat(self.key)
        if facts is None:
            raise StoreNotFoundError(f"there is no file {self.url}", url=self.url)
        return facts

    def _fetch_stored(self, facts: StoreStat, start: int, stop: int) -> BytesLike:
        """Bytes of the file as it is stored, of the version that is known."""
        part = ByteRange(start, stop)
        if self.source.is_remote:
            block, now = self.source.get_with_stat(self.key, part) or (None, facts)
        else:
            block, now = self.source.get(self.key, part), facts  # which was looked at just now
        if block is None:
            raise StoreNotFoundError(f"there is no file {self.url} any more", url=self.url)
        if now.version != facts.version:
            raise ChangedError(f"{self.url} was replaced while it was read", url=self.url)
        return block


def _mtime_s(member: zipfile.ZipInfo) -> float | None:
    """The member's date, which is written without a time zone and taken as local time, as all programs do."""
    try:
        return time.mktime((*member.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return None
