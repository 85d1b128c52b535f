"""Changing a hierarchy through its files and directories."""

from __future__ import annotations

import errno
import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any

from zarrcore.errors import ChangedError, NodeNotFoundError
from zarrcore.hierarchy import ArrayNode, BrokenNode, Group, Hierarchy
from zarrfs.trees.arrays.node_metadata import ATTRIBUTES
from zarrfs.trees.errors import RefusedError
from zarrfs.trees.writing.array_edits import ArrayEdits
from zarrfs.trees.writing.new_array import NewArray
from zarrfs.trees.writing.spool import SpoolMemory


class ArrayEditor:
    """The pending changes of a hierarchy. Thread-safe.

    Args:
        hierarchy: opens the hierarchy.
        memory: for data being written.

    Attributes:
        news: files that will become arrays, by path of the array.
    """

    def __init__(self, hierarchy: Callable[[], Hierarchy], memory: SpoolMemory) -> None:
        self.news: dict[str, NewArray] = {}
        self._hierarchy = hierarchy
        self._memory = memory
        self._edits: dict[str, tuple[ArrayEdits, int]] = {}
        self._changes: Counter[str] = Counter()
        self._lock = Lock()
        self._changes_lock = Lock()
        self._attributes_lock = Lock()

    def edits(self, array: ArrayNode) -> ArrayEdits | None:
        """The edits of an array that is open for writing; None if there are none for this array."""
        found = self._edits.get(array.path)
        return None if found is None or _layout(found[0].array) != _layout(array) else found[0]

    def open(self, array: ArrayNode) -> ArrayEdits:
        """Open an array for writing; the caller must then call `close`.

        Raises:
            ChangedError: it is open for writing with another shape, type or layout.
        """
        with self._lock:
            changed = partial(self._count_change, array.path)
            edits, users = self._edits.get(array.path) or (ArrayEdits(array, self._check, changed), 0)
            _refuse_change(array, edits.array)
            self._edits[array.path] = edits, users + 1
            return edits

    def changes(self, path: str) -> int:
        """How often the bytes of an array changed: by a write, or because data that could not be stored was dropped."""
        return self._changes[path]

    def _count_change(self, path: str) -> None:
        with self._changes_lock:
            self._changes[path] += 1

    def close(self, path: str, edits: ArrayEdits) -> None:
        """Note that a writer has closed an array."""
        with self._lock:
            users = self._edits[path][1] - 1
            if users:
                self._edits[path] = edits, users
                return
            del self._edits[path]
            if edits:
                self._count_change(path)
        edits.close()

    def _check(self, array: ArrayNode) -> None:
        """Refuse to store data written to an array that has been replaced by another one."""
        hierarchy = self._hierarchy()
        hierarchy.forget(array.path)
        try:
            now = hierarchy.node(array.path)
        except NodeNotFoundError:
            now = None
        _refuse_change(now, array)

    def make_group(self, path: str) -> Group:
        """Make a group.

        Raises:
            RefusedError: no node can have this name.
            As `Hierarchy.create_group`.
        """
        hierarchy = self._hierarchy()
        _refuse_name(hierarchy, path)
        return hierarchy.create_group(path)

    def make_array(self, path: str) -> NewArray:
        """A file for writing that becomes the array at ``path``.

        Raises:
            RefusedError: it already has a writer, the node exists, or no node can have this name.
        """
        hierarchy = self._hierarchy()
        _refuse_name(hierarchy, path)
        if path in hierarchy:
            raise RefusedError(errno.EEXIST, f"{path} already exists", is_logged=False)
        with self._lock:
            if path in self.news:
                raise RefusedError(errno.EBUSY, f"{path} is being written")
            closed = partial(self.news.pop, path, None)
            new = self.news[path] = NewArray(self._hierarchy, path, closed, self._memory)
            return new

    def set_attribute(self, node: Group | ArrayNode | BrokenNode, fact: str, text: bytes | None) -> None:
        """Set an extended attribute, or remove it.

        Raises:
            RefusedError: it is not one of the user's attributes, its value is not JSON, or it does not exist.
            As `Group.attributes`.
        """
        name = fact.removeprefix(ATTRIBUTES)
        if name == fact or isinstance(node, BrokenNode):
            raise RefusedError(
                errno.EPERM, f"{fact} of {node.path} cannot be set: only attributes {ATTRIBUTES}NAME can"
            )
        with self._attributes_lock:  # takes long, so that opening a file must not wait for it
            hierarchy = self._hierarchy()
            hierarchy.forget(node.path)
            fresh = hierarchy[node.path]
            if text is not None:
                fresh.attributes[name] = _parsed(name, text)
            elif name in fresh.attributes:
                del fresh.attributes[name]
            else:
                raise RefusedError(errno.ENODATA, f"{node.path} has no attribute {name}", is_logged=False)


def _refuse_name(hierarchy: Hierarchy, path: str) -> None:
    name = path.rpartition("/")[2]
    documents = {key.rpartition("/")[2] for key in hierarchy.format.document_keys(path)}
    if "\0" in name or name in documents or not hierarchy.format.may_name_new_node(name):
        raise RefusedError(errno.EINVAL, f"no node in {hierarchy.format.title} can have the name {name}")


def _parsed(name: str, text: bytes) -> Any:
    try:
        return json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError) as error:
        why = f"the value of the attribute {name} is not JSON; write text in double quotes"
        raise RefusedError(errno.EINVAL, why) from error


def _no_json(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def _refuse_change(now: object, array: ArrayNode | Any) -> None:
    """Refuse to write to another array than the one that was opened."""
    if not isinstance(now, ArrayNode) or _layout(now) != _layout(array):
        raise ChangedError(f"{array.uri} is no longer the array that was opened")


def _layout(array: ArrayNode) -> tuple[Any, ...]:
    metadata = array.metadata
    return metadata.shape, metadata.data_type, metadata.chunk_grid, metadata.codecs
