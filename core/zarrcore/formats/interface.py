"""The interface of formats: the keys of a node's documents, their meaning, and how to write them.

A format does no I/O. It names keys, takes their values, and returns neutral metadata. It also turns
neutral metadata, or a change, into values for those keys. The same description therefore serves the library, the mount and
stores that cannot list.

Packages add formats through the entry-point group ``zarrscope.formats``: the entry's name is the format's, its object a
`Format` class without parameters, or an instance. zarrcore's own formats come first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, ClassVar

from zarrcore.errors import UnsupportedError
from zarrcore.extensions import extension_names, load_extension
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, GroupMetadata, JsonObject, NodeMetadata
from zarrcore.metadata.chunk_key_encoding import may_be_chunk_key

_GROUP = "zarrscope.formats"

Documents = tuple[bytes | None, ...]
"""The values of `Format.document_keys`, in their order; None for an absent key."""


class Format(ABC):
    """One on-disk format.

    Attributes:
        name: the identifier for ``--format`` and ``format=``.
        title: the name for people.
        specification: the address of the format's description.
        implicit_groups: whether a prefix without its own document is a group.
        empty_groups: whether any key below a prefix makes it such a group; otherwise, only keys that may be nodes do.
        implicit_root: whether the root of a hierarchy may be such a group; otherwise, a folder whose children are nodes
            of this format is a collection of hierarchies.
        consolidated_key: the key that holds only consolidated metadata, if there is such a key.
        writable: whether `encode` and the other methods that make documents work.
        OURS: the formats of zarrcore, in the order of detection; the package sets it, and ``V3`` and the others.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    specification: ClassVar[str]
    implicit_groups: ClassVar[bool]
    empty_groups: ClassVar[bool] = True
    implicit_root: ClassVar[bool] = True
    consolidated_key: ClassVar[str] = ""
    writable: ClassVar[bool] = False

    OURS: ClassVar[tuple[Format, ...]]
    V3: ClassVar[Format]
    V2: ClassVar[Format]
    V1: ClassVar[Format]
    N5: ClassVar[Format]
    DRAFT_2019_05: ClassVar[Format]
    DRAFT_2019_06: ClassVar[Format]
    DRAFT_2020_09: ClassVar[Format]
    DRAFT_2020_10: ClassVar[Format]
    DRAFT_2022_12: ClassVar[Format]
    DRAFT_2023_02: ClassVar[Format]

    def configure(self, get: Callable[[str], bytes | None], is_there: Callable[[str], bool]) -> Format:
        """This format as configured by the hierarchy's entry point, which may be that of another format.

        Args:
            get: gets the value of a key.
            is_there: whether a key exists, or, if it ends in ``/``, any key that begins with it; False if the
                store cannot list.

        Raises:
            MetadataError: the entry point is broken.
            UnsupportedError: it names an unknown extension that must be understood.
        """
        return self

    @property
    def deciding_keys(self) -> tuple[str, ...]:
        """The keys that `detect` may request first."""
        return self.document_keys("/")

    def detect(self, get: Callable[[str], bytes | None], is_there: Callable[[str], bool]) -> Format | None:
        """This format, configured, if the hierarchy's root has it; arguments and errors are those of `configure`."""
        return self if self.claims(self.fetch(get, "/")) else None

    @abstractmethod
    def document_keys(self, path: str) -> tuple[str, ...]:
        """The keys that hold, or may hold, the documents of the node at ``path``, the decisive ones first."""

    def fetch(self, get: Callable[[str], bytes | None], path: str) -> Documents:
        """The documents of the node at ``path``, through ``get``; documents that can no longer matter are not requested."""
        return tuple(get(key) for key in self.document_keys(path))

    def usual_keys(self, path: str) -> tuple[str, ...]:
        """Those of `document_keys` that `fetch` requests for almost any node: a walk requests them at once."""
        return self.document_keys(path)[:1]

    @abstractmethod
    def claims(self, documents: Documents) -> bool:
        """Whether these documents are of this format, broken or not."""

    def implies_parent(self, documents: Documents) -> bool:
        """Whether a node with these documents makes its parent, which has none, a group of this format."""
        return self.implicit_groups and self.claims(documents)

    def implied_group(self, get: Callable[[str], bytes | None], path: str) -> GroupMetadata:
        """The implicit group at ``path``, without a document that declares a group.

        Raises:
            MetadataError: another document of it is broken.
        """
        return GroupMetadata()

    @abstractmethod
    def parse(self, documents: Documents) -> NodeMetadata | None:
        """The node that the documents describe, or None if there is none.

        Raises:
            MetadataError: a document is broken.
            UnsupportedError: it needs an unknown extension.
        """

    def leaves_keys_open(self, metadata: ArrayMetadata) -> bool:
        """Whether the documents of an array do not say how its chunk keys are built, so that `resolve` asks the store."""
        return False

    def resolve(self, path: str, metadata: ArrayMetadata, is_there: Callable[[str], bool]) -> ArrayMetadata:
        """The array with everything that its documents leave open and its chunk keys show.

        Called when it matters: when a chunk is missing, or when an operation concerns all keys.

        Args:
            path: path of the array.
            metadata: the metadata of its documents.
            is_there: as in `configure`.
        """
        return metadata

    def ignored(self, documents: Documents) -> tuple[str, ...]:
        """The names of unknown extensions in these documents that may be ignored."""
        return ()

    @abstractmethod
    def stored_documents(self, documents: Documents) -> JsonObject:
        """The documents as stored, in one object; text that is not JSON appears as a string."""

    def encode(self, metadata: NodeMetadata, *, at_root: bool = False) -> Documents:
        """The documents of a node, in the order of `document_keys`; `parse` reads ``metadata`` back from them.

        For metadata that `adapted` returned, every member reads back equal. ``at_root`` says that the node is the
        hierarchy's root, where some formats store their version.

        Raises:
            MetadataError: ``metadata`` cannot be in a document, for instance attributes that are not JSON.
            UnsupportedError: this format cannot express it, or is read-only.
        """
        raise self._not_written()

    def adapted(self, metadata: NodeMetadata) -> NodeMetadata:
        """The same node in the terms of this format: same shape, type and values; another key encoding and other codecs.

        Things that this format cannot express are replaced by the nearest: its own chunk keys, compressors that it
        has, inner chunks instead of shards. A change that would lose values is refused, with one
        exception: in a format without fill values (N5), the fill value becomes zero, and a copy must write missing chunks.
        Copying between formats, and creating an array with default codecs, use this.

        Raises:
            UnsupportedError: this format cannot hold the node.
        """
        if isinstance(metadata, ArrayMetadata):
            metadata = self._adapted_array(metadata)
        told = self.parse(self.encode(metadata))
        return metadata if told is None else told

    def _adapted_array(self, metadata: ArrayMetadata) -> ArrayMetadata:
        raise self._not_written()

    def with_attributes(self, documents: Documents, attributes: Mapping[str, Any]) -> Documents:
        """The stored documents with other attributes; every other member, known or not, stays unchanged.

        Without a stored document (an implicit group), the documents of a group with these attributes.

        Raises:
            MetadataError: a document is broken, or an attribute is not JSON.
            UnsupportedError: this format cannot be written.
        """
        raise self._not_written()

    def with_shape(self, documents: Documents, shape: tuple[int, ...]) -> Documents:
        """The stored documents of an array with another shape; every other member stays unchanged.

        Raises:
            MetadataError: a document is broken, or the array cannot have this shape.
            UnsupportedError: this format cannot be written.
        """
        raise self._not_written()

    def default_chunk_key_encoding(self) -> ChunkKeyEncoding:
        """The chunk key encoding of new arrays."""
        return ChunkKeyEncoding()

    def consolidate(self, nodes: Mapping[str, Documents]) -> dict[str, bytes]:
        """Consolidated metadata: keys and values to set at the root, from the stored documents of all nodes by path.

        Raises:
            MetadataError: a document is not a JSON object; the error has its key.
            UnsupportedError: this format has no consolidated metadata, or not for this kind of root.
        """
        raise UnsupportedError("format", self.name, "has no consolidated metadata")

    def unconsolidate(self, root: Documents) -> dict[str, bytes | None]:
        """Keys and values to set at the root, or to erase, to remove consolidated metadata.

        Do this before a node is changed: readers that use the copy would never see the change.
        """
        return {}

    def consolidated_documents(
        self, get: Callable[[str], bytes | None], root: Documents
    ) -> dict[str, JsonObject] | None:
        """The root's consolidated metadata by path, in the form of `normalize`; None if there is none.

        The documents of a node decide what it is. If the two differ, the consolidated metadata is stale. Many readers
        use it anyway, since it saves a request for each node.

        Raises:
            MetadataError: the consolidated metadata is broken.
        """
        return None

    def parse_consolidated(self, told: JsonObject) -> NodeMetadata | None:
        """The node of an entry of consolidated metadata in the form of `normalize`; None if it is not a node.

        Raises:
            As `parse`.
        """
        return self.parse(self.split_documents(told))

    def split_documents(self, told: JsonObject) -> Documents:
        """Documents from which `normalize` makes ``told``."""
        raise self._not_written()

    def normalize(self, documents: Documents) -> JsonObject:
        """A node's own documents in the form of `consolidated_documents`.

        Raises:
            MetadataError: they are not JSON objects.
        """
        return self.stored_documents(documents)

    def prefix(self, path: str) -> str:
        """The beginning of the metadata keys of the nodes below ``path``.

        >>> Format.V3.prefix("/foo/bar"), Format.V3.prefix("/")
        ('foo/bar/', '')
        """
        return path[1:] + "/" if len(path) > 1 else ""

    def chunk_prefix(self, path: str) -> str:
        """The beginning of the chunk keys of an array at ``path``; `prefix` if documents and chunks share a tree."""
        return self.prefix(path)

    def may_name_node(self, name: str) -> bool:
        """Whether a prefix of this name can be a node."""
        return bool(name.strip("."))

    def may_name_new_node(self, name: str) -> bool:
        """Whether a node with this name may be made: some formats reserve names that are read nevertheless.

        In a folder, a node with the name of a document would be where the document of the node above it belongs.
        """
        return bool(name.strip(".")) and name not in (*self.document_keys("/"), self.consolidated_key)

    def child_name(self, name: str, is_prefix: bool) -> str | None:
        """The child that a name in a listing of `prefix` belongs to; None if it is not, or only in part, that of a child.

        Several names may belong to one child. ``name`` is the part after the prefix, without a slash.

        >>> Format.V3.child_name("foo", is_prefix=True), Format.V3.child_name("zarr.json", is_prefix=False)
        ('foo', None)
        """
        return name if is_prefix and self.may_name_node(name) else None

    def is_node_key(self, key: str) -> bool:
        """Whether a key may belong to a document or a chunk of a node at any path.

        >>> [Format.V3.is_node_key(key) for key in ("foo/zarr.json", "foo/c/0/1", "foo/notes.txt")]
        [True, True, False]
        """
        return self.is_document_key(key) or may_be_chunk_key(key)

    def is_document_key(self, key: str) -> bool:
        """Whether a key may belong to a document of a node at any path.

        >>> [Format.V3.is_document_key(key) for key in ("foo/zarr.json", "foo/c/0/1")]
        [True, False]
        """
        above = key.rpartition("/")[0]
        return key == self.consolidated_key or key in self.document_keys(f"/{above}")

    def _not_written(self) -> UnsupportedError:
        return UnsupportedError("format", self.name, "can be read but not written")

    def __repr__(self) -> str:
        return f"Format({self.name!r})"

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, tuple[Any, ...]]:
        return format_named, (self.name,)


def known_formats() -> tuple[Format, ...]:
    """All formats, in the order of detection: those of zarrcore, then those of other packages by name.

    Raises:
        UnsupportedError: a package registered an object that is not a format.
    """
    ours = {candidate.name for candidate in Format.OURS}
    return (*Format.OURS, *(_extension(name) for name in extension_names(_GROUP) if name not in ours))


@cache
def _extension(name: str) -> Format:
    found = load_extension(_GROUP, name)
    if isinstance(found, type) and issubclass(found, Format):
        found = found()
    if not isinstance(found, Format):
        raise UnsupportedError("format", name, f"is registered with {found!r}, which is not a format")
    return found


def is_node_key(key: str) -> bool:
    """Whether a key may belong to a document or a chunk of a node, in any format."""
    return any(candidate.is_node_key(key) for candidate in known_formats())


def format_named(name: str | Format) -> Format:
    """The format of this name.

    Raises:
        UnsupportedError: the name is unknown.

    >>> format_named("v2").title
    'Zarr v2'
    """
    if isinstance(name, Format):
        return name
    for candidate in Format.OURS:
        if name == candidate.name:
            return candidate
    if name in extension_names(_GROUP):
        return _extension(name)
    ours = [candidate.name for candidate in sorted(Format.OURS, key=lambda candidate: not candidate.writable)]
    known = ", ".join(dict.fromkeys((*ours, *extension_names(_GROUP))))
    raise UnsupportedError("format", str(name), f"is unknown; known are {known}")
