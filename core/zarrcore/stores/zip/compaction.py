"""Rewriting a zip file without its unused bytes."""

from __future__ import annotations

import contextlib
import copy
import errno
import struct
import zipfile
from typing import Final

from zarrcore.stores.local.atomic_files import NewFile, remove_abandoned
from zarrcore.stores.local.confined_paths import DIRECTORY
from zarrcore.stores.zip import ome_zarr
from zarrcore.stores.zip.file import OpenFile
from zarrcore.stores.zip.writing import ZipWriter
from zarrcore.system import os

_LOCAL_HEADER: Final = struct.Struct("<4s2xH18xHH")
_LOCAL_SIGNATURE: Final = b"PK\x03\x04"
_HAS_DESCRIPTOR: Final = 0x8
_DESCRIPTOR_SIGNATURE: Final = b"PK\x07\x08"
_AT_ONCE: Final = 1 << 22


def compact(writer: ZipWriter, *, durable: bool, arranged_as: str | None = None) -> bool:
    """Replace the file by one that contains only the used bytes. If that fails, it stays unchanged.

    Members are copied unchanged. The disk needs space for all of them.

    Args:
        writer: the file, settled or not; it must not be used afterwards.
        durable: write everything through to the disk before the file is replaced.
        arranged_as: the version of OME-Zarr, to arrange the file as RFC 9 demands; None keeps the order of the members.

    Returns:
        Whether it was done; False if another program has changed the file.

    Raises:
        OSError: there is not enough space, or the directory is not writable.
    """
    parent, name = os.path.split(writer.file.path)
    directory = os.open(parent or "/", DIRECTORY)
    try:
        remove_abandoned(directory)
        with NewFile(directory, 0o600) as file:
            made = OpenFile(parent, descriptor=os.dup(file.descriptor))
            _copy_permissions(writer.file, made)
            made.replaces(writer.file)
            _write(writer, made, arranged_as)
            if durable:
                os.fsync(made.descriptor)
            if not writer.is_current():
                return False
            file.put_at(name)
        if durable:
            os.fsync(directory)
        return True
    finally:
        os.close(directory)


def _copy_permissions(before: OpenFile, made: OpenFile) -> None:
    facts = os.fstat(before.descriptor)
    with contextlib.suppress(PermissionError):  # only root may change the owner
        os.fchown(made.descriptor, facts.st_uid, facts.st_gid)
    os.fchmod(made.descriptor, facts.st_mode & 0o7777)


def _write(writer: ZipWriter, made: OpenFile, arranged_as: str | None) -> None:
    position = _copy(writer.file, made, 0, writer.before, 0)
    entries: list[zipfile.ZipInfo] = []
    run_start = run_stop = position
    members = [*writer.unsafe, *writer.members.values()]
    for info in sorted(members, key=_in_the_file if arranged_as is None else _documents_first):
        stop = _stop(writer, info)
        if info.header_offset != run_stop:
            position = _copy(writer.file, made, run_start, run_stop, position)
            run_start = info.header_offset
        run_stop = stop
        moved = copy.copy(info)
        moved.header_offset = position + info.header_offset - run_start
        entries.append(moved)
    position = _copy(writer.file, made, run_start, run_stop, position)
    if arranged_as is None:
        made.write(position, writer.directory_at(position, entries))
    else:
        directory = writer.directory_at(position, entries, ome_zarr.comment_of(arranged_as))
        made.write(position, ome_zarr.with_zip64(directory, position))


def _in_the_file(info: zipfile.ZipInfo) -> int:
    return info.header_offset


def _documents_first(info: zipfile.ZipInfo) -> tuple[tuple[int, int], int, str]:
    rank = ome_zarr.rank(info.filename)
    # Documents are sorted by name, everything else keeps its order.
    return rank[:2], info.header_offset if rank[0] else 0, rank[2]


def _copy(source: OpenFile, target: OpenFile, start: int, stop: int, position: int) -> int:
    """Copy the bytes from a start to a stop to a position. Return the position after them."""
    while start < stop:
        part = source.fetch(start, min(stop, start + _AT_ONCE))
        if not part:
            raise OSError(errno.EIO, f"{source.path} became shorter while it was copied")
        target.write(position, part)
        start, position = start + len(part), position + len(part)
    return position


def _stop(writer: ZipWriter, info: zipfile.ZipInfo) -> int:
    """The end of a member in the file, including the descriptor that streaming programs write after it (APPNOTE 4.3.9)."""
    start = info.header_offset
    header = bytes(writer.file.fetch(start, start + _LOCAL_HEADER.size))
    if len(header) < _LOCAL_HEADER.size or not header.startswith(_LOCAL_SIGNATURE):
        raise OSError(errno.EINVAL, f"{info.filename} does not begin where the zip directory says")
    _, flags, name_nbytes, extra_nbytes = _LOCAL_HEADER.unpack(header)
    stop = start + _LOCAL_HEADER.size + name_nbytes + extra_nbytes + info.compress_size
    if not flags & _HAS_DESCRIPTOR:
        return int(stop)
    checksum = struct.pack("<L", info.CRC)
    behind = bytes(writer.file.fetch(stop, stop + 24))
    bare = 0 if not behind.startswith(_DESCRIPTOR_SIGNATURE) else 4
    if behind[bare : bare + 4] != checksum:
        return int(stop)  # no descriptor, or one of an unknown form
    sizes = (
        "<QQ"
        if behind[bare + 4 :].startswith(struct.pack("<QQ", info.compress_size, info.file_size))
        else "<LL"
    )
    return int(stop + bare + 4 + struct.calcsize(sizes))
