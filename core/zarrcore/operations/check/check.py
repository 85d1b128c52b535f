"""Checking a hierarchy node by node: documents, keys, chunks. Findings are reported as they are found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, groupby

from zarrcore.array.storage_info import MAX_PROBED_CHUNKS
from zarrcore.errors import ListingUnsupportedError, StoreError
from zarrcore.hierarchy import AnyNode, ArrayNode, Collection, Group, Hierarchy, normalize_path
from zarrcore.operations.check.conventions import check_conventions
from zarrcore.operations.check.decoding import ChunkDecoder
from zarrcore.operations.check.documents import Consolidated, check_node, check_other_formats, foreign_keys
from zarrcore.operations.check.finding import EXAMPLES, UNLISTED, Finding, Progress, Tally
from zarrcore.operations.check.groups import check_group
from zarrcore.operations.check.keys import (
    ArrayKeys,
    check_leftovers,
    check_ome_zarr_zip,
    check_skipped_keys,
)
from zarrcore.operations.cluster import RunWork
from zarrcore.operations.marker import MARKER_KEY
from zarrcore.operations.parallel import in_parallel
from zarrcore.stores.interface import ListableStore, ReadableStore, StoreEntry

_SMALL_NBYTES = 16 << 20
_SMALL_AT_ONCE = 16
"""Arrays up to this size that are checked at once: together they take as much memory as the chunks of a large one."""


@dataclass(frozen=True, slots=True)
class _Extent:
    """What is checked, and how."""

    wanted: bool
    """Whether to decode chunks."""
    conventions: bool
    """Whether to check conventions, too."""
    progress: Progress | None
    """Is told how far it is."""
    examples: int
    """How many findings of each kind of an array are reported one by one."""
    name_missing: bool
    """Whether these include missing chunks."""
    run_work: RunWork | None
    """Decodes chunks; None for the threads of this process."""

    def report(self, path: str, done: int, total: int) -> None:
        """Report how many chunks of an array are done."""
        if self.progress is not None:
            self.progress(path, done, total)


def check(
    hierarchy: Hierarchy,
    path: str = "/",
    *,
    decode: bool = True,
    conventions: bool = False,
    examples: int = EXAMPLES,
    name_missing: bool = False,
    progress: Progress | None = None,
    run_work: RunWork | None = None,
) -> Iterator[Finding]:
    """Everything that is wrong with the node at ``path`` and those below it, in the order of a walk.

    Args:
        hierarchy: where the node is.
        path: the node.
        decode: fetch and decode every chunk; without it, only check documents and keys.
        conventions: also check whether nodes hold to the conventions that they follow.
        examples: how many findings of each kind of an array are reported one by one; the others are counted.
        name_missing: report missing chunks one by one, too; those beyond `examples` are counted.
        progress: called with the progress through the chunks of each array.
        run_work: decodes chunks somewhere other than in this process's threads, such as on a cluster.

    Raises:
        NodeNotFoundError: there is no node at ``path``.
        StoreError: the store failed before there was anything to check.
        ClusterError: the cluster failed.
    """
    extent = _Extent(decode, conventions, progress, examples, name_missing, run_work)
    hierarchy = hierarchy.alone()
    top = hierarchy.node(normalize_path(path))
    if isinstance(hierarchy, Collection):
        yield from _check_collection(hierarchy, top, extent)
        return
    findings = _check_arrays(_check_nodes(hierarchy, top, extent), hierarchy.store, extent)
    yield from _unlisted_once(findings, top.path)
    if top.path == "/":
        yield from check_skipped_keys(hierarchy.store)


def _unlisted_once(findings: Iterator[Finding], path: str) -> Iterator[Finding]:
    """The findings; that the store cannot be listed is said once, of all nodes from ``path`` on."""
    is_told = False
    for found in findings:
        if found.sentence != UNLISTED:
            yield found
        elif not is_told:
            is_told = True
            yield replace(found, path=path)


def _check_nodes(hierarchy: Hierarchy, top: AnyNode, extent: _Extent) -> Iterator[Finding | ArrayNode]:
    """What is wrong with nodes apart from their chunks, and the arrays whose chunks are to be checked at this place."""
    consolidated = Consolidated(top if top.path == "/" else hierarchy.node("/"))
    if top.path == "/":
        yield from _check_root(hierarchy, top)
    pending: list[Iterator[AnyNode | Finding]] = [iter((top,))]
    lost: str | None = None  # the prefix last found that holds chunks, but no document
    while pending:
        found = next(pending[-1], None)
        if found is None:
            pending.pop()
        elif isinstance(found, Finding):
            if found.what == "unreadable":  # a group whose children are not all known
                consolidated.skip(found.path)
            elif found.what == "chunks-without-document":
                lost = found.key
            yield found
        else:
            yield from check_node(found)
            yield from consolidated.check_node(found)
            if extent.conventions:
                yield from check_conventions(found, hierarchy.node)
            if isinstance(found, ArrayNode):
                yield found
            elif isinstance(found, Group):
                prefix = hierarchy.format.prefix(found.path)
                is_part = lost is not None and prefix.startswith(lost) and not any(found.documents)
                pending.append(check_group(found, is_of_lost_array=is_part))
    if top.path == "/":
        yield from consolidated.check_rest()


def _check_arrays(
    steps: Iterator[Finding | ArrayNode], store: ReadableStore, extent: _Extent
) -> Iterator[Finding]:
    """The findings among ``steps``, and those of arrays at their places. Small arrays of a remote store are checked together."""
    quiet = replace(extent, progress=None)

    def findings(step: Finding | ArrayNode) -> tuple[Finding | ArrayNode, list[Finding]]:
        return step, [step] if isinstance(step, Finding) else [*_check_array(step, quiet)]

    def is_small(step: Finding | ArrayNode) -> bool:
        return isinstance(step, Finding) or step.nbytes <= _SMALL_NBYTES

    if not store.is_remote or extent.run_work is not None:
        for step in steps:
            yield from (step,) if isinstance(step, Finding) else _check_array(step, extent)
        return
    for small, several in groupby(steps, is_small):
        if small:
            for step, found in in_parallel(findings, several, _SMALL_AT_ONCE):
                yield from found
                if isinstance(step, ArrayNode):
                    chunks = math.prod(step.chunk_grid_shape)
                    extent.report(step.path, chunks, chunks)
        else:
            for step in several:
                yield from _check_array(step, extent) if isinstance(step, ArrayNode) else (step,)


def _check_collection(collection: Collection, node: AnyNode, extent: _Extent) -> Iterator[Finding]:
    """Check a node of a collection: each hierarchy by itself, reported with its path in the collection."""
    member = collection.member(node.path)
    if member is not collection:
        yield from _check_member(member, member.within(node.path), extent)
        return
    yield from check_node(node)
    if isinstance(node, Group):
        yield from check_leftovers(collection.store)
        yield from check_ome_zarr_zip(collection.store)
        for found in check_group(node):
            if isinstance(found, Finding):
                yield found
            else:
                yield from _check_collection(collection, found, extent)
        if node.path == "/":
            yield from check_skipped_keys(collection.store)


def _check_member(member: Hierarchy, path: str, extent: _Extent) -> Iterator[Finding]:
    def report(path: str, done: int, total: int) -> None:
        extent.report(normalize_path(member.at + path), done, total)

    for found in check(
        member.alone(),
        path,
        decode=extent.wanted,
        conventions=extent.conventions,
        examples=extent.examples,
        name_missing=extent.name_missing,
        progress=report,
        run_work=extent.run_work,
    ):
        key = f"{member.at[1:]}/{found.key}" if found.key else ""
        yield replace(found, path=normalize_path(member.at + found.path), key=key)


def _check_root(hierarchy: Hierarchy, root: AnyNode) -> Iterator[Finding]:
    if hierarchy.store.get(MARKER_KEY) is not None:
        sentence = "a copy to this place was interrupted: run it again to finish it"
        yield Finding("error", "unfinished-copy", "/", sentence, MARKER_KEY)
    yield from check_other_formats(root, set(foreign_keys(hierarchy.format, "/")))
    yield from check_leftovers(hierarchy.store)
    yield from check_ome_zarr_zip(hierarchy.store)


def _check_array(array: ArrayNode, extent: _Extent) -> Iterator[Finding]:
    tally = Tally(array.path, extent.examples)
    try:
        for finding in _array_findings(array, extent):
            if tally.passes(finding):
                yield finding
    except StoreError as error:
        yield Finding("error", "unreadable", array.path, str(error), error.key or "")
    yield from tally.rest()


def _array_findings(array: ArrayNode, extent: _Extent) -> Iterator[Finding]:
    named = extent.examples if extent.name_missing else 0
    keys = ArrayKeys(array, array.hierarchy.format.chunk_prefix(array.path), named)
    total, done = math.prod(array.chunk_grid_shape), 0
    extent.report(array.path, done, total)
    entries = _listed(array.store, keys.prefix)
    if entries is not None:
        chunks = keys.chunks(entries)
    elif extent.wanted or total <= MAX_PROBED_CHUNKS:
        yield Finding("note", "not-checked", array.path, UNLISTED)
        chunks = keys.probed()
    else:
        sentence = f"the store cannot be listed: none of {total:,} chunks was checked"
        yield Finding("note", "not-checked", array.path, sentence)
        return
    decoder = ChunkDecoder(array, extent.run_work)
    for count, found in decoder.decode(chunks) if extent.wanted else ((1, []) for _ in chunks):
        yield from keys.taken()
        yield from found
        done += count
        extent.report(array.path, done, total)
        if decoder.is_hopeless:
            yield Finding(
                "error",
                "not-checked",
                array.path,
                "the store keeps failing: the array's other chunks were skipped",
            )
            return
    yield from keys.taken()
    yield from keys.rest()
    if array.path != "/":
        yield from check_other_formats(array, keys.foreign)


def _listed(store: ReadableStore, prefix: str) -> Iterator[StoreEntry] | None:
    """The keys under a prefix; None if the store cannot list them."""
    if not isinstance(store, ListableStore):
        return None
    try:
        entries = store.list_prefix(prefix)
        first = next(entries, None)
    except ListingUnsupportedError:
        return None
    return iter(()) if first is None else chain((first,), entries)
