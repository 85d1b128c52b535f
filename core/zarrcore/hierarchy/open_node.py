"""Opening what a source names: a hierarchy, or one group or array of it."""

from __future__ import annotations

import os
from typing import Any, cast

from zarrcore.arguments import check_types, place_text
from zarrcore.errors import NodeNotFoundError, UnsupportedError
from zarrcore.formats import Format
from zarrcore.hierarchy.hierarchy import Hierarchy
from zarrcore.hierarchy.nodes import ArrayNode, Group
from zarrcore.hierarchy.open import CREATING, Mode, open_hierarchy
from zarrcore.hierarchy.paths import normalize_path
from zarrcore.stores import split_uri
from zarrcore.stores.interface import ReadableStore

Source = str | os.PathLike[str] | ReadableStore


def open_node(
    source: Source,
    mode: Mode = "r",
    format: str | Format | None = None,  # noqa: A002 - as `open_hierarchy`
    **options: Any,
) -> Hierarchy | Group | ArrayNode:
    """Open what a path, a URL or a store holds: a hierarchy, or an array if its root is one.

    Typed programs rather use `open_array`, `open_group` and `open_hierarchy`, which return one kind.

    Args:
        source: as `open_hierarchy`; ``SOURCE#/path`` names a group or array in it.
        mode: as `open_hierarchy`; for a path below the root, "a", "w" and "w-" make a group there, as `open_group`, and "a"
            opens an array, too.
        format: as `open_hierarchy`. If it is named, opening fetches the root's documents, too.
        options: as `open_hierarchy`.

    Returns:
        The `Hierarchy`, or `Collection`, if the root is not an array; the `ArrayNode` at the root; or the `Group` or
        `ArrayNode` at the path.

    Raises:
        NodeNotFoundError: no node has this path.
        MetadataError, UnsupportedError: the node is broken. `open_hierarchy` opens a hierarchy with a broken root.
        Else as `open_hierarchy`.

    >>> import zarrcore
    >>> array = zarrcore.create("memory://open").create_array("a", data=[1, 2, 3])
    >>> open_node("memory://open"), open_node("memory://open#/a")
    (<Hierarchy memory://open (Zarr v3)>, <Array /a (3,) int64>)
    """
    place, path = _split(source)
    if path is not None and normalize_path(path) != "/" and mode in CREATING:
        return _made(place, path, mode, format, options, finds_arrays=True)
    hierarchy = open_hierarchy(place, mode, format, **options)
    if path is not None:
        return hierarchy[path]
    try:
        root = hierarchy.root
    except NodeNotFoundError:  # a store that cannot list, without a document of its root
        return hierarchy
    return root if isinstance(root, ArrayNode) else hierarchy


def open_array(
    source: Source,
    path: str | None = None,
    mode: Mode = "r",
    format: str | Format | None = None,  # noqa: A002 - as above
    **options: Any,
) -> ArrayNode:
    """Open one array.

    Args:
        source: as `open_node`: the hierarchy, ``SOURCE#/path``, or the array's own path or URL.
        path: path of the array below that; by default, it is the array.
        mode: "r", or "r+" or "a" for writing, too. `Hierarchy.create_array` makes arrays.
        format, options: as `open_hierarchy`.

    Raises:
        NodeKindError: it is a group.
        Else as `open_node`.

    >>> import zarrcore
    >>> array = zarrcore.create("memory://open-array").create_array("g/a", data=[1, 2, 3])
    >>> open_array("memory://open-array", "g/a")[1:].tolist()
    [2, 3]
    """
    if mode not in ("r", "r+", "a"):
        why = "does not open an array; known are r, r+, a; create_array makes one"
        raise UnsupportedError("mode", str(mode), why)
    place, inside = _split(source, path)
    return open_hierarchy(place, "r" if mode == "r" else "r+", format, **options).array(inside or "/")


def open_group(
    source: Source,
    path: str | None = None,
    mode: Mode = "r",
    format: str | Format | None = None,  # noqa: A002 - as above
    **options: Any,
) -> Group:
    """Open one group, or make it.

    Args:
        source: as `open_node`: the hierarchy, ``SOURCE#/path``, or the group's own path or URL.
        path: path of the group below that; by default, it is the group.
        mode: as `open_hierarchy`; for a group below the root, "a", "w" and "w-" make this group, and the hierarchy if there
            is none, and "w" erases the node that is there.
        format, options: as `open_hierarchy`.

    Raises:
        NodeKindError: it is an array.
        NodeExistsError: as `open_hierarchy`; or a node exists at the path ("w-").
        Else as `open_node`.

    >>> group = open_group("memory://open-group", mode="a")
    >>> group["a"] = [1, 2, 3]
    >>> [*open_group("memory://open-group")]
    ['a']
    """
    place, inside = _split(source, path)
    inside = normalize_path(inside or "/")
    if inside == "/" or mode not in CREATING:
        return open_hierarchy(place, mode, format, **options).group(inside)
    return cast("Group", _made(place, inside, mode, format, options, finds_arrays=False))


def _made(
    place: Source,
    path: str,
    mode: Mode,
    format: str | Format | None,  # noqa: A002 - as above
    options: dict[str, Any],
    *,
    finds_arrays: bool,
) -> Group | ArrayNode:
    """The group at a path below the root, for a mode that makes it: "w" erases what is there, and not the hierarchy."""
    hierarchy = open_hierarchy(place, "a", format, **options)
    if mode != "a":
        return hierarchy.create_group(path, overwrite=mode == "w")
    return hierarchy[path] if finds_arrays and path in hierarchy else hierarchy.require_group(path)


def _split(source: Source, path: str | None = None) -> tuple[Source, str | None]:
    """The place of a hierarchy, and the path that ``#/`` and ``path`` name in it, if they do."""
    check_types("str | None", path=path)
    if isinstance(source, ReadableStore):
        return source, path
    place, inside = split_uri(place_text("source", source))
    return place, inside if path is None else f"{inside or ''}/{path}"
