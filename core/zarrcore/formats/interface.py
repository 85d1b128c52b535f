"""What a format has to answer: which keys hold a node's documents, what do they say, and how are they written?

A format does no I/O of its own: it names the keys, gets their values, and gives back the neutral metadata; and it turns
neutral metadata, or a change, into values for those keys. So the same description serves the library, the mount and a
store that cannot list.

Packages add formats through the entry-point group ``zarrscope.formats``: the entry's name is the format's, its object a
`Format` class without parameters, or an instance. Ours are asked first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from zarrcore.errors import UnsupportedError
from zarrcore.formats.renamed import RENAMED, adopt_renamed, old_name
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, GroupMetadata, JsonObject, NodeMetadata
from zarrcore.metadata.chunk_key_encoding import may_be_chunk_key

Documents = tuple[bytes | None, ...]
"""The values of `Format.document_keys`, in their order; None for an absent key."""


class Format(ABC):
    """One on-disk format.

    Attributes:
        name: the identifier that ``--format`` and ``format=`` take.
        title: the name for people.
        specification: where the format is described.
        implicit_groups: whether a prefix without a document of its own is a group.
        empty_groups: whether any key below it makes it one; without, only what may be a node.
        implicit_root: whether the root of a hierarchy may be such a group; without, a folder whose children are nodes
            of this format is a collection of hierarchies.
        consolidated_key: the key that holds consolidated metadata and nothing else, where there is such a key.
        writable: whether `encode` and the other methods that make documents work.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    specification: ClassVar[str]
    implicit_groups: ClassVar[bool]
    empty_groups: ClassVar[bool] = True
    implicit_root: ClassVar[bool] = True
    consolidated_key: ClassVar[str] = ""
    writable: ClassVar[bool] = False

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

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        adopt_renamed(cls)

    def configure(self, get: Callable[[str], bytes | None], is_there: Callable[[str], bool]) -> Format:
        """This format as the entry point of the hierarchy configures it, be that of this format or not.

        Args:
            get: gives a key's value.
            is_there: whether there is such a key, or where it ends in ``/``, any that begins with it; False where the
                store cannot tell.

        Raises:
            MetadataError: the entry point is broken.
            UnsupportedError: it names an extension that must be understood.
        """
        return self

    @property
    def deciding_keys(self) -> tuple[str, ...]:
        """The keys that `detect` asks for first, if not always all of them."""
        return self.document_keys("/")

    def detect(self, get: Callable[[str], bytes | None], is_there: Callable[[str], bool]) -> Format | None:
        """This format, `configure`, if the hierarchy's root is of it; arguments and errors are those of `configure`."""
        return self if self.claims(self.fetch(get, "/")) else None

    @abstractmethod
    def document_keys(self, path: str) -> tuple[str, ...]:
        """The keys that hold, or may hold, the documents of the node at ``path``, the decisive ones first."""

    def fetch(self, get: Callable[[str], bytes | None], path: str) -> Documents:
        """The documents of the node at ``path``, asked for through ``get``; what cannot matter any more is not asked for."""
        return tuple(get(key) for key in self.document_keys(path))

    @abstractmethod
    def claims(self, documents: Documents) -> bool:
        """Whether these documents are of this format, broken or not."""

    def implies_parent(self, documents: Documents) -> bool:
        """Whether a node with these documents tells that its parent, which has none, is a group of this format."""
        return self.implicit_groups and self.claims(documents)

    def implied_group(self, get: Callable[[str], bytes | None], path: str) -> GroupMetadata:
        """The implicit group at ``path``, where no document declares a group.

        Raises:
            MetadataError: a document that says something else of it is broken.
        """
        return GroupMetadata()

    @abstractmethod
    def parse(self, documents: Documents) -> NodeMetadata | None:
        """The node that the documents describe, or None where there is none.

        Raises:
            MetadataError: a document is broken.
            UnsupportedError: it needs an extension that we do not know.
        """

    def resolve(self, path: str, metadata: ArrayMetadata, is_there: Callable[[str], bool]) -> ArrayMetadata:
        """The array with all that its documents leave open, and its chunks' keys tell.

        Called once it matters: when a chunk is missing, or what is done concerns all keys.

        Args:
            path: the array's.
            metadata: what its documents say.
            is_there: as in `configure`.
        """
        return metadata

    def ignored(self, documents: Documents) -> tuple[str, ...]:
        """Names of what these documents speak of, and what is passed over because they allow it."""
        return ()

    @abstractmethod
    def stored_documents(self, documents: Documents) -> JsonObject:
        """The documents as found on disk, in one object; text that is no JSON stands as a string."""

    def encode(self, metadata: NodeMetadata, *, at_root: bool = False) -> Documents:
        """The documents of a node, in the order of `document_keys`; `parse` reads ``metadata`` back from them.

        Of metadata that `adapted` has returned, every member comes back equal. ``at_root`` says that the node is the
        hierarchy's root, where some formats keep their version.

        Raises:
            MetadataError: ``metadata`` holds what no document can, for instance attributes that are no JSON.
            UnsupportedError: this format cannot express it, or cannot be written at all.
        """
        raise self._not_written()

    def adapted(self, metadata: NodeMetadata) -> NodeMetadata:
        """The same node in the terms of this format: same shape, type and values; another key encoding and other codecs.

        What this format has no way to say is told by its nearest: chunk keys are those of this format, compressors those
        that it knows, a shard's inner chunks are chunks where there are no shards. What would lose values is refused, but
        for one: where a format has no fill value (N5), it is zero, and who copies writes the chunks that are missing.
        Copying between formats, and creating an array with default codecs, go through this.

        Raises:
            UnsupportedError: this format cannot hold such a node.
        """
        raise self._not_written()

    def with_attributes(self, documents: Documents, attributes: Mapping[str, Any]) -> Documents:
        """The stored documents with other attributes; every other member is kept as it stands, known or not.

        Where no document is stored yet (an implicit group), those of a group with these attributes.

        Raises:
            MetadataError: a document is broken, or an attribute is not JSON.
            UnsupportedError: this format cannot be written.
        """
        raise self._not_written()

    def with_shape(self, documents: Documents, shape: tuple[int, ...]) -> Documents:
        """The stored documents of an array with another shape; every other member is kept as it stands.

        Raises:
            MetadataError: a document is broken, or the array cannot have this shape.
            UnsupportedError: this format cannot be written.
        """
        raise self._not_written()

    def default_chunk_key_encoding(self) -> ChunkKeyEncoding:
        """How chunk keys of new arrays are built."""
        return ChunkKeyEncoding()

    def consolidate(self, nodes: Mapping[str, Documents]) -> dict[str, bytes]:
        """Consolidated metadata: keys and values to set at the root, from the stored documents of all nodes by path.

        Raises:
            MetadataError: a document is no JSON object; the error tells its key.
            UnsupportedError: this format has no consolidated metadata, or not for such a root.
        """
        raise UnsupportedError("format", self.name, "has no consolidated metadata")

    def unconsolidate(self, root: Documents) -> dict[str, bytes | None]:
        """Keys and values to set at the root, or to erase, so that there is no consolidated metadata any more.

        Whoever changes a node does this first: there are readers that believe the copy and never see the change.
        """
        return {}

    def consolidated_documents(
        self, get: Callable[[str], bytes | None], root: Documents
    ) -> dict[str, JsonObject] | None:
        """What the root's consolidated metadata says of each path, as `normalize` tells it; None where there is none.

        What a node is, its own documents say: where the two differ, the consolidated metadata is stale. Many readers
        believe it nevertheless, since it spares them a request for each node.

        Raises:
            MetadataError: the consolidated metadata is broken.
        """
        return None

    def parse_consolidated(self, told: JsonObject) -> NodeMetadata | None:
        """The node of which consolidated metadata tell, as `normalize` has it, or None where that is none.

        Raises:
            As `parse`.
        """
        return self.parse(self.split_documents(told))

    def split_documents(self, told: JsonObject) -> Documents:
        """Documents of which `normalize` makes ``told``."""
        raise self._not_written()

    def normalize(self, documents: Documents) -> JsonObject:
        """A node's own documents in the form in which `consolidated_documents` has them.

        Raises:
            MetadataError: they are no JSON objects.
        """
        return self.stored_documents(documents)

    def prefix(self, path: str) -> str:
        """What the metadata keys of the nodes below ``path`` begin with.

        >>> Format.V3.prefix("/foo/bar"), Format.V3.prefix("/")
        ('foo/bar/', '')
        """
        return path[1:] + "/" if len(path) > 1 else ""

    def chunk_prefix(self, path: str) -> str:
        """What the chunk keys of an array at ``path`` begin with; where documents and chunks share a tree, `prefix`."""
        return self.prefix(path)

    def may_name_node(self, name: str) -> bool:
        """Whether a prefix of this name can be a node."""
        return bool(name.strip(".")) and not name.startswith("__")

    def child_name(self, name: str, is_prefix: bool) -> str | None:
        """The child that a listing of `prefix` tells of; None for what is no child's, or only part of one.

        Several names may tell of one child. ``name`` is what follows the prefix, without a slash.

        >>> Format.V3.child_name("foo", is_prefix=True), Format.V3.child_name("zarr.json", is_prefix=False)
        ('foo', None)
        """
        return name if is_prefix and self.may_name_node(name) else None

    def is_node_key(self, key: str) -> bool:
        """Whether a key may be that of a document or a chunk of some node, wherever the node is.

        >>> [Format.V3.is_node_key(key) for key in ("foo/zarr.json", "foo/c/0/1", "foo/notes.txt")]
        [True, True, False]
        """
        above = key.rpartition("/")[0]
        is_document = key == self.consolidated_key or key in self.document_keys(f"/{above}")
        return is_document or may_be_chunk_key(key)

    def _not_written(self) -> UnsupportedError:
        return UnsupportedError("format", self.name, "can be read but not written")

    def __repr__(self) -> str:
        return f"Format({self.name!r})"

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, tuple[Any, ...]]:
        # Late: that imports all formats, which are built on this class.
        from zarrcore.formats import format_named

        return format_named, (self.name,)


for _old in RENAMED:
    setattr(Format, _old, old_name(_old))
