"""Making, moving and deleting nodes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from zarrbrowser.editing.changes import (
    CannotChangeError,
    CannotUndoError,
    Change,
    Effect,
    Outcome,
    Undo,
    with_consolidated,
)
from zarrbrowser.editing.progress import Progress, StoppedError
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.values.quantities import count

_TOLD_EVERY = 500


@dataclass(slots=True)
class Contents:
    """What is at a path and below it."""

    nodes: int = 0
    keys: int = 0
    nbytes: int = 0
    is_known: bool = True
    """Whether keys and bytes could be counted."""


def parent_of(path: str) -> str:
    """The path of the group of a node.

    >>> parent_of("/a/b"), parent_of("/a")
    ('/a', '/')
    """
    return path.rpartition("/")[0] or "/"


def checked_path(source: Source, text: str) -> str:
    """The path of a new node, without any request.

    Raises:
        SelectionError: no node can have it, by zarrcore's rules for paths, or by those of the format.
    """
    from zarrcore.errors import SelectionError  # late: for a fast start
    from zarrcore.hierarchy import normalize_path

    path = normalize_path(text.strip())
    if path == "/":
        raise SelectionError("a name is needed")
    for name in path[1:].split("/"):
        if not source.hierarchy.format.may_name_new_node(name):
            raise SelectionError(f"{name!r} cannot be the name of a node")
    return path


def new_group(source: Source, path: str) -> Change:
    """Make a group, and missing groups above it."""
    return Change(f"Making {path}", partial(_new_group, source, path))


def _new_group(source: Source, path: str, _progress: Progress) -> Outcome:
    from zarrcore.metadata import GroupMetadata  # late: for a fast start

    hierarchy: Any = source.hierarchy
    missing = [one for one in hierarchy.writer().check_create(path, GroupMetadata()) if one != "/"]
    _, note = with_consolidated(hierarchy, lambda: hierarchy.create_group(path))
    also = f", and {', '.join(missing)} above it" if missing else ""
    return Outcome(
        f"{path} was made{also}{note}",
        Effect.NODES,
        path,
        hierarchy.node(path),
        parent_of(missing[0] if missing else path),
        undo=Undo(f"the new group {path}", partial(_unmake, source, [*missing, path])),
    )


def _unmake(source: Source, paths: list[str], _progress: Progress) -> Outcome:
    """Delete new groups again, the outermost first in ``paths``, if they are still empty."""
    hierarchy: Any = source.hierarchy
    hierarchy.forget("/")
    inner: str | None = None
    for path in reversed(paths):
        node = hierarchy.node(path)
        others = [name for name in node.child_names() if name != inner] if node.kind == "group" else [""]
        if others or node.attributes:
            raise CannotUndoError(f"{path} is not empty any more")
        inner = node.name

    def change() -> None:
        for path in reversed(paths):
            hierarchy.erase(path)

    _, note = with_consolidated(hierarchy, change)
    group = parent_of(paths[0])
    text = f"{paths[-1]} is deleted again{note}"
    return Outcome(text, Effect.NODES, group, hierarchy.node(group), group, gone=paths[0])


def move(source: Source, path: str, new: str) -> Change:
    """Give a node another path in its source."""
    return Change(f"Moving {path} to {new}", partial(_move, source, path, new, True))


def _move(source: Source, path: str, new: str, can_undo: bool, progress: Progress) -> Outcome:
    from zarrcore.errors import UnsupportedError, ZarrError  # late: for a fast start

    hierarchy: Any = source.hierarchy
    try:
        _, missing = hierarchy.writer().check_move(path, new)
    except UnsupportedError as error:
        raise CannotChangeError(
            f"{error}: copy it with 'zarrscope copy', and delete it here afterwards"
        ) from error
    if hierarchy.store.is_remote:
        progress.start(contents(source, path, progress).keys)

    def change() -> bool:
        with hierarchy.store.watching(copying=progress):
            return bool(hierarchy.move(path, new))

    try:
        _, note = with_consolidated(hierarchy, change)
    except (StoppedError, ZarrError) as error:
        return _not_moved(source, path, new, error)
    node, group = _node(hierarchy, new), _common(path, new)
    if node is None:
        return _is_gone(source, path, group)
    made = [one for one in missing if one != "/"]
    back = partial(_move_back, source, path, new, made)
    undo = Undo(f"the move of {path} to {new}", back) if can_undo else None
    return Outcome(
        f"{path} is now {new}{note}",
        Effect.NODES,
        new,
        node,
        group,
        gone=path,
        is_moved=True,
        undo=undo,
    )


def _move_back(source: Source, path: str, new: str, made: list[str], progress: Progress) -> Outcome:
    """Move a node back, and delete the groups that the move made, unless something is in them now."""
    from zarrcore.errors import ZarrError  # late: for a fast start

    outcome = _move(source, new, path, False, progress)
    if outcome.is_complete and made:
        with suppress(CannotUndoError, ZarrError):
            _unmake(source, made, progress)
    return outcome


def _not_moved(source: Source, path: str, new: str, error: Exception) -> Outcome:
    """What is where after a move that did not end. If that cannot be found out, the error is raised.

    Documents are copied last: a node that has them at its new path is complete.
    """
    from zarrcore.errors import NodeExistsError  # late: for a fast start

    hierarchy: Any = source.hierarchy
    hierarchy.forget("/")
    why = (
        "Moving was stopped"
        if isinstance(error, StoppedError)
        else f"{path} was not moved: {sentence(error)[:-1]}"
    )
    group, there = _common(path, new), _node(hierarchy, new)
    is_ours = not isinstance(error, NodeExistsError)
    is_copied = is_ours and there is not None and any(getattr(there, "documents", ()))
    if path in hierarchy and not is_copied:
        left = any(hierarchy.store.has_prefix(one) for one in _prefixes(hierarchy, new))
        what = f"some copies are left at {new}" if left else "no copy is left"
        text = f"{why}. It is still at {path}, and {what}"
        return Outcome(text, Effect.NODES, path, hierarchy.node(path), group, is_complete=False)
    if is_copied:
        text = f"{why}. It is at {new}, and complete; some keys below {path} could not be deleted"
        rest = Change(f"Deleting what is left of {path}", partial(_erase_rest, source, path))
        return Outcome(
            text,
            Effect.NODES,
            new,
            there,
            group,
            gone=path,
            is_moved=True,
            is_complete=False,
            ends_undo=True,
            rest=rest,
        )
    return _is_gone(source, path, group)


def _is_gone(source: Source, path: str, group: str) -> Outcome:
    """Nothing was moved, since the node went away meanwhile."""
    hierarchy: Any = source.hierarchy
    text = f"{path} was not moved: another program has moved or deleted it meanwhile"
    return Outcome(text, Effect.NODES, group, hierarchy.node(group), group, is_complete=False)


def _common(path: str, new: str) -> str:
    """The innermost group that has both paths below it.

    >>> _common("/a/b", "/a/c"), _common("/a/b", "/c"), _common("/a/b", "/a/b/c/d")
    ('/a', '/', '/a')
    """
    one, other = parent_of(path).split("/"), parent_of(new).split("/")
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return "/".join(one[:same]) or "/"


def erase(source: Source, path: str, keys: int = 0) -> Change:
    """Delete a node and everything below it.

    Args:
        source: a source that may be changed.
        path: the node; not the root.
        keys: how many keys it has, for the progress; 0 if that is unknown.
    """
    return Change(f"Deleting {path}", partial(_erase, source, path, keys))


def _erase(source: Source, path: str, keys: int, progress: Progress) -> Outcome:
    from zarrcore.errors import ZarrError  # late: for a fast start

    if path == "/":
        raise CannotChangeError(
            "the root is the source itself: delete its folder or its prefix with another program"
        )
    hierarchy: Any = source.hierarchy
    hierarchy.forget("/")
    hierarchy.node(path)  # raises if another program has deleted it
    progress.start(keys)

    def change() -> None:
        with hierarchy.store.watching(erasing=progress):
            hierarchy.erase(path)

    try:
        _, note = with_consolidated(hierarchy, change)
    except (StoppedError, ZarrError) as error:
        return _not_erased(source, path, error, progress)
    group = parent_of(path)
    return Outcome(
        f"{path} is deleted{note}",
        Effect.NODES,
        group,
        hierarchy.node(group),
        group,
        gone=path,
        ends_undo=True,
    )


def _erase_rest(source: Source, path: str, progress: Progress) -> Outcome:
    """Delete the keys below a path that are left of a node."""
    from zarrcore.errors import ZarrError  # late: for a fast start

    hierarchy: Any = source.hierarchy
    progress.start()

    def change() -> None:
        if path in hierarchy:
            hierarchy.erase(path)
            return
        for prefix in _prefixes(hierarchy, path):
            hierarchy.store.erase_prefix(prefix)

    try:
        with hierarchy.store.watching(erasing=progress):
            change()
    except (StoppedError, ZarrError) as error:
        return _not_erased(source, path, error, progress)
    hierarchy.forget("/")
    group = parent_of(path)
    return Outcome(
        f"Everything below {path} is deleted",
        Effect.NODES,
        group,
        _node(hierarchy, group),
        group,
        gone=path,
        ends_undo=True,
    )


def _not_erased(source: Source, path: str, error: Exception, progress: Progress) -> Outcome:
    """What is left of a node whose deletion did not end."""
    hierarchy: Any = source.hierarchy
    hierarchy.forget("/")
    node = _node(hierarchy, path)
    is_stopped = isinstance(error, StoppedError)
    if not progress.done and node is not None and any(getattr(node, "documents", ())):
        if not is_stopped:
            raise error
        return Outcome(f"Deleting {path} was stopped before anything was deleted", is_complete=False)
    why = f"Deleting {path} was stopped" if is_stopped else f"Deleting {path} failed: {sentence(error)[:-1]}"
    group = parent_of(path)
    text = f"{why}. Its metadata and {count(progress.done, 'key')} are deleted; the rest is left in the store"
    rest = Change(f"Deleting the rest of {path}", partial(_erase_rest, source, path))
    return Outcome(
        text,
        Effect.NODES,
        group,
        _node(hierarchy, group),
        group,
        gone=path,
        is_complete=False,
        ends_undo=True,
        rest=rest,
    )


def _node(hierarchy: Any, path: str) -> Any:
    from zarrcore.errors import ZarrError  # late: for a fast start

    try:
        return hierarchy.node(path)
    except ZarrError:
        return None


def _prefixes(hierarchy: Any, path: str) -> set[str]:
    """The prefixes of the keys of a node: some formats keep chunks apart from documents."""
    return {hierarchy.format.prefix(path), hierarchy.format.chunk_prefix(path)}


def contents(
    source: Source,
    path: str,
    progress: Progress,
    tell: Callable[[Contents], object] = lambda _contents: None,
) -> Contents:
    """Count the nodes and keys at a path and below it.

    Args:
        source: the source.
        path: the node.
        progress: to stop.
        tell: called now and then with the numbers so far.

    Raises:
        StoppedError: the user stopped it.
        NodeNotFoundError: no node has this path.
        StoreError: the store failed.
    """
    from zarrcore.errors import ListingUnsupportedError  # late: for a fast start

    hierarchy: Any = source.hierarchy
    found = Contents()
    for _ in hierarchy.walk(path):
        progress.check()
        found.nodes += 1
        if not found.nodes % _TOLD_EVERY:
            tell(found)
    try:
        for prefix in _prefixes(hierarchy, path):
            for entry in hierarchy.store.list_prefix(prefix):
                progress.check()
                found.keys, found.nbytes = found.keys + 1, found.nbytes + (entry.size or 0)
                if not found.keys % _TOLD_EVERY:
                    tell(found)
    except ListingUnsupportedError:
        found.is_known = False
    return found
