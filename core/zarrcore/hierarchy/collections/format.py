"""What stands in a collection for the format that its prefixes have none of."""

from __future__ import annotations

from typing import Any

from zarrcore.formats.interface import Documents, Format
from zarrcore.metadata import JsonObject, NodeMetadata


class CollectionFormat(Format):
    """No format at all: prefixes, and below them hierarchies that have one."""

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
