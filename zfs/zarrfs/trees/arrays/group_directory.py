"""Groups, and nodes that cannot be shown, as directories."""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NoReturn

from zarrcore.conventions import may_be_pyramid, recognise
from zarrcore.errors import (
    HierarchyNotFoundError,
    MetadataError,
    NodeNotFoundError,
    ReadOnlyError,
    SelectionError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.filetypes import FILE_TYPES, FileType
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Group
from zarrfs.trees.arrays.decoded import DecodedFile
from zarrfs.trees.arrays.documents import DocumentFile, as_json, sentence
from zarrfs.trees.arrays.node_metadata import metadata_of
from zarrfs.trees.entry import Directory, Entry, File, WritableOpenFile
from zarrfs.trees.errors import RefusedError, WouldBlockError, fault
from zarrfs.trees.names import file_name, segment

if TYPE_CHECKING:  # the tree makes these directories, and they ask it for their content
    from zarrfs.trees.arrays.tree import ArraysTree

_NPY: Final = ".npy"
_IMAGES: Final = {f"image.{kind.suffix}": kind for kind in FILE_TYPES if kind.groups and kind.takes_selection}
"""The files with the levels of an image, by name."""
_log = logging.getLogger(__name__)


class GroupDirectory(Directory):
    """A group: its nodes, ``metadata.json`` and ``attributes.json``. A collection has no documents, only its nodes."""

    __slots__ = ("_editor", "_node", "_tree", "mtime_s")

    def __init__(self, tree: ArraysTree, node: Group) -> None:
        self._tree = tree
        self._node = node
        self._editor = None if node.hierarchy.read_only else tree.editor
        self.mtime_s = tree.mtime_s(node)

    def lookup(self, name: str, wait: bool) -> Entry | None:
        node = self._tree.child(self._node, name, wait)
        if node is not None:
            return self._tree.directory(node)
        if name in _IMAGES and (image := self._image(name, wait)) is not None:
            return image
        return self._documents().get(name) or self._new(name, wait)

    def _image(self, name: str, wait: bool) -> Entry | None:
        """The levels of an image as one file. If they make no image, the log says why, once for each group and name."""
        if recognise(self._node) is None and not may_be_pyramid(self._node):
            return None
        _need(wait)
        kind: FileType = _IMAGES[name]
        try:
            file = kind.of_group(self._node, find=self._find)
        except SelectionError:
            return None
        except (UnsupportedError, MetadataError, NodeNotFoundError) as error:
            told, question = self._tree.imageless, (self._node.path, name)
            if told.get(question) is None:
                told.put(question, None, told.freshness.now())
                _log.warning("%s has no %s: %s", self._node.uri, name, error)
            return None
        version = f"{self._node.path}/{name} {file.version}"
        return DecodedFile(lambda: file, version, self.mtime_s, self._tree.before_open)

    def _find(self, path: str) -> AnyNode:
        node = self._tree.node(path, wait=True)
        if node is None:
            raise NodeNotFoundError(path, self._node.hierarchy.url)
        return node

    def _new(self, name: str, wait: bool) -> Entry | None:
        """``X.npy`` of the array X, a name that was copied here: it must still open, although listings only show X."""
        stem = name.removesuffix(_NPY)
        if self._editor is None or stem == name or file_name(segment(stem)) != stem:
            return None
        new = self._editor.news.get(self._path(stem))
        if new is not None:
            return new.shown
        node = self._tree.child(self._node, stem, wait)
        if isinstance(node, BrokenNode):
            raise fault(node.error)
        return self._tree.directory(node).lookup("data.npy", wait) if isinstance(node, ArrayNode) else None

    @property
    def mode(self) -> int:
        return 0o555 if self._editor is None else 0o755

    def create(self, name: str, wait: bool) -> WritableOpenFile:
        if self._editor is None:
            return super().create(name, wait)
        _need(wait)
        if not name.endswith(_NPY) or name == _NPY:
            why = (
                f"{name} cannot become an array: here, X.npy becomes the array X; write other files in keys/"
            )
            raise RefusedError(errno.EPERM, why)
        return self._editor.make_array(self._path(name.removesuffix(_NPY)))

    def make_directory(self, name: str, wait: bool) -> Directory:
        if self._editor is None:
            return super().make_directory(name, wait)
        _need(wait)
        return self._tree.directory(self._editor.make_group(self._path(name)))

    def remove(self, name: str, wait: bool) -> None:
        self._refuse(name)

    def remove_directory(self, name: str, wait: bool) -> None:
        self._refuse(name)

    def rename(self, name: str, target: Directory, new_name: str, replace: bool, wait: bool) -> None:
        self._refuse(name)

    def copy(self, file: File, name: str, wait: bool) -> None:
        self._refuse(name)

    def set_metadata(self, name: str, value: bytes | None) -> None:
        if self._editor is None:
            super().set_metadata(name, value)
        else:
            self._editor.set_attribute(self._node, name, value)

    def _refuse(self, name: str) -> NoReturn:
        if self._editor is None:
            raise ReadOnlyError("this mount is read-only")
        raise RefusedError(
            errno.EPERM,
            f"{self._path(name)} cannot be removed or renamed here: remove or rename its keys in keys/",
        )

    def _path(self, name: str) -> str:
        part = segment(name)
        if file_name(part) != name:
            raise RefusedError(
                errno.EINVAL, f"{name} is not the file name of any node: write its percent signs as %25"
            )
        return f"{self._node.path.rstrip('/')}/{part}"

    def metadata(self, wait: bool) -> dict[str, Any]:
        return metadata_of(self._node)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        documents = self._documents()
        for name, kind in _IMAGES.items():
            if kind.suffix in self._tree.shown and (image := self._image(name, wait=True)) is not None:
                documents[name] = image
        for node in self._tree.children(self._node):
            name = file_name(node.name)
            documents.pop(name, None)
            yield name, self._tree.directory(node)
        yield from documents.items()

    def _documents(self) -> dict[str, Entry]:
        node = self._node
        if node.kind == "collection":
            return {}
        return {
            "metadata.json": DocumentFile(lambda: as_json(node.metadata_document()), self.mtime_s),
            "attributes.json": DocumentFile(lambda: as_json(node.attributes), self.mtime_s),
        }


def _need(wait: bool) -> None:
    if not wait:
        raise WouldBlockError


class BrokenDirectory(Directory):
    """A node that cannot be shown: its document as stored, and the reason in one sentence."""

    __slots__ = ("_node", "mtime_s")

    def __init__(self, node: BrokenNode, mtime_s: float | None) -> None:
        self._node = node
        self.mtime_s = mtime_s

    def lookup(self, name: str, wait: bool) -> Entry | None:
        if name == "error.txt":
            return DocumentFile(lambda: sentence(self._node.error), self.mtime_s)
        if name != "document.json":
            raise fault(self._node.error)
        if not wait and self._node.hierarchy.store.is_remote:
            raise WouldBlockError
        # The broken node keeps the bytes that it fetched. Documents of other nodes are made from their metadata.
        document = self._node.stored_bytes()
        return DocumentFile(lambda: document, self.mtime_s)

    def metadata(self, wait: bool) -> dict[str, Any]:
        return metadata_of(self._node)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        for name in ("document.json", "error.txt"):
            entry = self.lookup(name, wait=True)
            if entry is not None:
                yield name, entry


class ErrorDirectory(Directory):
    """A directory in place of a tree or node that cannot be shown.

    Args:
        error: why. Unless it says that there is nothing to show, looking up any name other than ``error.txt`` raises it.
    """

    __slots__ = ("error",)

    mtime_s = None

    def __init__(self, error: ZarrError) -> None:
        self.error = error

    def lookup(self, name: str, wait: bool) -> Entry | None:
        entry = dict(self.entries()).get(name)
        if entry is None and not isinstance(self.error, (HierarchyNotFoundError, NodeNotFoundError)):
            raise fault(self.error)
        return entry

    def entries(self) -> Iterator[tuple[str, Entry]]:
        yield "error.txt", DocumentFile(lambda: sentence(self.error), None)
