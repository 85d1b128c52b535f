"""NeXus: data to plot with their axes, in files of neutron, X-ray and muon experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from zarrcore.conventions.axis import Axis
from zarrcore.conventions.interface import Convention, Find, Meaning
from zarrcore.conventions.nexus.default import default_data, default_signal
from zarrcore.conventions.nexus.layout import (
    DATA_CLASS,
    INDICES,
    NO_AXIS,
    Layout,
    errors_names,
    field,
    interpretation_of,
    layout_around,
    layout_of,
    nexus_class,
    spanned,
)
from zarrcore.conventions.values import text
from zarrcore.conventions.variable import Variable
from zarrcore.errors import MetadataError, ReadCancelledError

__all__ = [
    "INDICES",
    "NEXUS",
    "NO_AXIS",
    "Layout",
    "NexusData",
    "NexusObject",
    "default_data",
    "default_signal",
    "errors_names",
    "field",
    "layout_of",
    "spanned",
]

TITLE: Final = "NeXus"
SPECIFICATION: Final = "https://manual.nexusformat.org/classes/base_classes/NXdata.html"
_ENTRIES: Final = ("NXentry", "NXsubentry")
_MOST_CHARACTERS: Final = 1000
"""A longer title is cut."""


@dataclass(frozen=True, slots=True)
class NexusData(Variable):
    """The signal of an NXdata group with its axes; other axes are in ``coordinates``."""

    kind: ClassVar[str] = "data"

    title: str = ""
    errors: str = ""
    """The name of the array with the uncertainties of the signal."""
    auxiliary_signals: tuple[str, ...] = ()
    interpretation: str = ""
    """How the signal is to be plotted, such as ``spectrum`` or ``image``."""

    def facts(self) -> list[tuple[str, str]]:
        found = [
            ("title", self.title),
            ("signal", self.name),
            ("errors", self.errors),
            ("auxiliary signals", ", ".join(self.auxiliary_signals)),
            ("interpretation", self.interpretation),
        ]
        # super() fails in dataclasses with slots before Python 3.14.
        return [*((label, words) for label, words in found if words), *Variable.facts(self)]


@dataclass(frozen=True, slots=True)
class NexusObject(Meaning):
    """A group of another class."""

    kind: ClassVar[str] = "object"

    type: str
    """Its class, such as ``NXdetector``."""
    default: str
    """The path of the NXdata group to plot first; empty if nothing says it."""

    @property
    def summary(self) -> str:
        return self.sentence([f"default {self.default}"] if self.default else [])

    def sentence(self, details: list[str]) -> str:
        return ", ".join([f"{self.convention} {self.type}", *details])


@dataclass(frozen=True, slots=True)
class NexusEntry(NexusObject):
    """A measurement."""

    kind: ClassVar[str] = "entry"


def _recognise(node: Any) -> str | None:
    name = nexus_class(node)
    if not name:
        return None
    return {DATA_CLASS: NexusData.kind, **dict.fromkeys(_ENTRIES, NexusEntry.kind)}.get(
        name, NexusObject.kind
    )


def _infer(node: Any, find: Find | None) -> str | None:
    """A signal is one because its group names it."""
    if node.kind != "array" or (find is None and getattr(node, "hierarchy", None) is None):
        return None
    find = find or node.hierarchy.node
    around = layout_around(node, find)
    is_signal = around is not None and node.name in (around[1].signal.name, *around[1].auxiliary)
    return NexusData.kind if is_signal else None


def _read(node: Any, find: Find) -> NexusData | NexusObject:
    if node.kind == "array":
        around = layout_around(node, find)
        if around is None:
            raise MetadataError(f"it is not in an {DATA_CLASS} group with a signal")
        return _read_data(around[0], node, around[1], find)
    if nexus_class(node) == DATA_CLASS:
        layout = layout_of(node, find)
        return _read_data(node, layout.signal, layout, find)
    kind = NexusEntry if _recognise(node) == NexusEntry.kind else NexusObject
    return kind(TITLE, nexus_class(node), default_data(node, find))


def _read_data(group: Any, signal: Any, layout: Layout, find: Find) -> NexusData:
    from zarrcore.conventions.nexus.scaling import scaling_of  # late: most hierarchies hold no NeXus

    names = text(signal.attributes.get("uncertainties")), *errors_names(signal.name)
    try:
        scale, offset = scaling_of(signal, find) or (1.0, 0.0)
    except ReadCancelledError:  # only metadata are read
        scale, offset = 1.0, 0.0
    # The axes are those of the main signal: another one may have another shape.
    has_axes = tuple(signal.shape) == tuple(layout.signal.shape)
    return NexusData(
        TITLE,
        signal.name,
        text(signal.attributes.get("long_name")),
        text(signal.attributes.get("units")),
        tuple(_axis(group, name, find) for name in (layout.axes if has_axes else [""] * signal.ndim)),
        tuple(signal.shape),
        scale=scale,
        offset=offset,
        coordinates=layout.others,
        title=_title(group, find),
        errors=next((name for name in names if name and field(group, name, find) is not None), ""),
        auxiliary_signals=tuple(name for name in layout.auxiliary if name and name != signal.name),
        interpretation=interpretation_of(group.attributes, signal),
    )


def _axis(group: Any, name: str, find: Find) -> Axis:
    node = field(group, name, find)
    if node is None or node.kind != "array":
        return Axis(name or None)
    return Axis(name, "", text(node.attributes.get("units")), text(node.attributes.get("long_name")))


def _title(group: Any, find: Find) -> str:
    """The title of the plot, which is an array of one text."""
    node = field(group, "title", find)
    if node is None or node.kind != "array" or node.size != 1 or node.dtype.kind not in "TSUO":
        return text(group.attributes.get("title"))
    try:
        told = node.read().reshape(-1)[0]
    except ReadCancelledError:  # only metadata are read
        return ""
    return str(told.decode("utf-8", "replace") if isinstance(told, bytes) else told)[:_MOST_CHARACTERS]


NEXUS: Final = Convention(
    "nexus",
    TITLE,
    SPECIFICATION,
    (NexusData.kind, NexusEntry.kind, NexusObject.kind),
    _recognise,
    _read,
    _infer,
)
