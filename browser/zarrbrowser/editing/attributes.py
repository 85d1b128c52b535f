"""Changing the attributes of a node."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from zarrbrowser.editing.attribute_text import are_same
from zarrbrowser.editing.changes import (
    CannotChangeError,
    CannotUndoError,
    Change,
    Effect,
    Outcome,
    Undo,
    with_consolidated,
)
from zarrbrowser.editing.progress import Progress
from zarrbrowser.session.sources import Source


def set_attributes(
    source: Source, path: str, kind: str, shown: Mapping[str, Any], wanted: Mapping[str, Any]
) -> Change:
    """Replace the attributes of a node, unless they are not those that the user saw.

    Args:
        source: a source that may be changed.
        path: the node.
        kind: its kind, "group" or "array", which must be the same still.
        shown: its attributes when the user began.
        wanted: its new attributes.
    """
    return Change(f"Saving the attributes of {path}", partial(_set, source, path, kind, shown, wanted))


def _set(
    source: Source,
    path: str,
    kind: str,
    shown: Mapping[str, Any],
    wanted: Mapping[str, Any],
    _progress: Progress,
) -> Outcome:
    node = _fresh(source, path)
    if node.kind != kind:
        raise CannotChangeError(f"another program has deleted or replaced the {kind} {path}")
    if not are_same(node.attributes, shown):
        return Outcome(
            f"The attributes of {path} were not saved: another program changed them meanwhile",
            Effect.ATTRIBUTES,
            path,
            node,
            is_complete=False,
            found=dict(node.attributes),
        )
    before = dict(node.attributes)
    node, note = _store(source, path, wanted)
    undo = Undo(f"the attributes of {path}", partial(_restore, source, path, dict(node.attributes), before))
    return Outcome(f"The attributes of {path} were saved{note}", Effect.ATTRIBUTES, path, node, undo=undo)


def _restore(
    source: Source, path: str, after: Mapping[str, Any], before: Mapping[str, Any], _progress: Progress
) -> Outcome:
    if not are_same(_fresh(source, path).attributes, after):
        raise CannotUndoError(f"the attributes of {path} have been changed again since")
    node, note = _store(source, path, before)
    return Outcome(f"The attributes of {path} are as before{note}", Effect.ATTRIBUTES, path, node)


def _store(source: Source, path: str, attributes: Mapping[str, Any]) -> tuple[Any, str]:
    """Store attributes. Returns the node as it is then, and a clause about consolidated metadata."""
    hierarchy: Any = source.hierarchy

    def change() -> None:
        hierarchy[path].attributes = attributes

    _, note = with_consolidated(hierarchy, change)
    return _fresh(source, path), note


def _fresh(source: Source, path: str) -> Any:
    """The node as it is stored now."""
    hierarchy: Any = source.hierarchy
    hierarchy.forget(path)
    return hierarchy[path]
