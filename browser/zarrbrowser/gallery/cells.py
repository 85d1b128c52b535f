"""The images of a group as the cells of a grid: wells at their places in a plate, or fields and series in a row.

OME-NGFF, "plate", "well" and "bioformats2raw.layout" metadata.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zarrbrowser.nodes.protocols import NodeLike, is_group
from zarrbrowser.values.quantities import count

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrcore.conventions import ImageCollection, Plate, Well

_KINDS = ("plate", "well", "series of images", "list of labels", "scene", "collection")
MOST_SIDE = 1000
"""A plate with more rows or columns is shown as a list: no real plate has as many."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One image, or a group of images that its first image stands for."""

    name: str
    path: str
    """The absolute path of the node."""
    detail: str = ""
    """More than the name tells, for the tool tip."""
    place: tuple[int, int] | None = None
    """Row and column in a plate."""


@dataclass(frozen=True, slots=True)
class Gallery:
    """The images of one group."""

    noun: str
    """What a cell is: ``well``, ``field`` or ``image``."""
    cells: tuple[Cell, ...]
    rows: tuple[str, ...] = ()
    """The names of a plate's rows; empty if cells have no places and are shown one after another."""
    columns: tuple[str, ...] = ()
    note: str = ""
    """What of the metadata is not shown, in one sentence; empty if everything is."""

    @property
    def is_plate(self) -> bool:
        """Whether cells have places."""
        return bool(self.rows)

    @property
    def title(self) -> str:
        """What there is, in a few words."""
        found = count(len(self.cells), self.noun)
        return f"{found} on {len(self.rows):,} × {len(self.columns):,} positions" if self.is_plate else found


def has_gallery(node: NodeLike) -> bool:
    """Whether a group consists of images, according to its attributes; reads nothing else."""
    from zarrcore.conventions import recognise  # late: for a fast start

    if not is_group(node):
        return False
    recognised = recognise(node)
    return recognised is not None and recognised[1] in _KINDS


def gallery_of(group: NodeLike, find: Callable[[str], Any]) -> Gallery:
    """The images of a group that `has_gallery`; blocks.

    Args:
        find: the node at an absolute path.

    Raises:
        MetadataError: the metadata contradict themselves.
        StoreError: the store failed.
    """
    from zarrcore.conventions import ImageCollection, Plate, Well, meaning  # late: for a fast start

    found = meaning(group, find)
    if isinstance(found, Plate):
        return _of_plate(found, group.path)
    if isinstance(found, Well):
        return Gallery("field", tuple(_fields(found, group.path)))
    if isinstance(found, ImageCollection):
        return _of_collection(found, group.path)
    return Gallery("image", ())


def joined(base: str, path: str) -> str:
    """The absolute path of a path that the metadata of ``base`` name.

    >>> joined("/", "A/1"), joined("/plate", "./B/2"), joined("/a/b", "../c")
    ('/A/1', '/plate/B/2', '/a/c')
    """
    return posixpath.normpath(posixpath.join(base or "/", path.lstrip("/"))).replace("//", "/")


def _of_plate(plate: Plate, base: str) -> Gallery:
    rows, columns = plate.rows, plate.columns
    if not rows or not columns or max(len(rows), len(columns)) > MOST_SIDE:
        return Gallery("well", tuple(Cell(well.path, joined(base, well.path)) for well in plate.wells))
    cells: dict[tuple[int, int], Cell] = {}
    left_out = 0
    for well in plate.wells:
        place = (well.row, well.column)
        if well.row >= len(rows) or well.column >= len(columns) or place in cells:
            left_out += 1
            continue
        name = f"{rows[well.row]}{columns[well.column]}"
        cells[place] = Cell(name, joined(base, well.path), well.path, place)
    note = ""
    if left_out:
        note = (
            f"{count(left_out, 'well')} of the metadata {'has' if left_out == 1 else 'have'} "
            "no place on the plate, or the place of another well."
        )
    return Gallery("well", tuple(cells.values()), rows, columns, note)


def _fields(well: Well, base: str) -> Iterator[Cell]:
    several = len({one.acquisition for one in well.fields}) > 1
    for number, field in enumerate(well.fields):
        run = f"acquisition {field.acquisition}" if several and field.acquisition is not None else ""
        yield Cell(f"field {number}", joined(base, field.path), ", ".join(filter(None, (field.path, run))))


def _of_collection(found: ImageCollection, base: str) -> Gallery:
    cells, left_out = [], 0
    for member in found.members:
        if not member.path or "://" in member.path:
            left_out += 1
            continue
        detail = member.path if member.name else ""
        cells.append(Cell(member.name or member.path, joined(base, member.path), detail))
    note = (
        f"{count(left_out, 'member')} of the metadata cannot be shown here: no path in this source."
        if left_out
        else ""
    )
    return Gallery("image", tuple(cells), note=note)
