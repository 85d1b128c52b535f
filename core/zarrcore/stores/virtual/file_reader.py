"""The metadata of a file, read in blocks that are kept: structures of HDF5 are small and lie near one another."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from zarrcore.errors import ChangedError, StoreNotFoundError
from zarrcore.late_imports import imported
from zarrcore.stores.cache.single_flight import SingleFlight
from zarrcore.stores.interface import ByteRange, ReadableStore
from zarrcore.stores.virtual.one_version import check_version

UNDEFINED: Final = 2**64 - 1
"""The address of something that does not exist."""

_LOCAL_BLOCK: Final = 1 << 16
_REMOTE_BLOCK: Final = 1 << 20
_KEPT_NBYTES: Final = 64 << 20
_FETCHED_AT_ONCE: Final = 16
_ATTEMPTS: Final = 50
"""To read a structure that a program may be writing."""
_PAUSE_S: Final = 0.01
_MAX_NBYTES: Final = 1 << 28
"""The largest structure that is read at once."""


class BrokenFileError(ValueError):
    """The file is not what the format demands, or uses something that is not supported; the message is one sentence."""


class FileReader:
    """Reads a file by the addresses of HDF5, which count from its base. Thread-safe.

    Args:
        source: the store of the file.
        key: its key there.
        url: the URL to show.
        remote_block_nbytes: how much of a remote file is read at once, apart from its beginning. Structures that are far from
            each other need less.

    Attributes:
        base: the position of address 0.
        is_changing: whether a program may be writing the file. Then it may grow, what a structure refers to is read after
            it was, and a structure whose checksum differs is read again.

    Raises:
        StoreNotFoundError: the file does not exist.
        StoreError: the store failed.
    """

    def __init__(
        self, source: ReadableStore, key: str, url: str, *, remote_block_nbytes: int = _REMOTE_BLOCK
    ) -> None:
        self.source = source
        self.key = key
        self.url = url
        self.base = 0
        self.is_changing = False
        self._block_nbytes = remote_block_nbytes if source.is_remote else _LOCAL_BLOCK
        # One request gets the size and the blocks that each format begins in.
        try:
            found = source.get_with_stat(
                key, ByteRange(0, _REMOTE_BLOCK if source.is_remote else _LOCAL_BLOCK)
            )
        except (
            ChangedError
        ):  # a program writes it all the time; whether it can be read meanwhile, its format knows
            now = source.stat(key)
            found = None if now is None else (b"", now)
        if found is None:
            raise StoreNotFoundError(f"{url} does not exist", key=key, url=source.url)
        head, facts = found
        self.nbytes = facts.size
        self.version = facts.lasting_version if source.is_remote else facts.version
        self._blocks: OrderedDict[int, bytes] = OrderedDict(
            (start // self._block_nbytes, bytes(head[start : start + self._block_nbytes]))
            for start in range(0, max(1, len(head)), self._block_nbytes)
            if start + self._block_nbytes <= len(head) or len(head) == facts.size
        )
        self._replaced: list[tuple[int, bytes]] = []
        self._lock = threading.Lock()
        self._flights: SingleFlight[bytes] = SingleFlight()

    def replace(self, pieces: Iterable[tuple[int, bytes]]) -> None:
        """Read pieces (address and bytes) in place of what the file has there."""
        self._replaced = sorted((self.base + address, piece) for address, piece in pieces)
        if self._replaced:
            with self._lock:
                self._blocks.clear()

    def read(self, address: int, nbytes: int, what: str = "a structure") -> bytes:
        """Bytes at an address.

        Raises:
            BrokenFileError: the file ends before them.
            StoreError: the store failed.
        """
        start = self.base + address
        if self.is_changing and start + nbytes > self.nbytes:
            self._look_at_size()
        if nbytes > _MAX_NBYTES or start + nbytes > self.nbytes:
            raise BrokenFileError(
                f"{what} of {nbytes:,} bytes should be at byte {start:,}, but the file has {self.nbytes:,} bytes"
            )
        first, last = start // self._block_nbytes, (start + max(1, nbytes) - 1) // self._block_nbytes
        if last - first > 2:
            return self._fetch(start, start + nbytes)
        joined = self._block(first)
        for number in range(first + 1, last + 1):
            joined += self._block(number)
        offset = start - first * self._block_nbytes
        return joined[offset : offset + nbytes]

    def read_checked(self, address: int, nbytes: int, what: str) -> bytes:
        """The same for a structure that ends in its checksum, which is checked and cut off."""
        for attempt in range(_ATTEMPTS if self.is_changing else 1):
            if attempt:
                time.sleep(_PAUSE_S)
                with self._lock:
                    self._blocks.clear()
            data = self.read(address, nbytes, what)
            if has_right_sum(data):
                return data[:-4]
        check_sum(data, what)
        return data[:-4]

    def _look_at_size(self) -> None:
        facts = self.source.stat(self.key)
        self.nbytes = self.nbytes if facts is None else max(self.nbytes, facts.size)

    def up_to(self, address: int, nbytes: int) -> bytes:
        """Bytes at an address, fewer at the end of the file."""
        if self.is_changing and self.base + address + nbytes > self.nbytes:
            self._look_at_size()
        return self.read(address, max(0, min(nbytes, self.nbytes - self.base - address)))

    def block_at(self, position: int) -> tuple[int, bytes]:
        """The block that a position of the file is in, and where it starts: for readers of many small structures.

        Raises:
            StoreError: the store failed.
        """
        number = position // self._block_nbytes
        return number * self._block_nbytes, self._block(number)

    def prepare(self, places: Iterable[tuple[int, int]]) -> None:
        """Fetch the blocks of several structures (address and size) at once."""
        if not self.source.is_remote:
            return
        wanted: set[int] = set()
        for address, nbytes in places:
            start = self.base + address
            if start + nbytes <= self.nbytes:
                wanted.update(range(start // self._block_nbytes, (start + nbytes) // self._block_nbytes + 1))
        missing = [number for number in sorted(wanted) if number not in self._blocks]
        missing = missing[: _KEPT_NBYTES // self._block_nbytes // 2]
        if len(missing) > 1:
            with ThreadPoolExecutor(_FETCHED_AT_ONCE, "zarrcore-hdf5") as threads:
                list(threads.map(self._block, missing))

    def _block(self, number: int) -> bytes:
        if self.is_changing and not self.source.is_remote:
            start = number * self._block_nbytes
            return self._fetch(start, min(self.nbytes, start + self._block_nbytes))
        found = self._kept(number)
        return self._flights.run(number, lambda: self._fetch_block(number)) if found is None else found

    def _kept(self, number: int) -> bytes | None:
        with self._lock:
            found = self._blocks.get(number)
            if found is not None:
                self._blocks.move_to_end(number)
            return found

    def _fetch_block(self, number: int) -> bytes:
        # Another thread may have stored the block after this one looked and before it could join the request.
        found = self._kept(number)
        if found is not None:
            return found
        start = number * self._block_nbytes
        stop = min(self.nbytes, start + self._block_nbytes)
        found = self._fetch(start, stop) if start < stop else b""
        with self._lock:
            self._blocks[number] = found
            while len(self._blocks) > _KEPT_NBYTES // self._block_nbytes:
                self._blocks.popitem(last=False)
        return found

    def _fetch(self, start: int, stop: int) -> bytes:
        part = ByteRange(start, stop)
        if self.source.is_remote and not self.is_changing:
            value, facts = self.source.get_with_stat(self.key, part) or (None, None)
            if facts is not None:
                check_version(self.version, facts, self.url, self.key)
        else:
            value = self.source.get(self.key, part)
        if value is None or len(value) != stop - start:
            raise ChangedError(f"{self.url} changed while it was read", key=self.key, url=self.source.url)
        if not self._replaced:
            return bytes(value)
        patched = bytearray(value)
        first = bisect_left(self._replaced, (start, b""))
        for position, piece in self._replaced[max(0, first - 1) :]:
            if position >= stop:
                break
            begin, end = max(start, position), min(stop, position + len(piece))
            if begin < end:
                patched[begin - start : end - start] = piece[begin - position : end - position]
        return bytes(patched)


_lookup3: Final[Callable[[bytes, int], int]] = imported("numcodecs.jenkins").jenkins_lookup3


def check_sum(data: bytes, what: str) -> None:
    """Check a structure whose last four bytes are its checksum.

    Raises:
        BrokenFileError: they differ.
    """
    if len(data) < 5:
        raise BrokenFileError(f"{what} is too short")
    if not has_right_sum(data):
        raise BrokenFileError(f"the checksum of {what} differs")


def has_right_sum(data: bytes) -> bool:
    """Whether a structure ends in its checksum."""
    return len(data) > 4 and _lookup3(data[:-4], 0) == int.from_bytes(data[-4:], "little")


def unsigned(data: bytes, start: int, nbytes: int) -> int:
    """A little-endian number.

    Raises:
        BrokenFileError: the data end before it.
    """
    if start + nbytes > len(data):
        raise BrokenFileError("a structure ends early")
    return int.from_bytes(data[start : start + nbytes], "little")
