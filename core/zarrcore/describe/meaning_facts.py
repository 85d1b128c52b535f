"""What a node is, according to the convention that it follows."""

from __future__ import annotations

from zarrcore.conventions import Meaning, recognise
from zarrcore.errors import ZarrError
from zarrcore.hierarchy import AnyNode


def meaning_or_error(node: AnyNode) -> tuple[str, str, Meaning | ZarrError] | None:
    """The convention that a node follows, the kind of thing that it is, and its meaning, or why that cannot be read."""
    recognised = recognise(node)
    if recognised is None:
        return None
    convention, kind = recognised
    try:
        return convention.title, kind, convention.read(node, node.hierarchy.node)
    except ZarrError as error:
        return convention.title, kind, error


def meaning_facts(node: AnyNode) -> list[tuple[str, str]]:
    """What a node is according to its convention, and the facts that follow; empty if no convention says."""
    match meaning_or_error(node):
        case None:
            return []
        case (title, kind, ZarrError() as error):
            return [("convention", f"{title} {kind}, but it cannot be read: {error}")]
        case (_, _, found):
            return [("convention", found.summary), *found.facts()]
