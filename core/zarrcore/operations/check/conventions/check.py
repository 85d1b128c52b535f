"""The rules of each convention, for the nodes that follow it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from zarrcore.conventions import Convention, Find, meaning, recognise
from zarrcore.errors import StoreError, ZarrError
from zarrcore.hierarchy import AnyNode
from zarrcore.operations.check.conventions.cf import check_cf
from zarrcore.operations.check.conventions.geo import check_georeference, check_pyramid
from zarrcore.operations.check.conventions.nexus import check_nexus
from zarrcore.operations.check.conventions.ome import check_ome
from zarrcore.operations.check.conventions.rule import Broken
from zarrcore.operations.check.finding import Finding

Check = Callable[[Any, str, Find], Iterator[Broken]]
_CHECKS: Final[Mapping[str, Check]] = {
    "ome-ngff": check_ome,
    "cf": check_cf,
    "geozarr": check_georeference,
    "multiscales": check_pyramid,
    "nexus": check_nexus,
}


def check_conventions(node: AnyNode, find: Find) -> Iterator[Finding]:
    """What contradicts the convention that a node follows.

    Args:
        node: any node.
        find: returns the node at an absolute path.

    Raises:
        StoreError: the store failed.
    """
    recognised = recognise(node)
    if recognised is None:
        return
    convention, kind = recognised
    found = False
    for broken in _CHECKS.get(convention.name, _nothing)(node, kind, find):
        found = True
        yield _finding(node, convention, broken)
    # Georeferences stand beside other conventions, too.
    if convention.name == "cf" and node.kind == "array":
        for broken in check_georeference(node, kind, find):
            yield _finding(node, convention, broken)
    if not found:
        yield from _unreadable(node, convention, find)


def _nothing(_node: Any, _kind: str, _find: Find) -> Iterator[Broken]:
    yield from ()


def _unreadable(node: AnyNode, convention: Convention, find: Find) -> Iterator[Finding]:
    """A meaning that cannot be read, where no rule has told why."""
    try:
        meaning(node, find)
    except StoreError:
        raise
    except ZarrError as error:
        yield _finding(node, convention, Broken("", str(error), convention.specification))


def _finding(node: AnyNode, convention: Convention, broken: Broken) -> Finding:
    member = f"{broken.member}: " if broken.member else ""
    sentence = f"{convention.title}: {member}{broken.sentence} ({broken.rule})"
    key = node.metadata_key.replace(".zgroup", ".zattrs").replace(
        ".zarray", ".zattrs"
    )  # Zarr v2 keeps attributes apart
    return Finding(broken.severity, "convention", node.path, sentence, key)
