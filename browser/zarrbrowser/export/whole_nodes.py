"""Export a whole node: an array with its coordinates, or a group with all below it, as a file or as a Zarr hierarchy."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from zarrbrowser.nodes.protocols import HierarchyLike, NodeLike, is_array
from zarrbrowser.nodes.read_cost import Cancelled
from zarrcore.filetypes import FILE_TYPES, file_type

Cancelling = Callable[[], bool]
Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class WholeType:
    """What a whole node can become."""

    title: str
    suffix: str
    """The ending of the name, without the dot."""
    format: str = ""
    """The format of a hierarchy, as `zarrcore.formats.format_named`; empty for one file."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, not one file."""
        return bool(self.format) and not self.suffix.endswith("zip")


HIERARCHIES = {
    "v3 folder": WholeType("Zarr v3, folder", "zarr", "v3"),
    "v3 zip": WholeType("Zarr v3, one zip file", "zarr.zip", "v3"),
    "v2 folder": WholeType("Zarr v2, folder", "zarr", "v2"),
    "n5 folder": WholeType("N5, folder", "n5", "n5"),
}
_FILES = [kind for kind in FILE_TYPES if kind.groups]
WITH_COORDINATES = {
    kind.suffix: WholeType(kind.title, kind.suffix) for kind in _FILES if not kind.takes_selection
}
IMAGE_FILES = {kind.suffix: WholeType(kind.title, kind.suffix) for kind in _FILES if kind.takes_selection}
"""Files of groups that are multiscale images."""
OF_ARRAYS = {**WITH_COORDINATES, **HIERARCHIES}
OF_GROUPS = {**WITH_COORDINATES, **IMAGE_FILES, **HIERARCHIES}


@dataclass(frozen=True, slots=True)
class NodeExport:
    """What to write, and where."""

    hierarchy: HierarchyLike
    node: NodeLike
    kind: WholeType
    path: str


@dataclass(frozen=True, slots=True)
class Written:
    """What was written."""

    nbytes: int
    """The size of the file; of a folder, the decoded bytes of its arrays."""
    notes: tuple[str, ...] = ()
    """What the new file or format does not hold."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The arrays of a node and below it."""

    arrays: int
    nbytes: int
    """Decoded bytes."""


def extent_of(hierarchy: HierarchyLike, node: NodeLike, cancelled: Cancelling) -> Extent:
    """Count the arrays of a node and below it; reads their metadata.

    Raises:
        Cancelled: ``cancelled`` became true.
        StoreError: the store failed.
    """
    arrays = nbytes = 0
    for one in hierarchy.walk(node.path):
        if cancelled():
            raise Cancelled
        if is_array(one):
            arrays, nbytes = arrays + 1, nbytes + one.nbytes
    return Extent(arrays, nbytes)


def write_node(export: NodeExport, cancelled: Cancelling, progress: Progress) -> Written:
    """Write a whole node. The file or folder appears when it is complete.

    Raises:
        Cancelled: ``cancelled`` became true.
        OSError: it cannot be written there.
        ZarrError: a chunk cannot be read, or the type cannot hold the node.
    """
    if export.kind.format:
        return _write_hierarchy(export, cancelled, progress)
    return _write_file(export, cancelled, progress)


def _write_file(export: NodeExport, cancelled: Cancelling, progress: Progress) -> Written:
    from zarrcore.errors import ReadCancelledError
    from zarrcore.filetypes import whole_or_nothing

    kind, node = file_type(export.kind.suffix), export.node
    made: Any = node  # zarrcore's files need zarrcore's own nodes
    try:
        make = kind.of_array if is_array(node) else kind.of_group
        file, written = make(made, cancelled=cancelled), 0
    except ReadCancelledError as error:
        raise Cancelled from error

    def report(nbytes: int) -> None:
        nonlocal written
        written += nbytes
        if cancelled():
            raise Cancelled
        progress(written / max(1, file.size))

    with whole_or_nothing(export.path) as stream:
        file.write_to(stream, report)
    return Written(os.path.getsize(export.path), tuple(f"left out {one}" for one in file.left_out()))


def _write_hierarchy(export: NodeExport, cancelled: Cancelling, progress: Progress) -> Written:
    from zarrcore.formats import format_named  # late, like all that the window does not need to start
    from zarrcore.operations import copy
    from zarrcore.stores import open_store

    def report(_path: str, done: int, total: int) -> None:
        if cancelled():
            raise Cancelled
        progress(done / max(1, total))

    source: Any = export.hierarchy  # zarrcore copies zarrcore's own hierarchies
    with _whole_or_nothing(export) as place:
        plan = copy.plan_copy(source, export.node.path, to=format_named(export.kind.format))
        with open_store(place, create=True) as destination:
            result = copy.execute(plan, source, destination, progress=report)
    nbytes = result.nbytes if export.kind.is_folder else os.path.getsize(export.path)
    return Written(nbytes, plan.notes)


@contextmanager
def _whole_or_nothing(export: NodeExport) -> Iterator[str]:
    """A path for the new hierarchy, which gets its name at the end, and is removed if anything fails.

    Raises:
        FileExistsError: a folder is already there.
    """
    folder, name = os.path.split(os.path.abspath(export.path))
    if os.path.lexists(export.path) and (export.kind.is_folder or os.path.isdir(export.path)):
        raise FileExistsError(f"{export.path} exists: choose another name")
    place = os.path.join(folder, f".{uuid.uuid4().hex[:8]}.{name}")
    try:
        yield place
        os.rename(place, export.path)
    finally:
        if os.path.isdir(place):
            shutil.rmtree(place, ignore_errors=True)
        elif os.path.lexists(place):
            os.remove(place)
