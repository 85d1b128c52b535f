"""The part of zarrcore's interface that the browser uses, as protocols.

Views and models use only these, so that any object with this interface can drive them: a test needs only a few lines
for a hierarchy that is slow, that fails or that has a hundred thousand children.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeGuard

import numpy as np

from zarrcore.typing import AnyArray


class NodeLike(Protocol):
    """Any node, including a broken one."""

    @property
    def path(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...


class KnownNode(NodeLike, Protocol):
    """A node whose metadata could be read."""

    @property
    def attributes(self) -> Mapping[str, Any]: ...
    def metadata_document(self) -> Mapping[str, Any]: ...
    @property
    def metadata_key(self) -> str: ...
    def stored_document(self) -> Mapping[str, Any]: ...


class GroupLike(KnownNode, Protocol):
    """A group; its children stream in the store's order."""

    def children(self) -> Iterator[Any]: ...
    def child_names(self) -> Iterator[str]: ...


class CodecLike(Protocol):
    """A codec by name, with its configuration."""

    @property
    def name(self) -> str: ...
    @property
    def configuration(self) -> Mapping[str, Any]: ...


class ArrayLike(KnownNode, Protocol):
    """An array; reading blocks the caller."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def chunk_shape(self) -> tuple[int, ...]: ...
    @property
    def inner_chunk_shape(self) -> tuple[int, ...]: ...
    @property
    def chunk_grid_shape(self) -> tuple[int, ...]: ...
    @property
    def fill_value(self) -> Any: ...
    @property
    def fill_value_is_missing(self) -> bool: ...
    @property
    def dimension_names(self) -> Sequence[str | None] | None: ...
    @property
    def codecs(self) -> Sequence[CodecLike]: ...
    def read(
        self,
        selection: Any = ...,
        out: AnyArray | None = None,
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> AnyArray: ...
    def storage_info(self, seen: Callable[[tuple[int, ...], int], None] | None = None) -> Any: ...


class BrokenLike(NodeLike, Protocol):
    """A node with invalid or unsupported metadata; ``str(error)`` says why."""

    @property
    def error(self) -> Exception: ...
    def stored_bytes(self) -> bytes: ...


class HierarchyLike(Protocol):
    """An open hierarchy."""

    @property
    def url(self) -> str: ...
    @property
    def format(self) -> Any: ...
    def node(self, path: str) -> Any: ...
    def child(self, path: str) -> Any: ...
    def walk(self, path: str = ...) -> Iterator[Any]: ...
    def refresh(self) -> None: ...
    def forget(self, path: str) -> None: ...


def is_small_number(dtype: np.dtype[Any]) -> bool:
    """Whether a type is a number type of ml_dtypes: NumPy gives most of them no kind, and some a wrong one."""
    return dtype.type.__module__ == "ml_dtypes"


def is_group(node: NodeLike) -> TypeGuard[GroupLike]:
    """Whether ``node`` may have children: a group, or a collection of hierarchies."""
    return node.kind in ("group", "collection")


def is_array(node: NodeLike) -> TypeGuard[ArrayLike]:
    """Whether ``node`` is an array."""
    return node.kind == "array"


def is_broken(node: NodeLike) -> TypeGuard[BrokenLike]:
    """Whether the metadata of ``node`` is invalid or unsupported."""
    return node.kind == "broken"
