"""Where the chunks of a dataset are: all kinds of chunk indexes, as arrays that are searched.

HDF5 File Format Specification, "Data Layout Message", "Version 1 B-trees", "Fixed Array", "Extensible Array". An entry takes 28
bytes of memory, so that an index of a million chunks is small.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from zarrcore.stores.hdf5 import btree2
from zarrcore.stores.hdf5.layout import Chunked
from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, FileReader, unsigned
from zarrcore.typing import AnyArray

_ALL: Final = 0xFFFFFFFF


class Place(NamedTuple):
    """Where the bytes of a chunk are."""

    address: int
    nbytes: int
    skipped: int
    """A bit for each filter that was not applied."""


class ChunkIndex:
    """The places of the chunks of one dataset, read when it is made.

    Raises:
        BrokenFileError: the index is broken.
    """

    def __init__(
        self, reader: FileReader, layout: Chunked, shape: tuple[int, ...], max_shape: tuple[int, ...]
    ) -> None:
        self._grid = _counts(shape, layout.chunk_shape)
        self._strides = _strides(self._grid)
        parts = [*_Entries(reader, layout, self._grid, _counts(max_shape, layout.chunk_shape)).parts()]
        numbers, addresses, sizes, masks = (
            (np.concatenate([part[i] for part in parts]) if parts else np.zeros(0, "u8")) for i in range(4)
        )
        order = np.argsort(numbers, kind="stable")
        # Signed, as Python's numbers are to NumPy: a search in another type would convert all of them.
        self._numbers = numbers[order].astype("i8")
        if (self._numbers[1:] == self._numbers[:-1]).any():
            raise BrokenFileError("a chunk index has two entries for one chunk")
        self._addresses = addresses[order].astype("u8")
        self._sizes = sizes[order].astype("u8")
        self._masks = masks[order].astype("u4")

    def __len__(self) -> int:
        return len(self._numbers)

    def place(self, index: tuple[int, ...]) -> Place | None:
        """Where a chunk is; None if it is not stored."""
        number = sum(i * stride for i, stride in zip(index, self._strides, strict=True))
        at = int(self._numbers.searchsorted(number))
        if at == len(self._numbers) or int(self._numbers[at]) != number:
            return None
        return Place(int(self._addresses[at]), int(self._sizes[at]), int(self._masks[at]))

    def places(self) -> Iterator[tuple[tuple[int, ...], Place]]:
        """The indices and places of all stored chunks, in C order."""
        columns = (self._numbers, self._addresses, self._sizes, self._masks)
        for number, *place in zip(*(column.tolist() for column in columns), strict=True):
            index = tuple(number // s % n for s, n in zip(self._strides, self._grid, strict=True))
            yield index, Place(*place)


_Part = tuple[AnyArray, AnyArray, AnyArray, AnyArray]


class _Entries:
    """Numbers, addresses, sizes and filter masks of stored chunks."""

    def __init__(
        self, reader: FileReader, layout: Chunked, grid: tuple[int, ...], max_grid: tuple[int, ...]
    ) -> None:
        self._reader = reader
        self._layout = layout
        self._grid = grid
        self._max_grid = max_grid
        self._ndim = len(grid)

    def parts(self) -> Iterator[_Part]:
        layout = self._layout
        if layout.address == UNDEFINED or 0 in self._grid:
            return
        match layout.index:
            case "b-tree 1":
                yield from self._tree_1()
            case "single":
                yield self._numbered(np.zeros(1, "u8"), [layout.address], [layout.nbytes], [layout.skipped])
            case "implicit":
                count = math.prod(self._max_grid)
                if count * layout.chunk_nbytes > self._reader.nbytes:
                    raise BrokenFileError("the file ends before its chunks")
                numbers = np.arange(count, dtype="u8")
                addresses = numbers * np.uint64(layout.chunk_nbytes) + np.uint64(layout.address)
                yield self._at_fixed(numbers, addresses, None, None)
            case "fixed array":
                yield from self._fixed_array()
            case "extensible array":
                yield from self._extensible_array()
            case _:
                yield from self._tree_2()

    def _numbered(self, numbers: Any, addresses: Any, sizes: Any, masks: Any) -> _Part:
        addresses = np.asarray(addresses, "u8")
        if sizes is None:
            sizes = np.full(len(addresses), self._layout.chunk_nbytes, "u8")
        if masks is None:
            masks = np.zeros(len(addresses), "u4")
        return np.asarray(numbers, "u8"), addresses, np.asarray(sizes, "u8"), np.asarray(masks, "u4")

    def _at(self, indices: AnyArray, addresses: Any, sizes: Any, masks: Any) -> _Part:
        """Entries at chunk indices, an array of shape (entries, dimensions), without those outside of the dataset."""
        grid = np.asarray(self._grid, "u8")
        numbers, addresses, sizes, masks = self._numbered(np.zeros(len(indices)), addresses, sizes, masks)
        keep = (indices < grid).all(axis=1) & (addresses != np.uint64(UNDEFINED))
        strides = np.asarray(_strides(self._grid), "u8")
        numbers = (indices[keep] * strides).sum(axis=1, dtype="u8")
        return numbers, addresses[keep], sizes[keep], masks[keep]

    def _at_fixed(self, numbers: AnyArray, addresses: Any, sizes: Any, masks: Any) -> _Part:
        """Entries by their numbers in the grid of the largest shape."""
        strides = _strides(self._max_grid)
        indices = np.empty((len(numbers), self._ndim), "u8")
        for dimension, (stride, count) in enumerate(zip(strides, self._max_grid, strict=True)):
            indices[:, dimension] = numbers // np.uint64(stride) % np.uint64(count)
        return self._at(indices, addresses, sizes, masks)

    def _tree_1(self) -> Iterator[_Part]:
        entry = np.dtype(
            [("size", "<u4"), ("mask", "<u4"), ("offset", "<u8", (self._ndim + 1,)), ("address", "<u8")]
        )
        reader, chunk = self._reader, np.asarray(self._layout.chunk_shape, "u8")
        pending, seen, level = [self._layout.address], set[int](), None
        guess = 24 + 64 * entry.itemsize
        while pending:
            following: list[int] = []
            leaves = []
            reader.prepare((address, guess) for address in pending)
            for address in pending:
                if address in seen:
                    raise BrokenFileError("the nodes of a B-tree form a loop")
                seen.add(address)
                head = reader.read(address, 24, "a node of a B-tree")
                if head[:5] != b"TREE\1" or (level is not None and head[5] != level):
                    raise BrokenFileError(f"no node of a B-tree is at byte {reader.base + address:,}")
                used = unsigned(head, 6, 2)
                data = reader.read(address + 24, used * entry.itemsize, "a node of a B-tree")
                found = np.frombuffer(data, entry)
                if head[5]:
                    following += found["address"].tolist()
                else:
                    leaves.append(found)
                top = head[5]
            level = top - 1
            pending = following
            if leaves:
                joined = np.concatenate(leaves)
                offsets = joined["offset"][:, : self._ndim]
                if (offsets % chunk).any() or joined["offset"][:, self._ndim].any():
                    raise BrokenFileError("a B-tree has an entry that is not at a chunk")
                yield self._at(
                    self._inside(offsets // chunk), joined["address"], joined["size"], joined["mask"]
                )
                if following:
                    raise BrokenFileError("the leaves of a B-tree are at different levels")

    def _tree_2(self) -> Iterator[_Part]:
        is_filtered = self._layout.is_filtered
        for nbytes, parts in btree2.nodes(self._reader, self._layout.address, 11 if is_filtered else 10):
            width = nbytes - 8 - 4 - 8 * self._ndim if is_filtered else 0
            if nbytes != 8 + (width + 4 if is_filtered else 0) + 8 * self._ndim or not 0 <= width <= 8:
                raise BrokenFileError("the records of a B-tree have a wrong size")
            data = np.frombuffer(b"".join(parts), "u1").reshape(-1, nbytes)
            indices = np.ascontiguousarray(data[:, nbytes - 8 * self._ndim :]).view("<u8")
            yield self._at(self._inside(indices.reshape(-1, self._ndim)), *self._columns(data, width))

    def _inside(self, indices: AnyArray) -> AnyArray:
        """The indices of a B-tree, from which the HDF5 library removes chunks when a dataset shrinks.

        A program that writes the file may have added some since the dataset's shape was read.
        """
        if not self._reader.is_changing and (indices >= np.asarray(self._grid, "u8")).any():
            raise BrokenFileError("a B-tree has an entry outside of the dataset")
        return indices

    def _columns(self, data: AnyArray, width: int) -> tuple[Any, Any, Any]:
        """Addresses, sizes and masks of entries, an array of bytes of shape (entries, bytes of an entry)."""
        addresses = np.ascontiguousarray(data[:, :8]).view("<u8")[:, 0]
        if not self._layout.is_filtered:
            return addresses, None, None
        sizes = np.zeros((len(data), 8), "u1")
        sizes[:, :width] = data[:, 8 : 8 + width]
        masks = np.ascontiguousarray(data[:, 8 + width : 12 + width]).view("<u4")[:, 0]
        return addresses, sizes.view("<u8")[:, 0], masks

    def _elements(self, data: bytes, nbytes: int) -> tuple[Any, Any, Any]:
        if nbytes < (13 if self._layout.is_filtered else 8) or nbytes > 20:
            raise BrokenFileError("the entries of a chunk index have a wrong size")
        return self._columns(np.frombuffer(data, "u1").reshape(-1, nbytes), nbytes - 12)

    def _fixed_array(self) -> Iterator[_Part]:
        reader = self._reader
        head = reader.read_checked(self._layout.address, 28, "the header of a chunk index")
        if head[:4] != b"FAHD":
            raise BrokenFileError("a dataset has no chunk index")
        nbytes, page_count, count = head[6], 1 << min(head[7], 32), unsigned(head, 8, 8)
        address = unsigned(head, 16, 8)
        if address == UNDEFINED:
            return
        if count > math.prod(self._max_grid) or not nbytes:
            raise BrokenFileError("a chunk index has more entries than the dataset has chunks")
        start = address + 14
        if reader.read(address, 4, "a chunk index") != b"FADB":
            raise BrokenFileError("a chunk index has no entries")
        if count <= page_count:
            data = reader.read_checked(address, 14 + count * nbytes + 4, "a chunk index")[14:]
            yield self._at_fixed(np.arange(count, dtype="u8"), *self._elements(data, nbytes))
            return
        pages = -(-count // page_count)
        used = reader.read(start, -(-pages // 8), "a chunk index")
        start += len(used) + 4
        page_nbytes = page_count * nbytes + 4
        for page in range(pages):
            if not used[page // 8] & 0x80 >> page % 8:
                continue
            size = min(page_count, count - page * page_count)
            data = reader.read_checked(start + page * page_nbytes, size * nbytes + 4, "a chunk index")
            numbers = np.arange(page * page_count, page * page_count + size, dtype="u8")
            yield self._at_fixed(numbers, *self._elements(data, nbytes))

    def _extensible_array(self) -> Iterator[_Part]:
        array = _ExtensibleArray(self._reader, self._layout.address)
        for first, data in array.blocks():
            nbytes = array.entry_nbytes
            numbers = np.arange(first, first + len(data) // nbytes, dtype="u8")
            # The dimension that can grow counts slowest, so that the number of a chunk never changes.
            growing = self._layout.growing
            counts = [self._max_grid[d] for d in range(self._ndim) if d != growing]
            indices = np.empty((len(numbers), self._ndim), "u8")
            rest = numbers
            for dimension in reversed([d for d in range(self._ndim) if d != growing]):
                count = np.uint64(counts.pop())
                indices[:, dimension] = rest % count
                rest = rest // count
            indices[:, growing] = rest
            yield self._at(indices, *self._elements(data, nbytes))


class _ExtensibleArray:
    """The entries of an index that grows without being rewritten. "Extensible Array Index".

    Attributes:
        entry_nbytes: bytes of an entry.
    """

    def __init__(self, reader: FileReader, address: int) -> None:
        self._reader = reader
        head = reader.read_checked(address, 72, "the header of a chunk index")
        if head[:4] != b"EAHD":
            raise BrokenFileError("a dataset has no chunk index")
        self.entry_nbytes, max_bits, self._direct, least, pointers, page_bits = head[6:12]
        self._address = unsigned(head, 60, 8)
        powers = least and pointers and not least & (least - 1) and not pointers & (pointers - 1)
        is_broken = not self.entry_nbytes or not powers or not 0 < max_bits <= 64 or page_bits > 32
        if is_broken and self._address != UNDEFINED:
            raise BrokenFileError("the header of a chunk index is broken")
        self._least = least
        self._page = 1 << page_bits
        self._head_nbytes = 14 + (max_bits + 7) // 8
        self._supers = 1 + max_bits - (least.bit_length() - 1)
        self._without = 2 * (pointers.bit_length() - 1)
        self._pointers = 2 * (pointers - 1) + max(0, self._supers - self._without)

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """The number of the first entry of each block, and its bytes."""
        if self._address == UNDEFINED:
            return
        at, first = 14 + self._direct * self.entry_nbytes, self._direct
        data = self._reader.read_checked(self._address, at + 8 * self._pointers + 4, "a chunk index")
        if data[:4] != b"EAIB":
            raise BrokenFileError("a chunk index has no entries")
        yield 0, data[14:at]
        for number in range(self._supers):
            count, length = 1 << number // 2, (1 << (number + 1) // 2) * self._least
            is_super = number >= self._without
            addresses = [unsigned(data, at + 8 * i, 8) for i in range(1 if is_super else count)]
            at += 8 * len(addresses)
            used = b""
            if is_super:
                addresses, used = self._super_block(addresses[0], count, length)
            self._reader.prepare(
                (a, 64 + min(length, self._page) * self.entry_nbytes) for a in addresses if a != UNDEFINED
            )
            for position, address in enumerate(addresses):
                if address != UNDEFINED:
                    bits = used[len(used) // count * position : len(used) // count * (position + 1)]
                    yield from self._block(address, first + position * length, length, bits)
            first += count * length

    def _super_block(self, address: int, count: int, length: int) -> tuple[list[int], bytes]:
        """The addresses of its blocks, and which of their pages are used."""
        if address == UNDEFINED:
            return [], b""
        pages = length // self._page if length > self._page else 0
        start = self._head_nbytes + -(-pages // 8) * count
        found = self._reader.read_checked(address, start + 8 * count + 4, "a chunk index")
        if found[:4] != b"EASB":
            raise BrokenFileError("a chunk index is broken")
        return [unsigned(found, start + 8 * i, 8) for i in range(count)], found[self._head_nbytes : start]

    def _block(self, address: int, first: int, length: int, used: bytes) -> Iterator[tuple[int, bytes]]:
        reader, head, nbytes = self._reader, self._head_nbytes, self.entry_nbytes
        if reader.read(address, 4, "a chunk index") != b"EADB":
            raise BrokenFileError("a chunk index is broken")
        if length <= self._page:
            yield first, reader.read_checked(address, head + length * nbytes + 4, "a chunk index")[head:]
            return
        if not used:
            raise BrokenFileError("a chunk index has pages where there are none")
        for page in range(length // self._page):
            if used[page // 8] & 0x80 >> page % 8:
                start = address + head + 4 + page * (self._page * nbytes + 4)
                data = reader.read_checked(start, self._page * nbytes + 4, "a chunk index")
                yield first + page * self._page, data


def _counts(shape: tuple[int, ...], chunk_shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(-(-length // chunk) for length, chunk in zip(shape, chunk_shape, strict=True))


def _strides(counts: tuple[int, ...]) -> tuple[int, ...]:
    strides, product = [], 1
    for count in reversed(counts):
        strides.append(product)
        product *= max(1, count)
    if product >= 2**63:
        raise BrokenFileError("a dataset has too many chunks")
    return tuple(reversed(strides))
