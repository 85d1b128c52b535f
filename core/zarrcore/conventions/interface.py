"""What a convention says about a node.

Zarr specifies groups and arrays. Conventions say, in attributes and names, what they stand for: an image with its levels, a
plate of wells, a variable with units, a table. Each convention translates its own metadata into the vocabulary of this
package, which has one type for each kind of thing, whatever the convention.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

Find = Callable[[str], Any]
"""Returns the node at an absolute path; several threads may call it.

It raises NodeNotFoundError if there is none, and StoreError if the store failed.
"""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a node is, according to a convention."""

    kind: ClassVar[str] = ""
    """One word for what the node is, such as ``image``."""

    convention: str
    """The convention, and its version if the metadata name one, such as ``OME-NGFF 0.5``."""

    @property
    def summary(self) -> str:
        """What the node is, in one line."""
        return self.sentence(self.details())

    def details(self) -> list[str]:
        """The parts of the summary after the convention and the kind."""
        return []

    def sentence(self, details: list[str]) -> str:
        """The convention and the kind, followed by details."""
        return ", ".join([f"{self.convention} {self.kind}", *details])

    def facts(self) -> list[tuple[str, str]]:
        """More about the node: labels and texts, which may have several lines."""
        return []

    def document(self) -> dict[str, Any]:
        """The meaning in values that JSON can hold."""
        return {
            "convention": self.convention,
            "kind": self.kind,
            "summary": self.summary,
            **self.contents(),
        }

    def contents(self) -> dict[str, Any]:
        """The part of the document that depends on the kind."""
        return {name: value for name, value in asdict(self).items() if name != "convention"}


@dataclass(frozen=True, slots=True)
class Convention:
    """A convention."""

    name: str
    """Its name in commands, such as ``ome-ngff``."""
    title: str
    """Its name in texts."""
    specification: str
    """The address of its specification."""
    kinds: tuple[str, ...]
    """The kinds of things that `recognise` returns."""
    recognise: Callable[[Any], str | None]
    """The kind of thing that a node is, from the node's own metadata alone; None if the convention does not say."""
    read: Callable[[Any, Find], Meaning]
    """The meaning of a node that was recognised; it may read metadata of other nodes.

    It raises MetadataError if the metadata contradict themselves, NodeNotFoundError if a node that they need is missing,
    and StoreError if the store failed.
    """
    infer: Callable[[Any, Find | None], str | None] | None = None
    """The kind of thing that a node without metadata of its own is, from the nodes in it or above it; None if no such nodes are
    known.

    It raises StoreError if the store failed.
    """


def plural(number: int, noun: str) -> str:
    """A number and a noun.

    >>> plural(1, "level"), plural(1200, "well")
    ('1 level', '1,200 wells')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
