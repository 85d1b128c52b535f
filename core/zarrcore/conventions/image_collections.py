"""Groups of images: plates of wells, series, lists of labels, scenes, collections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from zarrcore.conventions.interface import Meaning, plural


@dataclass(frozen=True, slots=True)
class Acquisition:
    """One run of the microscope over a plate."""

    id: int
    name: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class PlateWell:
    """A well in its plate."""

    path: str
    """Relative to the plate."""
    row: int
    """Index into the plate's rows."""
    column: int
    """Index into the plate's columns."""


@dataclass(frozen=True, slots=True)
class Plate(Meaning):
    """A plate of wells, each a group of images."""

    kind: ClassVar[str] = "plate"

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    wells: tuple[PlateWell, ...]
    """The wells with images, in the order of the metadata."""
    acquisitions: tuple[Acquisition, ...] = ()
    field_count: int | None = None
    """The largest number of fields of view of a well; None if unknown."""

    def details(self) -> list[str]:
        found = [f"{len(self.rows)} × {len(self.columns)} positions", plural(len(self.wells), "well")]
        if self.field_count is not None:
            found.append(f"up to {plural(self.field_count, 'field')}")
        if len(self.acquisitions) > 1:
            found.append(plural(len(self.acquisitions), "acquisition"))
        return found

    def facts(self) -> list[tuple[str, str]]:
        found = [("name", self.name)] if self.name else []
        found += [("rows", ", ".join(self.rows)), ("columns", ", ".join(self.columns))]
        if self.acquisitions:
            named = (acquisition.name or str(acquisition.id) for acquisition in self.acquisitions)
            found.append(("acquisitions", ", ".join(named)))
        return found


@dataclass(frozen=True, slots=True)
class Field:
    """A field of view: one image of a well."""

    path: str
    """Relative to the well."""
    acquisition: int | None = None


@dataclass(frozen=True, slots=True)
class Well(Meaning):
    """The fields of view of one well."""

    kind: ClassVar[str] = "well"

    fields: tuple[Field, ...]

    def details(self) -> list[str]:
        acquisitions = {field.acquisition for field in self.fields if field.acquisition is not None}
        found = [plural(len(self.fields), "field")]
        return [*found, plural(len(acquisitions), "acquisition")] if len(acquisitions) > 1 else found

    def facts(self) -> list[tuple[str, str]]:
        return [("fields", ", ".join(field.path for field in self.fields))]


@dataclass(frozen=True, slots=True)
class Member:
    """A node of a collection."""

    name: str
    """The name to show."""
    path: str
    """Relative to the collection, or a URL of another store; empty for nodes within the document."""
    kind: str = ""
    """What it is, in the word of the convention; empty if it is not told."""


@dataclass(frozen=True, slots=True)
class ImageCollection(Meaning):
    """Images and other nodes that belong together: a series, a list of labels, a scene, a collection."""

    kind: ClassVar[str] = "collection"

    noun: str
    """What the collection is called, such as ``series of images``."""
    name: str
    members: tuple[Member, ...]
    relations: tuple[str, ...] = ()
    """Transformations between the coordinate systems of members, in words."""

    @property
    def summary(self) -> str:
        return ", ".join([f"{self.convention} {self.noun}", *self.details()])

    def details(self) -> list[str]:
        found = [plural(len(self.members), "member")]
        return [*found, plural(len(self.relations), "transformation")] if self.relations else found

    def facts(self) -> list[tuple[str, str]]:
        found = [("name", self.name)] if self.name else []
        found.append(("members", "\n".join(map(_member_text, self.members))))
        return [*found, ("relations", "\n".join(self.relations))] if self.relations else found


def _member_text(member: Member) -> str:
    parts = (member.path, member.name if member.name != member.path else "", member.kind)
    return "  ".join(part for part in parts if part)
