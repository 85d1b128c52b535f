"""A check of one group and the names directly below it, for readers who are looking at it: a bounded number of requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Final

from zarrcore.errors import ListingUnsupportedError
from zarrcore.hierarchy import AnyNode, Collection, Group, Hierarchy, normalize_path
from zarrcore.operations.check.documents import Consolidated, check_node
from zarrcore.operations.check.finding import Finding
from zarrcore.operations.check.groups import check_folder, check_keys, check_own_document
from zarrcore.operations.parallel import in_parallel

NAMES: Final = 100
"""Names below a group that are checked by default."""
_AT_ONCE = 16


def check_level(hierarchy: Hierarchy, path: str = "/", names: int = NAMES) -> Iterator[Finding]:
    """What `check` reports about the documents of a group, the keys beside them, and its place in consolidated metadata.

    Args:
        hierarchy: where the group is.
        path: the group.
        names: how many names below it are checked at most; if there are more, a note says so.

    Raises:
        NodeNotFoundError: the group exists in consolidated metadata only.
        StoreError: the store failed.
    """
    path = normalize_path(path)
    member = hierarchy.member(path)
    if isinstance(member, Collection):
        return
    alone = member.alone()
    for found in _findings(alone, alone.node(member.within(path)), names):
        key = f"{member.at[1:]}/{found.key}".lstrip("/") if found.key else ""
        yield replace(found, path=normalize_path(member.at + found.path), key=key)


def _findings(hierarchy: Hierarchy, group: AnyNode, names: int) -> Iterator[Finding]:
    consolidated = Consolidated(group if group.path == "/" else hierarchy.node("/"))
    yield from check_node(group)
    yield from consolidated.check_node(group)
    if not isinstance(group, Group):
        return
    with suppress(ListingUnsupportedError):
        yield from check_own_document(group)
    told, is_listed = consolidated.names(group.path), True
    listed: list[str] = []
    try:
        listed += islice(group.child_names(), names + 1)
    except ListingUnsupportedError:
        is_listed = False
    wanted = [*dict.fromkeys((*listed[:names], *told))][:names]
    base, nodes = group.path.rstrip("/"), set[str]()
    paths = [f"{base}/{name}" for name in wanted]
    for path, node in zip(paths, in_parallel(hierarchy.child, paths, _AT_ONCE), strict=True):
        if node is None:
            yield from consolidated.check_missing(path)
        else:
            nodes.add(node.name)
            yield from consolidated.check_node(node)
            if isinstance(node, Group) and is_listed:
                yield from check_folder(node)
    if len(listed) > names or len(wanted) < len({*listed, *told}):
        yield Finding("note", "not-checked", group.path, f"only {names} of the names below it were checked")
    elif is_listed:
        with suppress(ListingUnsupportedError):
            yield from check_keys(group, nodes)
