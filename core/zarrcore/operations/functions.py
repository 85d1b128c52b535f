"""The work of commands as functions: sources in, typed results out. `zarrcore` exports them.

Each takes what `zarrcore.open` takes, or what it returns.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from numbers import Real
from operator import index
from typing import Any, Literal

import numpy.typing as npt

from zarrcore.arguments import check_type, check_types, place_text
from zarrcore.array import Array
from zarrcore.errors import SelectionError, UnsupportedError
from zarrcore.formats import Format, format_named
from zarrcore.hierarchy import AnyNode, ArrayNode, Group, Hierarchy, kept_consolidated, normalize_path
from zarrcore.hierarchy.new_array import CodecsLike, as_codecs, as_lengths
from zarrcore.hierarchy.open import open_hierarchy, refuse_node
from zarrcore.operations import checksum as checksums
from zarrcore.operations import find as finding
from zarrcore.operations import usage
from zarrcore.operations.advice import advise as advices
from zarrcore.operations.check import Finding
from zarrcore.operations.check import check as check_node
from zarrcore.operations.check.finding import Progress as CheckProgress
from zarrcore.operations.compare import Difference, Tolerance, Wanted, compare
from zarrcore.operations.compare.difference import Progress as DiffProgress
from zarrcore.operations.convert import Conversion, plan_conversion
from zarrcore.operations.convert import Progress as ConvertProgress
from zarrcore.operations.convert import convert as convert_planned
from zarrcore.operations.copy import (
    DEFAULT_MEMORY_NBYTES,
    CopyResult,
    Layout,
    Part,
    execute,
    plan_copy,
    refuse_place_inside,
)
from zarrcore.operations.copy.execute import Progress as CopyProgress
from zarrcore.operations.copy.part import Wanted as WantedPart
from zarrcore.operations.pyramid import PyramidPlan, build, plan_pyramid
from zarrcore.operations.pyramid import Wanted as WantedPyramid
from zarrcore.operations.pyramid.levels import Progress as PyramidProgress
from zarrcore.stores import open_store, split_uri
from zarrcore.stores.destination import check_destination
from zarrcore.stores.interface import ReadableStore

Place = str | os.PathLike[str] | ReadableStore | Hierarchy | Group | ArrayNode
"""A source as in `zarrcore.open`, also ``SOURCE#/path``; or what it returns."""


def copy(
    source: Place,
    destination: str | os.PathLike[str] | ReadableStore,
    *,
    select: WantedPart | None = None,
    format: str | Format | None = None,  # noqa: A002 - as `zarrcore.create`
    chunks: Sequence[int] | None = None,
    shards: Sequence[int] | None = None,
    codecs: CodecsLike | None = None,
    skip: bool = False,
    overwrite: bool = False,
    verify: bool = True,
    consolidate: bool = False,
    memory_nbytes: int = DEFAULT_MEMORY_NBYTES,
    progress: CopyProgress | None = None,
) -> CopyResult:
    """Copy a node and all below it, as ``zarrscope copy`` does. The same call resumes a copy that was interrupted.

    Args:
        source: the node, which becomes the root of the copy.
        destination: path or URL, which is made if it is missing; or an open store.
        select: the part to copy. Of one array as in indexing, or as text (``"3,:,0:100"``); by the names of dimensions
            (``{"time": slice(0, 10)}``, ``"time=0:10"``) of all arrays that have them. An index selects one element, and its
            dimension stays, with the length 1.
        format: "v3", "v2" or "n5"; by default that of the source, or Zarr v3 if it cannot be written.
        chunks, shards, codecs: as `Hierarchy.create_array`, for arrays of as many dimensions; by default those of the source.
            -1 is the length of a dimension, and ``()`` means no shards.
        skip: leave out nodes that are broken or that the format cannot hold, instead of raising their error.
        overwrite: erase what is at the destination first.
        verify: read back what was written, and compare.
        consolidate: write consolidated metadata, too.
        memory_nbytes: memory for blocks in flight.
        progress: called with the path of an array, the bytes done, and the bytes of all arrays.

    Raises:
        NodeExistsError: the destination holds something else.
        MetadataError, UnsupportedError: a node is broken, or the format cannot hold it.
        SelectionError: a layout that does not fit any array, a selection that does not fit all; or a destination inside the
            source, or that names a node, a file or a database.
        CodecError: a chunk of the source does not decode.
        BrokenBodyError: a block reads back differently.
        StoreError: a store failed.

    >>> import zarrcore
    >>> source = zarrcore.create("memory://copy-from")
    >>> array = source.create_array("a", data=[1, 2, 3])
    >>> copy(source, "memory://copy-to", format="v2").arrays
    1
    """
    check_types("bool", skip=skip, overwrite=overwrite, verify=verify, consolidate=consolidate)
    _check_memory(memory_nbytes)
    hierarchy, path = _opened(source)
    layout = Layout(
        None if chunks is None else as_lengths(chunks, "chunks", minimum=-1),
        None if shards is None else as_lengths(shards, "shards", minimum=-1),
        None if codecs is None else tuple(as_codecs(codecs, "codecs")),
    )
    to = format_named(format) if isinstance(format, str) else format
    part = None if select is None else Part(select)
    plan = plan_copy(hierarchy, path, to=to, layout=layout, part=part, memory_nbytes=memory_nbytes, skip=skip)
    options: dict[str, Any] = {"overwrite": overwrite, "verify": verify, "consolidate": consolidate}
    if isinstance(destination, ReadableStore):
        return execute(plan, hierarchy, destination, progress=progress, **options)
    destination = place_text("destination", destination)
    refuse_node(destination)
    check_destination(destination)
    refuse_place_inside(hierarchy.store, destination)
    with open_store(destination, create=True) as store:
        return execute(plan, hierarchy, store, progress=progress, **options)


def check(
    source: Place, *, decode: bool = True, conventions: bool = False, progress: CheckProgress | None = None
) -> Iterator[Finding]:
    """What is wrong with a node and all below it, as it is found; ``zarrscope check`` prints it.

    Args:
        source: the node.
        decode: read and decode every chunk.
        conventions: check the metadata of conventions such as OME-Zarr, too.
        progress: called with the path of an array, its chunks done, and all of its chunks.

    Raises:
        NodeNotFoundError: the node does not exist.
        StoreError: the store failed before anything could be checked.

    >>> import zarrcore
    >>> made = zarrcore.create("memory://check")
    >>> array = made.create_array("a", data=[1, 2, 3])
    >>> created = made.store.set("stray", b"")
    >>> [(found.severity, found.what, found.key) for found in check(made)]
    [('note', 'stray-key', 'stray')]
    """
    check_types("bool", decode=decode, conventions=conventions)
    return check_node(*_opened(source), decode=decode, conventions=conventions, progress=progress)


def advise(source: Place) -> Iterator[Finding]:
    """What a node and all below it cost to read from a distance, and what would make them cheaper.

    ``zarrscope check --advise`` prints it. Only documents are read.

    Args:
        source: the node.

    Raises:
        NodeNotFoundError: the node does not exist.
        StoreError: the store failed.

    >>> import zarrcore
    >>> array = zarrcore.create("memory://advise").create_array("a", shape=(64, 64), dtype="int8", chunks=2)
    >>> {found.what for found in advise(array)}
    {'small-chunks'}
    """
    return advices(*_opened(source))


def diff(
    a: Place,
    b: Place,
    *,
    elements: bool = True,
    layout: bool = False,
    rtol: float = 0.0,
    atol: float = 0.0,
    equal_nan: bool = True,
    examples: int = 3,
    progress: DiffProgress | None = None,
) -> Iterator[Difference]:
    """The differences between two nodes and all below them, as they are found; ``zarrscope diff`` prints them.

    Args:
        a, b: the nodes; their formats, chunks and codecs may differ.
        elements: compare elements, not only metadata.
        layout: compare chunks, shards and codecs, too.
        rtol, atol, equal_nan: which numbers are equal, as in `numpy.isclose`.
        examples: how many differing elements of an array are named.
        progress: called with the path of an array, the bytes compared, and all of its bytes.

    Raises:
        NodeNotFoundError: the node does not exist.
        SelectionError: a tolerance below 0.
        StoreError: a store failed before anything could be compared.

    >>> import zarrcore
    >>> made = zarrcore.create("memory://diff")
    >>> [found.sentence for found in diff(made.create_array("a", data=[1, 2]), made.create_array("b", data=[1, 3]))]
    ['1 of 2 elements differ']
    """
    check_types("bool", elements=elements, layout=layout, equal_nan=equal_nan)
    _at_least_0("float", rtol=rtol, atol=atol)
    _at_least_0("int", examples=examples)
    wanted = Wanted(elements, layout, Tolerance(rtol, atol, equal_nan), examples)
    return compare(_opened(a, name="a"), _opened(b, name="b"), wanted, progress)


def checksum(
    source: Place | Array,
    *,
    algorithm: Literal["sha256", "xxh128"] = "sha256",
    memory_nbytes: int = checksums.DEFAULT_MEMORY_NBYTES,
    progress: checksums.Progress | None = None,
) -> str:
    """The checksum of the elements of an array, hexadecimal, as ``zarrscope checksum`` prints it.

    It is the same in all formats, and with all chunks and codecs.

    Args:
        source: the array.
        algorithm: the hash function.
        memory_nbytes: memory for decoded elements.
        progress: called with the bytes done.

    Raises:
        NodeKindError: it is a group.
        CodecError: a chunk does not decode.
        StoreError: the store failed.
        UnsupportedError: the elements have no fixed form.

    >>> import zarrcore
    >>> made = zarrcore.create("memory://checksum-of")
    >>> one, other = (made.create_array(name, data=[1, 2], codecs=codec) for name, codec in (("a", "gzip"), ("b", "zstd")))
    >>> checksum(one) == checksum(other)
    True
    """
    _check_memory(memory_nbytes)
    if isinstance(source, Array):
        return checksums.checksum(source, algorithm, memory_nbytes, progress)
    hierarchy, path = _opened(source)
    return checksums.checksum(hierarchy.array(path), algorithm, memory_nbytes, progress)


def du(source: Place, *, progress: usage.Progress | None = None) -> usage.Usage:
    """The stored and decoded bytes of a node and of each below it, as ``zarrscope du`` prints them.

    Args:
        source: the node.
        progress: called with what is counted, "nodes" or "keys", and how many there are so far.

    Raises:
        NodeNotFoundError: the node does not exist.
        ListingUnsupportedError: the store cannot list its keys.
        StoreError: the store failed.

    >>> import zarrcore
    >>> array = zarrcore.create("memory://du").create_array("a", shape=1000, dtype="int16")
    >>> [(node.path, node.nbytes) for node in du("memory://du").nodes]
    [('/', 2000), ('/a', 2000)]
    """
    return usage.usage(*_opened(source), progress)


def find(
    source: Place,
    *,
    name: str | None = None,
    path: str | None = None,
    kind: Literal["group", "array", "broken"] | None = None,
    dtype: npt.DTypeLike | None = None,
    shape: Sequence[int | None] | None = None,
    min_nbytes: int | None = None,
    max_nbytes: int | None = None,
    codec: str | None = None,
    attributes: Mapping[str, Any] | None = None,
    convention: str | None = None,
    depth: int | None = None,
) -> Iterator[AnyNode]:
    """The nodes at and below a node that meet all conditions, as they are found, as ``zarrscope find`` prints them.

    Args:
        source: the node.
        name, path: patterns of the shell for names and whole paths; in paths, ``*`` also matches ``/``.
        kind: the kind of node.
        dtype: a data type as in `Hierarchy.create_array`, or a pattern of its name such as "uint*".
        shape: the length of each dimension; None is any length.
        min_nbytes, max_nbytes: bytes of all elements, decoded.
        codec: name or pattern of a codec, also of one inside shards.
        attributes: names, or paths of names with dots, and the values that the node has there; ``...`` is any.
        convention: what the node is by a convention, such as "ome" or "cf variable".
        depth: levels below the node; None for all.

    Raises:
        NodeNotFoundError: the node does not exist.
        ValueError: an unknown convention; the message lists all.
        UnsupportedError: an unknown data type or kind.
        SelectionError: a depth below 0.
        StoreError: the store failed.

    >>> import zarrcore
    >>> made = zarrcore.create("memory://find")
    >>> array = made.create_array("deep/a", data=[1, 2], attributes={"unit": "nm"})
    >>> [node.path for node in find(made, dtype="int*", attributes={"unit": "nm"})]
    ['/deep/a']
    """
    _at_least_0(depth=depth, min_nbytes=min_nbytes, max_nbytes=max_nbytes)
    check_types("str | None", name=name, path=path, codec=codec, convention=convention)
    check_types("Mapping[str, Any] | None", attributes=attributes)
    if kind not in (None, "group", "array", "broken"):
        raise UnsupportedError("kind", str(kind), "is unknown; known are group, array, broken")
    wanted = finding.Conditions(
        name=name,
        path=path,
        kind=kind,
        data_type=None if dtype is None else finding.data_type_pattern(dtype),
        shape=_pattern_of_shape(shape),
        min_nbytes=min_nbytes,
        max_nbytes=max_nbytes,
        codec=codec,
        attributes=tuple(
            finding.AttributeCondition(key, () if value is ... else (value,))
            for key, value in (attributes or {}).items()
        ),
        convention=None if convention is None else finding.convention_condition(convention),
    )
    hierarchy, top = _opened(source)
    return filter(wanted.hold, hierarchy.walk(top, depth))


def pyramid(
    source: Place,
    *,
    method: str | None = None,
    factors: int | Sequence[int] | None = None,
    levels: int | None = None,
    axes: Sequence[str] | None = None,
    scale: Sequence[float] | None = None,
    unit: str | None = None,
    memory_nbytes: int = DEFAULT_MEMORY_NBYTES,
    progress: PyramidProgress | None = None,
) -> PyramidPlan:
    """Make coarser levels of an image and the OME-Zarr metadata that describe them, as ``zarrscope pyramid`` does.

    The same call goes on after an interruption.

    Args:
        source: an array in a group, or a multiscale group.
        method: "mean", "mode" or "nearest"; by default "mode" for labels and booleans, else "mean".
        factors: elements of a level for each of the next, of all spatial axes or for each axis; 2 by default.
        levels: how many new levels; by default until the image is small.
        axes, scale, unit: the names of the axes, the distances of the elements, and their unit, of a new image.
        memory_nbytes: memory for blocks in flight.
        progress: called with the path of a level, its bytes done, and all of its bytes.

    Raises:
        NodeExistsError: the place of a level is taken.
        SelectionError: something wanted does not fit the image.
        MetadataError, UnsupportedError: the image, or its data type, has no pyramid.
        ReadOnlyError: the hierarchy cannot be written.
        StoreError: the store failed.

    >>> import zarrcore
    >>> made = zarrcore.create("memory://pyramid")
    >>> array = made.create_array("image/0", shape=(64, 64), dtype="uint8", dimension_names=["y", "x"])
    >>> [(level.path, level.metadata.shape) for level in pyramid(array, levels=2).levels]
    [('/image/1', (32, 32)), ('/image/2', (16, 16))]
    """
    _at_least_0(levels=levels)
    check_types("str | None", method=method, unit=unit)
    _check_memory(memory_nbytes)
    wanted = WantedPyramid(
        method,
        None if factors is None else as_lengths(factors, "factors", minimum=1),
        levels,
        _several("axes", axes, str, "a name"),
        _several("scale", scale, Real, "a number"),
        unit,
    )
    with _changing(source) as (hierarchy, path):
        plan = plan_pyramid(hierarchy, path, wanted)
        if plan.levels:
            build(hierarchy, plan, memory_nbytes=memory_nbytes, progress=progress)
    return plan


def convert(source: Place, *, remove_v2: bool = False, progress: ConvertProgress | None = None) -> Conversion:
    """Write documents of Zarr v3 beside those of Zarr v2; chunks stay as they are. ``zarrscope convert`` does the same.

    Args:
        source: a node of a hierarchy in Zarr v2.
        remove_v2: erase the documents of Zarr v2 afterwards.
        progress: called with a key, the documents done, and all documents.

    Raises:
        NodeExistsError: a node has another document of Zarr v3 already.
        WrongFormatError: it is not Zarr v2.
        MetadataError, UnsupportedError: Zarr v3 cannot express a node so that its chunks stay as they are.
        ReadOnlyError: the store is read-only.
        StoreError: the store failed.

    >>> import zarrcore
    >>> array = zarrcore.create("memory://convert", "v2").create_array("a", data=[1, 2])
    >>> [*convert("memory://convert").documents]
    ['a/zarr.json', 'zarr.json']
    >>> zarrcore.open("memory://convert", format="v3")["a"][...].tolist()
    [1, 2]
    """
    check_types("bool", remove_v2=remove_v2)
    with _changing(source, "v2") as (hierarchy, path):
        plan = plan_conversion(hierarchy, path)
        convert_planned(hierarchy, plan, remove_v2=remove_v2, progress=progress)
    return plan


def _at_least_0(kind: str = "int | None", **numbers: Any) -> None:
    """Refuse negative numbers, which would mean nothing, or no limit.

    Raises:
        SelectionError: one is negative.
        TypeError: one is not a number.
    """
    for name, number in numbers.items():
        check_type(name, number, kind)
        if number is not None and not number >= 0:
            raise SelectionError(f"{name}: expected 0 or more, found {number}")


def _pattern_of_shape(shape: Sequence[int | None] | None) -> tuple[int | None, ...] | None:
    try:
        return None if shape is None else tuple(None if n is None else index(n) for n in shape)
    except TypeError as error:
        raise TypeError(f"shape: expected an integer or None per dimension, found {shape!r}") from error


def _several(name: str, items: Sequence[Any] | None, kind: type, what: str) -> tuple[Any, ...] | None:
    """The items of a sequence, each of one kind.

    Raises:
        TypeError: it is not a sequence, or one item has another type.
    """
    is_one = isinstance(items, str) or not isinstance(items, Iterable | None)
    if is_one or not all(isinstance(item, kind) for item in items or ()):
        raise TypeError(f"{name}: expected {what} per axis, found {items!r}")
    return None if items is None else tuple(items)


def _check_memory(memory_nbytes: int) -> None:
    """Refuse a number of bytes that holds nothing.

    Raises:
        SelectionError: it is below 1.
        TypeError: it is not a number.
    """
    check_type("memory_nbytes", memory_nbytes, "int")
    if memory_nbytes < 1:
        raise SelectionError(f"memory_nbytes: expected 1 or more, found {memory_nbytes}")


def _opened(
    source: Place, mode: Literal["r", "r+"] = "r", format_name: str | None = None, name: str = "source"
) -> tuple[Any, str]:
    """The hierarchy of a node, and its path."""
    if isinstance(source, Hierarchy):
        return source, source.at
    if isinstance(source, Group | ArrayNode):
        return source.hierarchy, source.path
    inside = None
    if not isinstance(source, ReadableStore):
        source, inside = split_uri(place_text(name, source, "an open store or node"))
    return open_hierarchy(source, mode, format_name), normalize_path(inside or "/")


@contextmanager
def _changing(source: Place, format_name: str | None = None) -> Iterator[tuple[Hierarchy, str]]:
    """The same for a hierarchy that is changed, whose consolidated metadata are kept."""
    hierarchy, path = _opened(source, "r+", format_name)
    with hierarchy if isinstance(source, str | os.PathLike) else nullcontext(), kept_consolidated(hierarchy):
        yield hierarchy, path
