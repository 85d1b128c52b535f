"""The images of a group as the cells of a grid: wells at their places in a plate, or fields and series in a row.

OME-NGFF, "plate", "well" and "bioformats2raw.layout" metadata.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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
    """More than the name says, for the tool tip."""
    place: tuple[int, int] | None = None
    """Row and column in a plate."""
    acquisition: int | None = None
    """The identifier of the run of the microscope; None if the metadata do not give it."""


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """The field of a well that its thumbnail shows."""

    number: int = 0
    """Counted from 0, among the fields of the acquisition."""
    acquisition: int | None = None
    """The identifier of an acquisition; None for all."""

    def fields(self, cells: Sequence[Cell]) -> list[Cell]:
        """The fields of the acquisition."""
        return [cell for cell in cells if self.acquisition in (None, cell.acquisition)]


FIRST_FIELD = FieldChoice()
"""The first field of all acquisitions."""


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
    acquisitions: tuple[tuple[int, str], ...] = ()
    """Identifiers and titles of acquisitions to choose from; none if there is only one."""
    most_fields: int = 1
    """The largest number of fields of a well of a plate, as far as the metadata of the plate say."""

    @property
    def is_plate(self) -> bool:
        """Whether cells have places."""
        return bool(self.rows)

    def of_acquisition(self, acquisition: int | None) -> Gallery:
        """The fields of one acquisition, for the fields of a well; None for all."""
        if self.noun != "field" or acquisition is None:
            return self
        return replace(self, cells=tuple(FieldChoice(acquisition=acquisition).fields(self.cells)))

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
        runs = sorted({one.acquisition for one in found.fields if one.acquisition is not None})
        named = tuple((run, f"Acquisition {run}") for run in runs) if len(runs) > 1 else ()
        return Gallery("field", tuple(_fields(found, group.path)), acquisitions=named)
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
    rows, columns, runs = plate.rows, plate.columns, plate.acquisitions
    named = tuple((run.id, run.name or f"Acquisition {run.id}") for run in runs) if len(runs) > 1 else ()
    most_fields = max(1, plate.field_count or 1)
    if not rows or not columns or max(len(rows), len(columns)) > MOST_SIDE:
        listed = tuple(Cell(well.path, joined(base, well.path)) for well in plate.wells)
        return Gallery("well", listed, acquisitions=named, most_fields=most_fields)
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
    return Gallery("well", tuple(cells.values()), rows, columns, note, named, most_fields)


def _fields(well: Well, base: str) -> Iterator[Cell]:
    several = len({one.acquisition for one in well.fields}) > 1
    for number, field in enumerate(well.fields):
        run = f"acquisition {field.acquisition}" if several and field.acquisition is not None else ""
        detail = ", ".join(filter(None, (field.path, run)))
        yield Cell(f"field {number}", joined(base, field.path), detail, acquisition=field.acquisition)


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
