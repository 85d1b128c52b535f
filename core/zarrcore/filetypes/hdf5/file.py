"""``h5`` and ``nc``: an array with its coordinates, or a group with everything below it, as one HDF5 or NetCDF-4 file.

The skeleton is made at the beginning, from metadata only; elements are decoded when they are read.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import BinaryIO

from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.hdf5.contents import nodes_of
from zarrcore.filetypes.hdf5.skeleton import ReadTexts, Room, make_skeleton
from zarrcore.filetypes.hdf5.texts import Texts
from zarrcore.filetypes.interface import VirtualFile
from zarrcore.filetypes.plan import BytesPlan, KnownBytes, joined
from zarrcore.hierarchy import AnyNode, ArrayNode, Group

_NODE_NBYTES = 3_000


class HDF5File(VirtualFile):
    """A node and the nodes that belong to it, as one file.

    Content that HDF5 cannot hold is omitted; the attribute ``_zarrscope_left_out`` of the root group lists it.

    Args:
        node: an array, held with the neighbouring coordinates that it names; or a group, with everything below it.
        netcdf: whether only types and names of NetCDF-4 are used: its programs may crash on other files, for example with
            texts or ``float16``. They can read the file, but not append to it.
        find: as `nodes_of`.
        nodes: the nodes in the file, if the caller has already found them with `nodes_of`.
        read_texts: reads the elements of an array of variable length, all of them now; without it, such arrays are omitted.

    Raises:
        As `nodes_of`, and as `Array.read` for elements of variable length.
    """

    suffix = "h5"
    holds_many = True

    def __init__(
        self,
        node: Group | ArrayNode,
        *,
        netcdf: bool = False,
        find: Callable[[str], AnyNode] | None = None,
        nodes: Mapping[str, AnyNode] | None = None,
        read_texts: ReadTexts | None = None,
    ) -> None:
        if nodes is None:
            nodes = nodes_of(node, find)
        self._skeleton, self._rooms, self._left_out = make_skeleton(
            nodes, netcdf=netcdf, read_texts=read_texts
        )
        self._offsets = [room.offset for room in self._rooms]
        self.size = self._rooms[-1].offset + self._rooms[-1].nbytes if self._rooms else len(self._skeleton)

    def take_nodes(self, nodes: Mapping[str, AnyNode]) -> None:
        """Read elements through other nodes with the same paths and documents.

        Nodes that were read again may belong to a store that was opened again, and look their chunks up again.
        """
        arrays = {node.path: node for node in nodes.values() if isinstance(node, ArrayNode)}
        if any(arrays[room.array.path] is not room.array for room in self._rooms):
            self._rooms = [replace(room, array=arrays[room.array.path]) for room in self._rooms]

    @property
    def arrays(self) -> list[ArrayNode]:
        """The arrays through which elements are read, in the order of their elements."""
        return [room.array for room in self._rooms]

    @property
    def nbytes(self) -> int:
        """The approximate memory that it takes, mostly for the nodes."""
        return len(self._skeleton) + len(self._rooms) * _NODE_NBYTES

    def left_out(self) -> tuple[str, ...]:
        return self._left_out

    @cached_property
    def version(self) -> str:
        """A text that is equal for files that differ at most in the values of their elements, and decode these alike."""
        digest = hashlib.blake2b(self._skeleton, digest_size=16)
        for room in self._rooms:
            digest.update(room.array.version.encode())
        return digest.hexdigest()

    def plan(self, offset: int, nbytes: int) -> BytesPlan:
        stop = self._clipped(offset, nbytes)
        return joined(
            self._skeleton_bytes(start, end)
            if room is None
            else room.file().plan(start - room.offset, end - start)
            for start, end, room in self._pieces(offset, stop)
        )

    def _skeleton_bytes(self, start: int, stop: int) -> BytesPlan:
        return KnownBytes(self._skeleton[start:stop].ljust(stop - start, b"\0"))

    def array_at(self, offset: int) -> tuple[int, int, int, int]:
        """Like `VirtualFile.array_at`; bytes between arrays are ranges without planes and slabs."""
        position = bisect_right(self._offsets, offset) - 1
        room = self._rooms[position] if position >= 0 else None
        if room is not None and offset < room.offset + room.nbytes:
            _, slab = room.file().slabs
            plane = room.nbytes // (room.array.shape or (1,))[0]
            return room.offset, room.offset + room.nbytes, plane, slab
        begin = 0 if room is None else room.offset + room.nbytes
        return begin, self._offsets[position + 1] if position + 1 < len(self._offsets) else self.size, 0, 0

    def write_to(self, stream: BinaryIO, progress: Callable[[int], None] | None = None) -> None:
        for start, stop, room in self._pieces(0, self.size):
            if room is not None:
                room.file().write_to(stream, progress)
                continue
            stream.write(self.read(start, stop - start))
            if progress is not None:
                progress(stop - start)

    def _pieces(self, start: int, stop: int) -> Iterator[tuple[int, int, Room | None]]:
        """The pieces of a range of bytes: elements of one array each, or skeleton."""
        position = bisect_right(self._offsets, start) - 1
        while start < stop:
            room = self._rooms[position] if position >= 0 else None
            end = room.offset + room.nbytes if room is not None else 0
            if start >= end:
                position += 1
                room = None
                end = self._offsets[position] if position < len(self._offsets) else stop
            end = min(end, stop)
            if start < end:
                yield start, end, room
            start = end


def hdf5_file(
    node: Group | ArrayNode,
    find: Callable[[str], AnyNode] | None = None,
    *,
    cancelled: Callable[[], bool] | None = None,
) -> HDF5File:
    """Like `HDF5File`, with elements of variable length.

    Args:
        node: as `HDF5File`.
        find: as `nodes_of`.
        cancelled: called between chunks while elements of variable length are read.

    Raises:
        ReadCancelledError: ``cancelled`` returned True.
        UnsupportedError: the file cannot hold the array itself.
        As `nodes_of`.
    """
    return _holding(node, HDF5File(node, find=find, read_texts=partial(Texts, cancelled=cancelled)), "HDF5")


def netcdf_file(
    node: Group | ArrayNode,
    find: Callable[[str], AnyNode] | None = None,
    *,
    cancelled: Callable[[], bool] | None = None,
) -> HDF5File:
    """Like `hdf5_file`, with the types and names of NetCDF-4."""
    read_texts = partial(Texts, cancelled=cancelled)
    return _holding(node, HDF5File(node, netcdf=True, find=find, read_texts=read_texts), "NetCDF-4")


def _holding(node: Group | ArrayNode, file: HDF5File, title: str) -> HDF5File:
    """The file, unless it omits the array that was asked for."""
    if isinstance(node, ArrayNode) and node.size and not any(one is node for one in file.arrays):
        omitted = file.left_out()
        told = next((one for one in omitted if one.startswith(f"/{node.name}: ")), omitted[0])
        raise UnsupportedError("array", node.path, f"cannot be written as {title}: {told.partition(': ')[2]}")
    return file
