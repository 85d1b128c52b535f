"""Opening a hierarchy: store, format, nodes."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import partial
from typing import Any, Literal

from zarrcore.arguments import check_types, place_text
from zarrcore.array import ChunkCache
from zarrcore.array.reader import DEFAULT_MAX_CHUNK_BYTES, Missing, Verify
from zarrcore.errors import (
    HierarchyNotFoundError,
    ListingUnsupportedError,
    NodeExistsError,
    PlacedError,
    ReadOnlyError,
    SelectionError,
    UnsupportedError,
)
from zarrcore.formats import FORMATS, Format, detect_format, format_named, known_formats
from zarrcore.formats.detect import fetch_document, is_there, root_keys
from zarrcore.formats.interface import Documents
from zarrcore.formats.look import Look, look_at
from zarrcore.hierarchy.collections.collection import open_place, refuse_collection
from zarrcore.hierarchy.hierarchy import Hierarchy, HierarchyOptions
from zarrcore.hierarchy.node_loader import Seen
from zarrcore.hierarchy.store_hierarchy import StoreHierarchy
from zarrcore.metadata import GroupMetadata
from zarrcore.stores import open_store, split_uri
from zarrcore.stores.interface import ListableStore, ReadableStore
from zarrcore.stores.kinds import kind_of_folder, refuse_database_folder
from zarrcore.stores.wrapper.interface import writable
from zarrcore.stores.wrapper.prefix import PrefixStore

Mode = Literal["r", "r+", "a", "w", "w-"]

_MODES = ("r", "r+", "a", "w", "w-")
CREATING = {"a", "w", "w-"}


def open_hierarchy(
    source: str | os.PathLike[str] | ReadableStore,
    mode: Mode = "r",
    format: str | Format | None = None,  # noqa: A002 - the specification's word, and the option's
    *,
    chunk_cache: ChunkCache | None = None,
    metadata_max_age_s: float | None = None,
    max_chunk_bytes: int = DEFAULT_MAX_CHUNK_BYTES,
    believe_consolidated: bool | None = None,
    missing: Missing = "fill",
    verify: Verify = "needed",
    **store_options: Any,
) -> Hierarchy:
    """Open the hierarchy at a path or URL, or in a store; for reading also a `Collection` of hierarchies.

    Args:
        source: a path, a URL, or an open store.
        mode: "r" for reading; "r+" for writing too; "a" to make a hierarchy if there is none; "w" to make one, and
            erase an existing one; "w-" to make one only if there is none.
        format: the format's name; None detects it, and makes Zarr v3.
        chunk_cache: keeps decoded chunks; share one between hierarchies to bound them together.
        metadata_max_age_s: metadata read longer ago is read again; None keeps it until `Hierarchy.refresh`.
        max_chunk_bytes: chunks that decode to more are refused.
        believe_consolidated: whether to use consolidated metadata; by default, if the store is remote and
            the mode is "r".
        missing: how arrays read chunks that the store does not have, and inner chunks that a shard does not have: "fill"
            as fill values; "error" raises ChunkNotFoundError.
        verify: "needed" decodes only the needed part of a chunk where that is faster, so damage in the rest may go unseen;
            "always" decodes each chunk as a whole.
        store_options: as `zarrcore.stores.StoreOptions`, or ``storage_options`` with their names in fsspec.

    Raises:
        HierarchyNotFoundError: no hierarchy was found. Mode "r" also accepts a folder that contains hierarchies.
        WrongFormatError: the root has documents of another format, but none of ``format``. This is raised when the first
            node without documents is opened, not here.
        NodeExistsError: a hierarchy exists ("w-"), one of another format exists ("a"), or other data would be
            erased ("w").
        StoreError: the store cannot be reached or does not exist.
        UnsupportedError: ``format`` is unknown or read-only, or the mode, ``missing`` or ``verify``, is unknown.
        SelectionError: ``source`` is ``SOURCE#/path``, which names a node; or it would be made, and has the name of a
            file or a database. A slash at its end names a folder.
        ReadOnlyError: the store is read-only, a collection, or a folder of another kind, such as an Icechunk repository.
        TypeError: an unknown option, a value of another type, or ``store_options`` for an open store.

    >>> hierarchy = open_hierarchy("memory://open-hierarchy", "a")
    >>> hierarchy["g/a"] = [1, 2, 3]
    >>> [node.path for node in open_hierarchy("memory://open-hierarchy").walk()]
    ['/', '/g', '/g/a']
    """
    check_types("float | None", metadata_max_age_s=metadata_max_age_s)
    check_types("int", max_chunk_bytes=max_chunk_bytes)
    check_types("bool | None", believe_consolidated=believe_consolidated)
    if chunk_cache is not None and not isinstance(chunk_cache, ChunkCache):
        raise TypeError(f"chunk_cache: expected a ChunkCache or None, found {chunk_cache!r}")
    if mode not in _MODES:
        raise UnsupportedError("mode", str(mode), f"is unknown; known are {', '.join(_MODES)}")
    if missing not in ("fill", "error"):
        raise UnsupportedError("missing", str(missing), "is unknown; known are fill, error")
    if verify not in ("needed", "always"):
        raise UnsupportedError("verify", str(verify), "is unknown; known are needed, always")
    if isinstance(source, ReadableStore):
        store = source
        if store_options:
            raise TypeError(
                f"a store that is already open takes no options, found {', '.join(store_options)}"
            )
    else:
        refuse_node(source)
        source = place_text("source", source)
        if mode in CREATING:
            from zarrcore.stores.destination import check_destination  # late: readers make nothing

            check_destination(source)
            store_options["create"] = True
        store = open_store(source, **store_options)
    format = format or store.named_format  # noqa: A001 - as above
    wanted = None if format is None else format_named(format)
    is_named = wanted is not None and mode in {"r", "r+"}
    options = HierarchyOptions(
        chunk_cache,
        metadata_max_age_s,
        max_chunk_bytes,
        mode == "r",
        believe_consolidated,
        is_named,
        missing,
        verify,
    )
    if mode == "r" and wanted is None:
        return open_place(store, options)
    began_s = time.monotonic()
    found, root_documents, look = _find(store, wanted, mode)
    hierarchy = StoreHierarchy(
        store, found or wanted or Format.V3, options, seen=Seen(began_s, root_documents)
    )
    if mode != "r":
        writer = hierarchy.writer()  # report a read-only store now
        if mode in CREATING and found is None:
            writer.create("/", GroupMetadata(), look=look)
    return hierarchy


def refuse_node(source: str | os.PathLike[str]) -> None:
    """Refuse ``SOURCE#/path`` where a hierarchy is named: it would otherwise become the name of a folder.

    Raises:
        SelectionError: it names a node.
    """
    url, path = split_uri(place_text("source", source))
    if path is not None:
        raise SelectionError(f"{source} names a node, {path} in {url}: name the hierarchy alone here")


def create_hierarchy(
    source: str | os.PathLike[str] | ReadableStore,
    format: str | Format = "v3",  # noqa: A002 - as above
    *,
    overwrite: bool = False,
    **options: Any,
) -> Hierarchy:
    """Make an empty hierarchy and open it for writing.

    Args:
        source: a path, a URL, or an open store; a missing directory is made.
        format: the format's name.
        overwrite: erase an existing hierarchy.
        options: as `open_hierarchy`.

    Raises:
        As `open_hierarchy`.

    >>> hierarchy = create_hierarchy("memory://example")
    >>> array = hierarchy.create_array("/a/b", shape=(2, 3), dtype="int16")
    >>> array[:, 1] = 7
    >>> array[...].tolist(), [node.path for node in hierarchy.walk()]
    ([[0, 7, 0], [0, 7, 0]], ['/', '/a', '/a/b'])
    """
    check_types("bool", overwrite=overwrite)
    if "mode" in options:
        raise TypeError("create has no mode: overwrite=True erases an existing hierarchy")
    return open_hierarchy(source, "w" if overwrite else "w-", format, **options)


def hierarchy_above(store: ReadableStore, key: str) -> Hierarchy | None:
    """The outermost hierarchy in a folder above a key, for a store that is none itself; None if there is none.

    Raises:
        As `open_hierarchy`, except HierarchyNotFoundError.
    """
    folders = key.split("/")[:-1]
    for depth in range(1, len(folders) + 1):
        path = "/".join(folders[:depth])
        with suppress(HierarchyNotFoundError):
            below, began_s = PrefixStore(store, f"{path}/"), time.monotonic()
            found, documents = detect_format(below, known_formats())
            return StoreHierarchy(below, found, at=f"/{path}", seen=Seen(began_s, documents))
    return None


def _find(
    store: ReadableStore, wanted: Format | None, mode: Mode
) -> tuple[Format | None, Documents | None, Look | None]:
    """The format of the existing hierarchy, with its root's documents; None to make a new one, with a look at its place."""
    if wanted is not None and mode in {"r", "r+"}:
        try:
            return wanted.configure(partial(fetch_document, store), partial(is_there, store)), None, None
        except PlacedError as error:
            raise error.at(error.key, store.url) from error
    look = look_at_place(store, mode)
    if mode == "w":
        return None, None, None if erase_hierarchy(store, look) else look
    others = (other for other in known_formats() if other is not wanted)
    # If there are documents of several formats, the named format counts.
    formats = (*others,) if wanted is None else (wanted, *others)
    try:
        found, documents = detect_format(look, formats, partial(fetch_document, look))
    except HierarchyNotFoundError:
        _refuse_other_kind(store, look)
        refuse_collection(look)
        if mode == "r+":
            raise
        return None, None, look
    if documents is None and not found.prefix("/"):
        refuse_collection(look, found)
    if mode == "w-" or (wanted is not None and wanted.name != found.name):
        raise NodeExistsError("/", store.url, f"already exists, as a hierarchy of {found.title}")
    return found, documents, None


def _refuse_other_kind(store: ReadableStore, look: Look) -> None:
    """Refuse to write to a folder of another kind, such as an Icechunk repository: documents beside its keys would hide it.

    Raises:
        ReadOnlyError: it is one.
        StoreNotFoundError: it is a database.
    """
    if isinstance(look, ListableStore):
        with suppress(ListingUnsupportedError):
            if not look.has_prefix(""):
                return
    refuse_database_folder(store)
    kind = kind_of_folder(store)
    if kind is not None:
        article = "an" if kind.title[0] in "AEIOU" else "a"
        raise ReadOnlyError(
            f"{store.url} is {article} {kind.title}, which is read-only here: change a copy of it"
        )


def look_at_place(store: ReadableStore, mode: Mode = "w-") -> Look:
    """A look at the root of a store, where everything that this mode is likely to need is requested at once."""
    # An empty place is recognized by the absence of all documents and keys.
    return look_at(store, root_keys(FORMATS, old=mode in CREATING), ("",) if mode in {"w", "w-"} else ())


def erase_hierarchy(store: ReadableStore, look: Look) -> bool:
    """Erase an existing hierarchy with all its content, according to a look at the store; False if the place is empty.

    Only a document at the root makes a place a hierarchy: a folder that contains a hierarchy may contain other data,
    which must not be lost.

    Raises:
        NodeExistsError: the place holds other data.
        ReadOnlyError: the store is read-only.
    """
    try:
        _, documents = detect_format(look, known_formats(), partial(fetch_document, look))
    except HierarchyNotFoundError:
        documents = None
    if documents is not None:
        writable(store).erase_prefix("")
        return True
    if isinstance(look, ListableStore) and (entry := next(look.list_prefix(""), None)) is not None:
        raise NodeExistsError(
            "/", store.url, f"is not a hierarchy and is not overwritten: it holds {entry.key}, among others"
        )
    return False
