"""The format of a collection's own prefixes, which have none."""

from __future__ import annotations

from typing import Any

from zarrcore.formats.interface import Documents, Format
from zarrcore.metadata import JsonObject, NodeMetadata


class CollectionFormat(Format):
    """A placeholder for no format: prefixes, with hierarchies below them."""

    name = "collection"
    title = "Collection of hierarchies"
    specification = ""
    implicit_groups = True

    def document_keys(self, path: str) -> tuple[str, ...]:
        return (path[1:],)

    def claims(self, documents: Documents) -> bool:
        return False

    def parse(self, documents: Documents) -> NodeMetadata | None:
        return None

    def stored_documents(self, documents: Documents) -> JsonObject:
        return {}

    def __reduce__(self) -> tuple[object, tuple[Any, ...]]:
        return _collection_format, ()


COLLECTION = CollectionFormat()


def _collection_format() -> Format:
    return COLLECTION
