"""Hierarchies in memory that answer like zarrcore's, slowly, or not at all."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.waiting import PATIENCE_S
from zarrcore.array.storage_info import StorageInfo
from zarrcore.errors import NodeNotFoundError, StoreError, UnreachableError
from zarrcore.typing import AnyArray


class FakeArray:
    """An array of known elements.

    Attributes:
        before_read: called with the selection before each read; may wait or raise.
        selections: the selections read so far.
    """

    kind = "array"

    def __init__(
        self, values: Any, names: tuple[str | None, ...] | None = None, chunks: tuple[int, ...] | None = None
    ) -> None:
        self.values = np.asarray(values)
        self.path, self.name = "/array", "array"
        self.shape, self.dtype = self.values.shape, self.values.dtype
        self.ndim, self.nbytes = self.values.ndim, self.values.nbytes
        self.chunk_shape = self.inner_chunk_shape = chunks or self.shape
        self.chunk_grid_shape = tuple(
            -(-n // max(c, 1)) for n, c in zip(self.shape, self.chunk_shape, strict=True)
        )
        self.fill_value = np.zeros((), self.dtype)[()]
        self.fill_value_is_missing = False
        self.dimension_names = names
        self.codecs = (SimpleNamespace(name="bytes", configuration={"endian": "little"}),)
        self.attributes = {"units": "mm"}
        self.before_read: Callable[[Any], object] = lambda _selection: None
        self.selections: list[Any] = []
        self.stored_chunks: list[tuple[int, ...]] = []

    def metadata_document(self) -> dict[str, Any]:
        return {"zarr_format": 3, "node_type": "array", "shape": list(self.shape)}

    @property
    def metadata_key(self) -> str:
        return f"{self.path[1:]}/.zarray"

    def stored_document(self) -> dict[str, Any]:
        return {"zarr_format": 2, "order": "C"}

    def storage_info(self, seen: Callable[[tuple[int, ...], int], None] | None = None) -> StorageInfo:
        for index in self.stored_chunks:
            self.before_read(index)
            if seen is not None:
                seen(index, 100)
        chunks, present = math.prod(self.chunk_grid_shape), len(self.stored_chunks)
        return StorageInfo(chunks, present, 100 * present, self.nbytes)

    def read(
        self, selection: Any = ..., out: Any = None, *, cancelled: Callable[[], bool] | None = None
    ) -> AnyArray:
        self.before_read(selection)
        self.selections.append(selection)
        found = np.asarray(self.values[selection])
        if out is None:
            return found
        out[...] = found
        return out


class FakeGroup:
    """A group of known children.

    Attributes:
        before_listing: called before children are listed; may wait or raise.
        before_child: called before each child.
    """

    kind = "group"

    def __init__(
        self, children: dict[str, Any] | None = None, attributes: dict[str, Any] | None = None
    ) -> None:
        self.path, self.name = "/", ""
        self.attributes = attributes or {}
        self.before_listing: Callable[[], object] = lambda: None
        self.before_child: Callable[[], object] = lambda: None
        self._children = children or {}
        self.place("/")

    def add(self, name: str, node: Any) -> None:
        """Add a child to the group."""
        self._children[name] = node
        self.place(self.path)

    def place(self, path: str) -> None:
        """Set the path of the group, and those of its children below it."""
        self.path, self.name = path, path.rpartition("/")[2]
        for name, child in self._children.items():
            below = f"{path.rstrip('/')}/{name}"
            if isinstance(child, FakeGroup):
                child.place(below)
            else:
                child.path, child.name = below, name

    def metadata_document(self) -> dict[str, Any]:
        return {"zarr_format": 3, "node_type": "group", "attributes": self.attributes}

    @property
    def metadata_key(self) -> str:
        return f"{self.path[1:]}/zarr.json".lstrip("/")

    def stored_document(self) -> dict[str, Any]:
        return self.metadata_document()

    def children(self) -> Iterator[Any]:
        self.before_listing()
        for child in self._children.values():
            self.before_child()
            yield child

    def child_names(self) -> Iterator[str]:
        self.before_listing()
        yield from self._children

    def find(self, path: str) -> Any:
        node: Any = self
        for name in path.strip("/").split("/"):
            if name:
                if not isinstance(node, FakeGroup) or name not in node._children:
                    raise NodeNotFoundError(path, "fake.zarr")
                node = node._children[name]
        return node


class FakeBroken:
    """A node with an invalid document."""

    kind = "broken"

    def __init__(self, error: Exception) -> None:
        self.path, self.name, self.error = "/broken", "broken", error

    def stored_bytes(self) -> bytes:
        return b'{"data_type": "float99"}'


class FakeHierarchy:
    """A hierarchy around a root."""

    def __init__(self, root: Any) -> None:
        self.root, self.url = root, "fake.zarr"
        self.format = SimpleNamespace(
            name="v3", title="Zarr v3", specification="https://zarr-specs.example/v3"
        )

    def node(self, path: str) -> Any:
        return self.root.find(path) if isinstance(self.root, FakeGroup) else self.root

    def child(self, path: str) -> Any:
        return self.node(path)

    def walk(self, path: str = "/") -> Iterator[Any]:
        yield from walk(self.node(path), is_top=True)

    def refresh(self) -> None:
        """Nothing is cached."""

    def forget(self, path: str) -> None:
        """Nothing is cached."""


def walk(node: Any, *, is_top: bool = False) -> Iterator[Any]:
    """Depth first; a group below the top that cannot be listed is followed by a broken node with its path."""
    yield node
    if not isinstance(node, FakeGroup):
        return
    try:
        for child in node.children():
            yield from walk(child)
    except StoreError as error:
        if is_top:
            raise
        broken = FakeBroken(error)
        broken.path, broken.name = node.path, node.name
        yield broken


class Gate:
    """Blocks readers until it is opened.

    >>> gate = Gate(); gate.open(); gate.wait()
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self.waiting = threading.Semaphore(0)

    def open(self) -> None:
        """Let all readers through."""
        self._event.set()

    def wait(self, *_: object) -> None:
        """Wait until it is open."""
        self.waiting.release()
        if not self._event.wait(PATIENCE_S):
            raise TimeoutError("the gate was never opened")


class Flaky:
    """Fails like a lost connection until it is repaired."""

    def __init__(self) -> None:
        self.mended = False

    def __call__(self, *_: object) -> None:
        if not self.mended:
            raise UnreachableError("the server at example.org does not answer", url="https://example.org")
