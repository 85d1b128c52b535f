"""Many references in little memory: chunks as sorted columns of numbers, all other keys in a dictionary.

The keys of chunks are numbers after a common beginning, such as ``air/0.0.0``. Those with the same beginning, separator and
number of dimensions are a family. Its indices become one integer each, so ten million references take about 250 MB.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from zarrcore.stores.interface import StoreEntry

MAX_ODD_KEYS: Final = 2_000_000
MAX_INLINE_NBYTES: Final = 256 << 20
MAX_URL_NBYTES: Final = 256 << 20
MAX_REFERENCES: Final = 50_000_000
MAX_KEY_LENGTH: Final = 64 << 10
_LARGEST: Final = 1 << 62
_LISTED_AT_ONCE: Final = 10_000

NUMBERS: Final = (
    r"(?:0|[1-9]\d{0,8})(?:(?:(?>\.(?:0|[1-9]\d{0,8}))){0,63}+|(?:(?>/(?:0|[1-9]\d{0,8}))){1,63}+)"
)
"""The numbers in the key of a chunk, separated by dots or by slashes: no more than an array has dimensions, so that a long key
does not take long."""
HEAD: Final = r"(?:[^/]*/){0,32}?"
"""What is before the numbers. A key with more before them is only kept as keys of other kinds are: to look for numbers after
each of thousands of slashes takes long."""
_INDICES: Final = re.compile(r"(?:(?:0|[1-9]\d{0,8})/)+", re.ASCII)
"""The first indices of chunks, as a part of a prefix."""
_CHUNK_KEY: Final = re.compile(rf"({HEAD})({NUMBERS})", re.ASCII | re.DOTALL)


class Reference(NamedTuple):
    """Bytes of a target."""

    url: str
    start: int
    nbytes: int | None
    """None for all of the target."""


Found = bytes | Reference
_Numbers = np.ndarray[Any, np.dtype[Any]]
_Name = tuple[str, str, int]


class TooManyError(ValueError):
    """There are more references than this program can hold."""


class _Urls(dict[str, int]):
    """The number of each URL; a new one gets the next number."""

    nbytes = 0

    def __missing__(self, url: str) -> int:
        self.nbytes += len(url) + 50
        if self.nbytes > MAX_URL_NBYTES:
            raise TooManyError("its targets have too many names: write it as Parquet")
        number = self[url] = len(self)
        return number


class _Family:
    """The references of chunks with the same beginning, separator and number of dimensions; columns in blocks until sorted."""

    def __init__(self, name: _Name) -> None:
        self.head, self.separator, self.ndim = name
        self.indices: list[list[_Numbers]] = [[] for _ in range(self.ndim)]
        self.columns: list[list[_Numbers]] = [[], [], []]
        self.counts: tuple[int, ...] = ()

    def add(self, tails: list[str], urls: list[int], starts: list[str], lengths: list[str]) -> None:
        numbers = _numbers(tails, self.separator).reshape(-1, self.ndim)
        for axis, blocks in enumerate(self.indices):
            blocks.append(_small(numbers[:, axis]))
        for column, values in zip(
            self.columns, (np.asarray(urls), _numbers(starts), _numbers(lengths)), strict=True
        ):
            column.append(_small(values))

    def sort(self) -> bool:
        """Sort the chunks; of several with one key, the last counts. False if the indices do not fit into one integer."""
        self.counts = tuple(1 + max(int(block.max()) for block in blocks) for blocks in self.indices)
        if math.prod(self.counts) > _LARGEST:
            return False
        self.packed = _joined(self.indices[0], np.dtype(np.int64))
        for blocks, count in zip(self.indices[1:], self.counts[1:], strict=True):
            self.packed *= count
            done = 0
            while blocks:
                block = blocks.pop(0)
                self.packed[done : done + len(block)] += block
                done += len(block)
        order = None
        if not np.all(self.packed[1:] > self.packed[:-1]):
            order = np.argsort(self.packed, kind="stable")
            sorted_ = self.packed[order]
            is_last = np.append(sorted_[1:] != sorted_[:-1], True)
            order, self.packed = order[is_last], sorted_[is_last]
        for number, blocks in enumerate(self.columns):
            column = _joined(blocks)
            self.columns[number] = [column if order is None else column[order]]
        return True

    def row(self, tail: str) -> int | None:
        packed = 0
        for text, count in zip(tail.split(self.separator), self.counts, strict=True):
            index = int(text)
            if index >= count:
                return None
            packed = packed * count + index
        row = int(self.packed.searchsorted(packed))
        return row if row < len(self.packed) and self.packed[row] == packed else None

    def at(self, row: int) -> tuple[int, int, int | None]:
        """URL's number, start and length of a row."""
        url, start, nbytes = (int(column[0][row]) for column in self.columns)
        return url, max(0, start), None if nbytes < 0 else nbytes

    def list_dir(self, within: str) -> Iterator[StoreEntry]:
        """Keys and prefixes below the head and some first indices, such as ``0/3/``."""
        given = [*map(int, within.split("/")[:-1])] if within else []
        if len(given) >= self.ndim or any(i >= n for i, n in zip(given, self.counts, strict=False)):
            return
        first = 0
        for index, count in zip(given, self.counts, strict=False):
            first = first * count + index
        below = math.prod(self.counts[len(given) :])
        begin, end = (int(row) for row in self.packed.searchsorted([first * below, (first + 1) * below]))
        prefix = self.head + within
        if self.separator == "/" and len(given) < self.ndim - 1:
            divisor = math.prod(self.counts[len(given) + 1 :])
            last = -1
            for start in range(begin, end, _LISTED_AT_ONCE):
                part = self.packed[start : min(end, start + _LISTED_AT_ONCE)]
                for index in np.unique(part // divisor % self.counts[len(given)]).tolist():
                    if index != last:
                        yield StoreEntry(f"{prefix}{index}/")
                    last = index
            return
        for start in range(begin, end, _LISTED_AT_ONCE):
            rows = slice(start, min(end, start + _LISTED_AT_ONCE))
            axes = np.unravel_index(self.packed[rows], self.counts)
            names = zip(*(axis.tolist() for axis in axes[len(given) :]), strict=True)
            sizes = self.columns[2][0][rows].tolist()
            for name, size in zip(names, sizes, strict=True):
                key = prefix + self.separator.join(map(str, name))
                yield StoreEntry(key, None if size < 0 else size)


def _check_length(key: str) -> None:
    if len(key) > MAX_KEY_LENGTH:
        raise ValueError(f"a key has more than {MAX_KEY_LENGTH:,} characters: {key[:40]!r}…")


def _numbers(texts: list[str], separator: str = "") -> _Numbers:
    joined = " ".join(texts)
    return np.fromstring(joined.replace(separator, " ") if separator else joined, np.int64, sep=" ")


def _joined(blocks: list[_Numbers], kind: np.dtype[Any] | None = None) -> _Numbers:
    """The blocks as one column; each is dropped as soon as it is copied."""
    joined = np.empty(sum(map(len, blocks)), kind or np.result_type(*{block.dtype for block in blocks}))
    done = 0
    blocks.reverse()
    while blocks:
        block = blocks.pop()
        joined[done : done + len(block)] = block
        done += len(block)
    return joined


def _small(values: _Numbers) -> _Numbers:
    """The same numbers in the smallest type that holds them."""
    lowest, highest = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for kind in (np.uint8, np.uint16, np.uint32) if lowest >= 0 else (np.int16, np.int32):
        if highest <= np.iinfo(kind).max:
            return values.astype(kind)
    return values.astype(np.int64, copy=False)


class ReferenceIndex:
    """References by key. Add all of them, then `finish`."""

    def __init__(self) -> None:
        self._families: dict[_Name, _Family] = {}
        self._odd: dict[str, bytes | tuple[int, int, int | None]] = {}
        self._urls = _Urls()
        self._url_table: list[str] = []
        self._count = 0
        self._inline_nbytes = 0

    @property
    def urls(self) -> list[str]:
        """The distinct targets, once finished."""
        return self._url_table

    def __len__(self) -> int:
        return self._count

    def add_chunks(self, entries: Iterable[tuple[str, str, str, str, str]]) -> None:
        """Add chunks: the beginning and the numbers of their keys, URL, start and length, which are empty for a whole file.

        Raises:
            TooManyError: there are too many.
            ValueError: a key is too long.
        """
        groups: dict[_Name, list[tuple[str, str, str, str, str]]] = {}
        for entry in entries:
            groups.setdefault(_name(entry[0], entry[1]), []).append(entry)
        for name, group in groups.items():
            _check_length(name[0])
            self._count += len(group)
            if self._count > MAX_REFERENCES:
                raise TooManyError(f"it has more than {MAX_REFERENCES:,} references: write it as Parquet")
            _, tails, urls, starts, lengths = (list(column) for column in zip(*group, strict=True))
            if "" in starts:
                starts, lengths = [text or "-1" for text in starts], [text or "-1" for text in lengths]
            family = self._families.get(name)
            if family is None:
                family = self._families[name] = _Family(name)
            family.add(tails, [*map(self._urls.__getitem__, urls)], starts, lengths)

    def add(self, key: str, found: Found) -> None:
        """Add one reference or value.

        Raises:
            TooManyError: there are too many.
            ValueError: the key is too long.
        """
        _check_length(key)
        if isinstance(found, Reference):
            match = _CHUNK_KEY.fullmatch(key)
            if match is not None:
                start, nbytes = ("", "") if found.nbytes is None else (str(found.start), str(found.nbytes))
                self._odd.pop(key, None)
                self.add_chunks([(match[1], match[2], found.url, start, nbytes)])
                return
            self._odd[key] = self._urls[found.url], found.start, found.nbytes
            self._inline_nbytes += len(key)
        else:
            self._inline_nbytes += len(found) + len(key)
            self._odd[key] = found
        if self._inline_nbytes > MAX_INLINE_NBYTES:
            raise TooManyError(
                f"its own values, and their keys, have more than {MAX_INLINE_NBYTES >> 20} MiB"
            )
        self._count += 1
        if len(self._odd) > MAX_ODD_KEYS:
            raise TooManyError(f"it has more than {MAX_ODD_KEYS:,} keys that are not of chunks of an array")

    def finish(self, rendered: Mapping[str, str] | None = None) -> None:
        """Sort what was added. ``rendered`` has the targets that templates stand for."""
        self._url_table = (
            [*self._urls] if rendered is None else [rendered.get(url, url) for url in self._urls]
        )
        self._urls = _Urls()
        for name, family in [*self._families.items()]:
            if not family.sort():
                del self._families[name]
                self._add_odd(family)
        for key in [key for key in self._odd if (match := _CHUNK_KEY.fullmatch(key)) and self._row(match)]:
            del self._odd[key]
        self._odd_keys = sorted(self._odd)
        self._heads = sorted({family.head for family in self._families.values()})

    @property
    def unfinished_urls(self) -> Iterable[str]:
        """The distinct targets that were added so far."""
        return self._urls

    def _add_odd(self, family: _Family) -> None:
        columns = [_joined(blocks) for blocks in (*family.indices, *family.columns)]
        if len(self._odd) + len(columns[0]) > MAX_ODD_KEYS:
            raise TooManyError("its chunks have too many dimensions with large indices")
        for *index, url, start, nbytes in zip(*(column.tolist() for column in columns), strict=True):
            key = family.head + family.separator.join(map(str, index))
            self._odd[key] = url, max(0, start), None if nbytes < 0 else nbytes

    def _row(self, match: re.Match[str]) -> tuple[_Family, int] | None:
        family = self._families.get(_name(match[1], match[2]))
        row = None if family is None else family.row(match[2])
        return None if family is None or row is None else (family, row)

    def find(self, key: str) -> Found | None:
        """The value, or where it is; None if the key is absent."""
        found = self._odd.get(key)
        if found is None:
            match = _CHUNK_KEY.fullmatch(key)
            place = None if match is None else self._row(match)
            if place is None:
                return None
            found = place[0].at(place[1])
        if isinstance(found, bytes):
            return found
        return Reference(self._url_table[found[0]], found[1], found[2])

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        """Keys and prefixes directly below a prefix."""
        seen: set[str] = set()
        for name in self._names(self._odd_keys, prefix):
            if not name.endswith("/"):
                value = self._odd[name]
                yield StoreEntry(name, len(value) if isinstance(value, bytes) else value[2])
            elif name not in seen:
                seen.add(name)
                yield StoreEntry(name)
        for name in self._names(self._heads, prefix):
            if name not in seen:
                seen.add(name)
                yield StoreEntry(name)
        for family, within in self._families_at(prefix):
            for entry in family.list_dir(within):
                if not entry.is_prefix or entry.key not in seen:
                    if entry.is_prefix:
                        seen.add(entry.key)
                    yield entry

    def _families_at(self, prefix: str) -> Iterator[tuple[_Family, str]]:
        """The families whose chunks are directly below a prefix, or below prefixes there."""
        cut = len(prefix)
        while True:
            head, within = prefix[:cut], prefix[cut:]
            for family in self._with_head(head):
                if not within or (family.separator == "/" and _INDICES.fullmatch(within)):
                    yield family, within
            if cut == 0:
                return
            cut = prefix.rfind("/", 0, cut - 1) + 1
            if not prefix[cut:].replace("/", "").isdecimal():
                return

    def _with_head(self, head: str) -> Iterator[_Family]:
        at = bisect_left(self._heads, head)
        if at < len(self._heads) and self._heads[at] == head:
            yield from (family for name, family in self._by_head(head) if name[0] == head)

    def _by_head(self, head: str) -> list[tuple[_Name, _Family]]:
        if not hasattr(self, "_grouped"):
            self._grouped: dict[str, list[tuple[_Name, _Family]]] = {}
            for item in self._families.items():
                self._grouped.setdefault(item[0][0], []).append(item)
        return self._grouped.get(head, [])

    @staticmethod
    def _names(keys: list[str], prefix: str) -> Iterator[str]:
        """Keys directly below a prefix, and the prefixes that other keys begin with, from sorted keys."""
        at = bisect_left(keys, prefix)
        while at < len(keys) and keys[at].startswith(prefix):
            name, slash, _ = keys[at][len(prefix) :].partition("/")
            if slash:
                yield prefix + name + "/"
                at = bisect_left(keys, prefix + name + "0", at)  # "0" follows "/"
            else:
                if name:
                    yield keys[at]
                at += 1


def _name(head: str, tail: str) -> _Name:
    separator = "/" if "/" in tail else "."
    return head, separator, tail.count(separator) + 1
