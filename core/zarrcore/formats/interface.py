"""What a format has to answer: which keys hold a node's documents, and what do they say?

A format does no I/O of its own: it names the keys, gets their values, and gives back the neutral metadata. So the same
description serves the library, the mount and a store that cannot list.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from zarrcore.metadata import JsonObject, NodeMetadata

Documents = tuple[bytes | None, ...]
"""The values of `Format.document_keys`, in their order; None for an absent key."""


class Format(ABC):
    """One on-disk format.

    Attributes:
        name: the identifier that ``--format`` and ``format=`` take.
        title: the name for people.
        specification: where the format is described.
        implicit_groups: whether a prefix without a document of its own is a group.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    specification: ClassVar[str]
    implicit_groups: ClassVar[bool]

    V3: ClassVar[Format]
    V2: ClassVar[Format]

    @abstractmethod
    def document_keys(self, path: str) -> tuple[str, ...]:
        """The keys that hold, or may hold, the documents of the node at ``path``, the decisive ones first."""

    def fetch(self, get: Callable[[str], bytes | None], path: str) -> Documents:
        """The documents of the node at ``path``, asked for through ``get``; what cannot matter any more is not asked for."""
        return tuple(get(key) for key in self.document_keys(path))

    @abstractmethod
    def consolidated_paths(self, get: Callable[[str], bytes | None], root: Documents) -> list[str] | None:
        """The paths of nodes that the root's consolidated metadata names; None where there is none.

        It is a hint for stores that cannot be listed, and nothing more: what a node is, its own document says.

        Raises:
            MetadataError: the consolidated metadata is broken.
        """

    @abstractmethod
    def claims(self, documents: Documents) -> bool:
        """Whether these documents are of this format, broken or not."""

    @abstractmethod
    def parse(self, documents: Documents) -> NodeMetadata | None:
        """The node that the documents describe, or None where there is none.

        Raises:
            MetadataError: a document is broken.
            UnsupportedError: it needs an extension that we do not know.
        """

    @abstractmethod
    def stored_documents(self, documents: Documents) -> JsonObject:
        """The documents as found on disk, in one object; text that is no JSON stands as a string."""

    def prefix(self, path: str) -> str:
        """What the keys of the node at ``path`` begin with; for an array, chunk keys follow.

        >>> Format.V3.prefix("/foo/bar"), Format.V3.prefix("/")
        ('foo/bar/', '')
        """
        return path[1:] + "/" if len(path) > 1 else ""

    def may_name_node(self, name: str) -> bool:
        """Whether a prefix of this name can be a node."""
        return bool(name.strip(".")) and not name.startswith("__")

    def __repr__(self) -> str:
        return f"Format({self.name!r})"

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, tuple[str]]:
        from zarrcore.formats import format_named

        return format_named, (self.name,)
