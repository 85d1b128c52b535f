"""Checks of a node's documents: content that readers interpret differently.

A document that cannot be read makes a `BrokenNode`. These checks find valid content that other readers misread.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final

import numpy as np

from zarrcore.errors import InternalError, MetadataError, PlacedError, StoreError, UnsupportedError, ZarrError
from zarrcore.formats import FORMATS, Format
from zarrcore.formats.detect import fetch_document
from zarrcore.formats.drafts.accepted_terms import is_of_february_2023
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode
from zarrcore.metadata import ArrayMetadata, JsonObject
from zarrcore.metadata.data_type import has_byte_order
from zarrcore.operations.check.finding import Finding

_INDEX_DTYPE: Final = np.dtype("u8")
"""The type of the numbers in the index of a shard."""
_SHORT: Final = 40
"""A value up to this length is reported."""


def check_node(node: AnyNode) -> Iterator[Finding]:
    """What is wrong with the documents of one node."""
    if isinstance(node, BrokenNode):
        kinds: dict[type[ZarrError], str] = {
            StoreError: "unreadable",
            UnsupportedError: "unsupported",
            InternalError: "internal-error",
        }
        what = next((what for kind, what in kinds.items() if isinstance(node.error, kind)), "broken-document")
        error = (
            node.error.at("") if isinstance(node.error, PlacedError) else node.error
        )  # the key is reported beside it
        yield Finding("error", what, node.path, str(error), node.metadata_key)
    elif isinstance(node, ArrayNode):
        yield from _words_of_old(node)
        with suppress(StoreError):  # which the check of the chunks reports
            yield from _separator_not_named(node)
            yield from _keys_of_a_draft(node)
    yield from _array_and_group(node)


def _words_of_old(array: ArrayNode) -> Iterator[Finding]:
    """A document that zarrcore understands although it is not accepted Zarr v3."""
    if array.hierarchy.format.name != "v3":
        return
    document = array.stored_document()
    if is_of_february_2023(document):
        sentence = "the document follows the draft of February 2023: other readers refuse it"
        yield Finding("warning", "document-of-a-draft", array.path, sentence, array.metadata_key)
        return
    for member in ("chunk_key_encoding", "fill_value"):
        if member not in document:
            sentence = (
                f"the document lacks {member!r}; it is read as the default, and other readers refuse it"
            )
            yield Finding("warning", "member-not-named", array.path, sentence, array.metadata_key)
    stored = document.get("codecs")
    if not isinstance(stored, list) or len(stored) < len(array.codecs):
        sentence = "the document names no array → bytes codec; it is read as 'bytes', little-endian, and others may refuse it"
        yield Finding("warning", "codecs-not-named", array.path, sentence, array.metadata_key)
    elif _lacks_byte_order(stored, array.dtype):
        sentence = "the codec 'bytes' does not state 'endian'; it is read as little-endian, and other readers refuse it"
        yield Finding("warning", "byte-order-not-named", array.path, sentence, array.metadata_key)


def _lacks_byte_order(codecs: list[Any], dtype: np.dtype[Any]) -> bool:
    """Whether codecs of accepted Zarr v3 do not state the order of bytes where an element has several."""
    for codec in codecs:
        name = codec.get("name") if isinstance(codec, dict) else codec
        configuration = codec.get("configuration", {}) if isinstance(codec, dict) else {}
        if name == "bytes" and has_byte_order(dtype) and "endian" not in configuration:
            return True
        if name == "sharding_indexed" and (
            _lacks_byte_order(configuration.get("codecs", []), dtype)
            or _lacks_byte_order(configuration.get("index_codecs", []), _INDEX_DTYPE)
        ):
            return True
    return False


def _separator_not_named(array: ArrayNode) -> Iterator[Finding]:
    """A separator that only the stored keys show; other readers silently return fill values."""
    told, separator = array.metadata.chunk_key_encoding, array.chunk_key_encoding.separator
    if not told.is_told and separator != told.separator:
        sentence = f"the document does not state the separator of chunk keys, {separator!r}: other readers find no chunks"
        yield Finding("warning", "separator-not-named", array.path, sentence, array.metadata_key)


def _keys_of_a_draft(array: ArrayNode) -> Iterator[Finding]:
    """A chunk key encoding that only the stored keys show; other readers silently return fill values."""
    keys = array.chunk_key_encoding
    if array.hierarchy.format.name == "v3" and keys.name == "draft":
        sentence = f"chunk keys are those of a draft, {keys.encode((0,) * array.ndim)!r}: other readers find no chunks"
        yield Finding("warning", "keys-of-a-draft", array.path, sentence, array.metadata_key)


def _array_and_group(node: AnyNode) -> Iterator[Finding]:
    """One path with the documents of both an array and a group; the array wins."""
    format_, store = node.hierarchy.format, node.hierarchy.store
    keys = format_.document_keys(node.path)[:2]  # nothing depends on a third one
    if len(keys) < 2:
        return
    kinds: dict[bool, str] = {}
    for position, key in enumerate(keys):
        try:
            document = node.documents[position] or fetch_document(store, key)
        except StoreError:
            continue  # the node itself was read, so this is reported where it matters
        alone = tuple(document if i == position else None for i in range(len(node.documents)))
        if document is not None and (is_array := _is_array(format_, alone)) is not None:
            kinds.setdefault(is_array, key)
    if len(kinds) == 2:
        sentence = f"{kinds[True]} makes it an array and {kinds[False]} a group; it is read as the array"
        yield Finding("warning", "array-and-group", node.path, sentence, kinds[False])


def _is_array(format_: Format, documents: tuple[bytes | None, ...]) -> bool | None:
    try:
        metadata = format_.parse(documents)
    except ZarrError:
        return None
    return None if metadata is None else isinstance(metadata, ArrayMetadata)


def foreign_keys(format_: Format, path: str) -> dict[str, Format]:
    """The keys at which another format would have a document of the node at ``path``."""
    own = set(format_.document_keys(path))
    return {
        key: other
        for other in FORMATS
        if other.name != format_.name
        for key in other.document_keys(path)
        if key not in own
    }


def check_other_formats(node: AnyNode, found: set[str]) -> Iterator[Finding]:
    """Whether this node also has documents of other formats; ``found`` are keys of such documents."""
    hierarchy = node.hierarchy
    for other in FORMATS:
        keys = found.intersection(other.document_keys(node.path))
        if other.name == hierarchy.format.name or not keys:
            continue
        documents = other.fetch(partial(fetch_document, hierarchy.store), node.path)
        if other.claims(documents):
            sentence = (
                f"there is also a document of {other.title}; the node is read as {hierarchy.format.title}"
            )
            yield Finding("warning", "several-formats", node.path, sentence, min(keys))


def _differences(consolidated: JsonObject, own: JsonObject) -> Iterator[str]:
    """The members that differ, with their values if these are short: also those of attributes and of version 2's documents."""
    for name in sorted(own.keys() | consolidated.keys()):
        stale, true = consolidated.get(name), own.get(name)
        if stale == true:
            continue
        is_several = name.startswith(".") or name == "attributes"
        if is_several and isinstance(stale, dict) and isinstance(true, dict):
            yield from _differences(stale, true)
            continue
        texts = json.dumps(stale), json.dumps(true)
        is_short = name in consolidated and name in own and max(map(len, texts)) <= _SHORT
        yield f"{name} ({texts[0]}, not {texts[1]})" if is_short else name


class Consolidated:
    """The root's consolidated metadata, compared with the nodes' own documents, which decide.

    Args:
        node: the root.
    """

    def __init__(self, node: AnyNode) -> None:
        self._documents: dict[str, JsonObject] | None = None
        self._error: MetadataError | None = None
        hierarchy = node.hierarchy
        try:
            get = partial(fetch_document, hierarchy.store)
            self._documents = hierarchy.format.consolidated_documents(get, node.documents)
        except MetadataError as error:
            if not isinstance(node, BrokenNode):  # which is reported already, and may be the same document
                self._error = error

    def check_node(self, node: AnyNode) -> Iterator[Finding]:
        """Whether the consolidated metadata of a node equals its own documents."""
        if self._documents is None:
            return
        if isinstance(node, BrokenNode):  # neither it nor what is below it is known
            self.skip(node.path)
            return
        if not any(node.documents):
            return
        consolidated = self._documents.pop(node.path, None)
        try:
            own = node.hierarchy.format.normalize(node.documents)
        except MetadataError:
            return
        if consolidated is None:
            if node.path != "/":
                yield self._stale(node.path, "the consolidated metadata does not include it")
        elif consolidated != own:
            differ = ", ".join(_differences(consolidated, own))
            yield self._stale(node.path, f"the consolidated metadata differs in {differ}")

    def skip(self, path: str) -> None:
        """Do not report a node, and those below it, as missing: they could not be read, or listed."""
        below = f"{path.rstrip('/')}/"
        self._documents = self._documents and {
            known: document
            for known, document in self._documents.items()
            if known != path and not known.startswith(below)
        }

    def names(self, path: str) -> list[str]:
        """The names directly below a path."""
        below = f"{path.rstrip('/')}/"
        found = (known[len(below) :] for known in self._documents or () if known.startswith(below))
        return [*dict.fromkeys(rest.partition("/")[0] for rest in found if rest)]

    def check_missing(self, path: str) -> Iterator[Finding]:
        """Whether it includes a node that does not exist."""
        if path in (self._documents or ()):
            yield self._stale(path, "the consolidated metadata includes it, but the node does not exist")

    def check_rest(self) -> Iterator[Finding]:
        """Whether it includes nodes that do not exist; call this after all nodes."""
        if self._error is not None:
            yield Finding("warning", "stale-consolidated", "/", f"consolidated metadata: {self._error}")
        for path in self._documents or ():
            yield from self.check_missing(path)

    @staticmethod
    def _stale(path: str, sentence: str) -> Finding:
        return Finding(
            "warning",
            "stale-consolidated",
            path,
            f"{sentence}: readers that use it get wrong metadata (consolidate again)",
        )
