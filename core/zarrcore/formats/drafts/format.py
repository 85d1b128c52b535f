"""The common part of the drafts that keep documents and chunks in separate trees: all drafts except the last.

Draft of 16 October 2020, "Storage protocol". Each draft is a class that defines its keys; everything else is here and in the
modules beside this one. Drafts are read, never written: only old programs could read them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from zarrcore.errors import MetadataError, PlacedError
from zarrcore.formats.attributes import document_bytes
from zarrcore.formats.drafts.documents import KNOWN_EXTENSIONS, parse_draft_array, parse_draft_group
from zarrcore.formats.drafts.entry_point import (
    EntryPoint,
    Form,
    form_of,
    ignored_extensions,
    is_entry_point,
    parse_entry_point,
)
from zarrcore.formats.drafts.keys import KINDS, DraftKeys
from zarrcore.formats.interface import Documents, Format
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, GroupMetadata, JsonObject, NodeMetadata
from zarrcore.metadata.json_document import describe, parse_json_object

ENTRY_POINT_KEY = "zarr.json"
TEXTS = "https://github.com/zarr-developers/zarr-specs/blob"
"""Where the texts of all drafts are, by commit."""


class DraftFormat(Format):
    """Documents in one tree of keys, chunks in another, and an entry point for both.

    Attributes:
        key_variants: the possible keys, the usual ones first.
        forms: forms of entry points, with the chunk key encoding of each.
        ignores_unknown: whether a reader may ignore unknown members.
        entry_point: the entry point of the hierarchy; without one, the usual values.
        keys: the keys of the hierarchy.
    """

    implicit_groups = True
    empty_groups = False
    key_variants: ClassVar[tuple[DraftKeys, ...]]
    forms: ClassVar[tuple[tuple[Form, ChunkKeyEncoding], ...]]
    ignores_unknown: ClassVar[bool] = True

    def __init__(self, entry_point: EntryPoint | None = None, keys: DraftKeys | None = None) -> None:
        form = self.forms[0][0]
        usual = EntryPoint(form, ".json" if form in (Form.SUFFIX, Form.OBJECT) else "")
        self.entry_point = entry_point or usual
        self.keys = keys or self.key_variants[0]

    def configure(self, get: Callable[[str], bytes | None], is_there: Callable[[str], bool]) -> Format:
        data = get(ENTRY_POINT_KEY)
        if data is None:
            return self
        try:
            entry_point = parse_entry_point(parse_json_object(data))
        except PlacedError as error:
            raise error.at(ENTRY_POINT_KEY) from error
        first, *others = (type(self)(entry_point, keys) for keys in self.key_variants)
        # If the entry point does not decide, the documents' keys do.
        if others and not any(map(get, first.document_keys("/")[: len(KINDS)])):
            for other in others:
                if any(map(get, other.document_keys("/")[: len(KINDS)])) or is_there(other.prefix("/")):
                    return other
        return first

    @property
    def deciding_keys(self) -> tuple[str, ...]:
        return (ENTRY_POINT_KEY,)

    def detect(self, get: Callable[[str], bytes | None], is_there: Callable[[str], bool]) -> Format | None:
        return self.configure(get, is_there) if self._is_form_of(get(ENTRY_POINT_KEY)) else None

    def _is_form_of(self, entry_point: bytes | None) -> bool:
        if entry_point is None:
            return False
        try:
            document = parse_json_object(entry_point)
        except MetadataError:
            return False
        return is_entry_point(document) and form_of(document) in dict(self.forms)

    def document_keys(self, path: str) -> tuple[str, ...]:
        keys = self.keys.document_keys(path, self.entry_point.suffix)
        return (*keys, ENTRY_POINT_KEY) if path == "/" else keys

    def fetch(self, get: Callable[[str], bytes | None], path: str) -> Documents:
        array_key, group_key, *others = self.document_keys(path)
        array = get(array_key)
        return array, get(group_key) if array is None else None, *map(get, others)

    def claims(self, documents: Documents) -> bool:
        return len(documents) > len(KINDS) and self._is_form_of(documents[-1])

    def parse(self, documents: Documents) -> NodeMetadata | None:
        array, group, *entry_point = documents
        if array is not None:
            keys, strict = self.default_chunk_key_encoding(), not self.ignores_unknown
            return parse_draft_array(parse_json_object(array), keys, strict=strict)
        if group is not None:
            return parse_draft_group(parse_json_object(group), strict=not self.ignores_unknown)
        return GroupMetadata() if any(entry_point) else None

    def default_chunk_key_encoding(self) -> ChunkKeyEncoding:
        return dict(self.forms).get(self.entry_point.form, self.forms[0][1])

    def leaves_keys_open(self, metadata: ArrayMetadata) -> bool:
        return metadata.chunk_key_encoding.name == "draft"

    def resolve(self, path: str, metadata: ArrayMetadata, is_there: Callable[[str], bool]) -> ArrayMetadata:
        if not self.leaves_keys_open(metadata):
            return metadata
        keys, prefix = metadata.chunk_key_encoding, self.chunk_prefix(path)
        if path == "/" and is_there(prefix + "/"):  # zarrita of 2020 wrote two slashes
            prefix, keys = prefix + "/", replace(keys, lead="/c")
        if not metadata.shape and not is_there(prefix + "c") and is_there(prefix + "c0"):
            keys = replace(
                keys, lead=keys.lead + "0"
            )  # zarr-python could not name the chunk of an array without dimensions
        return replace(metadata, chunk_key_encoding=keys)

    def ignored(self, documents: Documents) -> tuple[str, ...]:
        named: tuple[str, ...] = self.entry_point.ignored if len(documents) > len(KINDS) else ()
        for document in documents[: len(KINDS)]:
            if document is not None:
                named += ignored_extensions(parse_json_object(document), KNOWN_EXTENSIONS)
        return tuple(dict.fromkeys(named))

    def stored_documents(self, documents: Documents) -> JsonObject:
        found = next((document for document in documents if document is not None), None)
        return {} if found is None else parse_json_object(found)

    def normalize(self, documents: Documents) -> JsonObject:
        return self.stored_documents(documents[: len(KINDS)])

    def split_documents(self, told: JsonObject) -> Documents:
        document = document_bytes(told)
        return (document, None) if "shape" in told else (None, document)

    def consolidated_documents(
        self, get: Callable[[str], bytes | None], root: Documents
    ) -> dict[str, JsonObject] | None:
        key = self.consolidated_key
        stored = get(key) if key else None
        if stored is None:
            return None
        entries = parse_json_object(stored).get("metadata")
        if not isinstance(entries, dict):
            raise MetadataError(f"expected an object, found {describe(entries)}", member="metadata", key=key)
        paths = ((self.keys.path_of(key, self.entry_point.suffix), entry) for key, entry in entries.items())
        return {path: entry for path, entry in paths if path is not None and isinstance(entry, dict)}

    def prefix(self, path: str) -> str:
        return self.keys.prefix(path)

    def chunk_prefix(self, path: str) -> str:
        return self.keys.chunk_prefix(path)

    def is_document_key(self, key: str) -> bool:
        is_document = key == ENTRY_POINT_KEY or self.keys.path_of(key, self.entry_point.suffix) is not None
        return is_document or super().is_document_key(key)

    def child_name(self, name: str, is_prefix: bool) -> str | None:
        if is_prefix:
            return name if self.may_name_node(name) else None
        for kind in KINDS:
            end = f".{kind}{self.entry_point.suffix}"
            if name.endswith(end) and self.may_name_node(name.removesuffix(end)):
                return name.removesuffix(end)
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DraftFormat) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.__reduce__())

    def __reduce__(self) -> tuple[object, tuple[EntryPoint, DraftKeys]]:
        return type(self), (self.entry_point, self.keys)
