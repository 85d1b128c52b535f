"""Comparing two trees of nodes, each in the order of A; differences are reported as they are found."""

from __future__ import annotations

from collections.abc import Iterator

from zarrcore.errors import ZarrError
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Group, Hierarchy, normalize_path
from zarrcore.hierarchy.walking import Branch
from zarrcore.operations.compare.difference import Difference, Progress, Wanted
from zarrcore.operations.compare.elements import compare_elements
from zarrcore.operations.compare.equality import are_comparable
from zarrcore.operations.compare.metadata import compare_metadata


def compare(
    one: tuple[Hierarchy, str],
    other: tuple[Hierarchy, str],
    wanted: Wanted | None = None,
    progress: Progress | None = None,
) -> Iterator[Difference]:
    """The differences between two nodes and all below them, lazily; formats, chunks and codecs may differ.

    Memory holds the names below a group, and some blocks of elements; it does not grow with the size of arrays.

    Args:
        one: A: a hierarchy, and the path of a node in it.
        other: B.
        wanted: what is compared.
        progress: called with the progress through each array.

    Raises:
        NodeNotFoundError: there is no node at a path.
        StoreError: a store failed before there was anything to compare.
    """
    comparison = _Comparison(wanted or Wanted(), progress)
    (a, path_a), (b, path_b) = one, other
    with a.branch(normalize_path(path_a)) as branch_a, b.branch(normalize_path(path_b)) as branch_b:
        yield from comparison.branches(branch_a, branch_b, "/")


class _Comparison:
    """One comparison of two trees."""

    def __init__(self, wanted: Wanted, progress: Progress | None) -> None:
        self._wanted = wanted
        self._progress = progress

    def branches(self, one: Branch, other: Branch, path: str) -> Iterator[Difference]:
        """The differences between two nodes at ``path`` and below."""
        pending: list[Iterator[tuple[Branch | None, Branch | None, str] | Difference]]
        pending = [iter(((one, other, path),))]
        while pending:
            found = next(pending[-1], None)
            if found is None:
                pending.pop()
            elif isinstance(found, Difference):
                yield found
            else:
                a, b, where = found
                yield from self._nodes(_node(a), _node(b), where)
                if a is not None and b is not None and _are_groups(a.node, b.node):
                    pending.append(_pairs(a, b, where))

    def _nodes(self, a: AnyNode | None, b: AnyNode | None, path: str) -> Iterator[Difference]:
        if a is None or b is None:
            if a is not None:
                yield Difference("only-in-a", path, f"{a.kind} is only in A", a=a.kind)
            elif b is not None:
                yield Difference("only-in-b", path, f"{b.kind} is only in B", b=b.kind)
            return
        if isinstance(a, BrokenNode) or isinstance(b, BrokenNode):
            yield from _troubles(a, b, path)
            return
        if isinstance(a, ArrayNode) != isinstance(b, ArrayNode):
            yield Difference("kind", path, f"{a.kind} in A, {b.kind} in B", a.kind, b.kind)
            return
        yield from compare_metadata(a, b, path, self._wanted)
        if isinstance(a, ArrayNode) and isinstance(b, ArrayNode) and self._wanted.elements:
            yield from self._elements(a, b, path)

    def _elements(self, a: ArrayNode, b: ArrayNode, path: str) -> Iterator[Difference]:
        if a.shape != b.shape or not are_comparable(a.dtype, b.dtype):
            return
        try:
            found = compare_elements(a, b, path, self._wanted, self._progress)
        except ZarrError as error:
            yield Difference("trouble", path, f"elements are not compared: {error}")
        else:
            if found is not None:
                yield found


def _pairs(
    a: Branch, b: Branch, path: str
) -> Iterator[tuple[Branch | None, Branch | None, str] | Difference]:
    """The children of two groups by name: those of A in its order, then those that only B has."""
    base = path.rstrip("/")
    others: dict[str, Branch] = {}
    for side, group in (("B", b), ("A", a)):
        try:
            for child in group:
                if child.node.path == group.node.path and isinstance(child.node, BrokenNode):
                    yield _not_listed(path, side, child.node.error)
                    return
                if side == "B":
                    others[child.node.name] = child
                else:
                    yield child, others.pop(child.node.name, None), f"{base}/{child.node.name}"
        except ZarrError as error:
            yield _not_listed(path, side, error)
            return
    for name, child in others.items():
        yield None, child, f"{base}/{name}"


def _not_listed(path: str, side: str, error: ZarrError) -> Difference:
    return Difference("trouble", path, f"the nodes below it in {side} are unknown: {error}")


def _troubles(a: AnyNode, b: AnyNode, path: str) -> Iterator[Difference]:
    for side, node in (("A", a), ("B", b)):
        if isinstance(node, BrokenNode):
            yield Difference("trouble", path, f"cannot be opened in {side}: {node.error}")


def _node(branch: Branch | None) -> AnyNode | None:
    return None if branch is None else branch.node


def _are_groups(a: AnyNode, b: AnyNode) -> bool:
    return isinstance(a, Group) and isinstance(b, Group)
