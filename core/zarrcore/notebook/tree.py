"""The nodes below a group as a tree that can be opened and closed.

Groups may have millions of children, and each level costs requests. So only the first children are shown, those nearer to the
top first, and reading stops after a while.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from zarrcore.conventions import recognise
from zarrcore.errors import ZarrError
from zarrcore.hierarchy import AnyNode, ArrayNode, Group
from zarrcore.notebook.markup import Markup, element
from zarrcore.sizes import format_bytes, format_shape
from zarrcore.threads import at_once

_CHILDREN_MAX: Final = 50
"""Children of one group that are shown."""
_NODES_MAX: Final = 300
"""Nodes of a tree that are shown."""
_GROUPS_MAX: Final = 30
"""Groups whose children are listed."""
_COUNTED_MAX: Final = 1_000_000
_BUDGET_S: Final = 2.0
"""After this time, no further group is listed, and no further child counted."""


@dataclass(slots=True)
class _Shown:
    """A node of the tree."""

    node: AnyNode
    children: list[_Shown] = field(default_factory=list)
    rest: str = ""
    """What is said of children that are not shown."""
    failure: str = ""
    """Why the children cannot be listed."""


def tree(group: Group) -> Markup:
    """The nodes below a group. Those that cannot be opened or listed say why."""
    top = _grown(group)
    below = _below(top) or [element("div", "no nodes below", class_="zs-dim")]
    return element("div", *below, class_="zs-tree")


def _grown(group: Group) -> _Shown:
    """The tree, level by level."""
    ends_s = time.monotonic() + _BUDGET_S
    top = _Shown(group)
    level, listed, shown = [top], 0, 0
    while level:
        following: list[_Shown] = []
        for place in level:
            if not isinstance(place.node, Group):
                continue
            if listed >= _GROUPS_MAX or shown >= _NODES_MAX or time.monotonic() > ends_s:
                place.rest = "…"
                continue
            listed += 1
            try:
                _add_children(place, min(_CHILDREN_MAX, _NODES_MAX - shown), ends_s)
            except ZarrError as error:
                place.failure = " ".join(str(error).split())
            shown += len(place.children)
            following += place.children
        level = following
    return top


def _add_children(place: _Shown, most: int, ends_s: float) -> None:
    hierarchy: Any = place.node.hierarchy
    base = place.node.path.rstrip("/")
    names = hierarchy.child_names(place.node.path)
    paths = [f"{base}/{name}" for name in islice(names, most)]
    child = at_once(hierarchy.child, paths) if hierarchy.store.is_remote else hierarchy.child
    place.children = [_Shown(node) for path in paths if (node := child(path)) is not None]
    count, is_all = _counted(names, ends_s)
    if count:
        place.rest = f"and {count:,} more" if is_all else f"and at least {count:,} more"


def _counted(names: Iterator[str], ends_s: float) -> tuple[int, bool]:
    """How many names are left, and whether all of them were counted."""
    count = 0
    for count, _ in enumerate(names, 1):
        if count >= _COUNTED_MAX or (count % 256 == 0 and time.monotonic() > ends_s):
            return count, next(names, None) is None
    return count, True


def _branch(shown: _Shown) -> Markup:
    line, below = _line(shown.node), _below(shown)
    return (
        element("details", element("summary", *line), *below)
        if below
        else element("div", *line, class_="zs-leaf")
    )


def _below(shown: _Shown) -> list[Markup]:
    """What is below a node."""
    below = list(map(_branch, shown.children))
    if shown.rest:
        below.append(element("div", shown.rest, class_="zs-leaf zs-dim"))
    if shown.failure:
        below.append(element("div", shown.failure, class_="zs-leaf zs-error"))
    return below


def _line(node: AnyNode) -> list[Any]:
    """A node in one line."""
    if isinstance(node, Group):
        recognised = recognise(node)
        what = f"  {recognised[0].title} {recognised[1]}" if recognised else ""
        return [element("span", node.name, class_="zs-group"), element("span", what, class_="zs-dim")]
    if isinstance(node, ArrayNode):
        told = f"  {format_shape(node.shape)}  {node.data_type.name}"
        if not node.data_type.is_variable_length:
            told += f"  {format_bytes(node.nbytes)}"
        return [element("span", node.name, class_="zs-name"), element("span", told, class_="zs-dim")]
    reason = " ".join(str(node.error).split())
    return [element("span", node.name, class_="zs-name"), element("span", f"  {reason}", class_="zs-error")]
