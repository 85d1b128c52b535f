"""A rule of a convention that metadata break, and whether nodes that they name exist."""

from __future__ import annotations

from dataclasses import dataclass

from zarrcore.conventions import Find
from zarrcore.errors import NodeNotFoundError, SelectionError
from zarrcore.operations.check.finding import Severity


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken rule."""

    member: str
    """The attribute at fault, such as ``multiscales[0].axes``; empty for the node as a whole."""
    sentence: str
    """What is wrong: expected and found."""
    rule: str
    """The section and the address of the rule."""
    severity: Severity = "warning"
    """A warning: other programs may misread the data."""


def exists(group: str, path: str, find: Find) -> bool:
    """Whether there is a node at a path relative to a group.

    Raises:
        StoreError: the store failed.
    """
    try:
        find(f"{group.rstrip('/')}/{path}")
    except (NodeNotFoundError, SelectionError):
        return False
    return True
