"""A format: ``plain.json`` holds a shape; one value holds all elements, in C order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zarrcore.formats.interface import Format
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, NamedConfiguration, RegularChunkGrid
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.fill_value import zero
from zarrcore.metadata.json_document import parse_json_object


class PlainFormat(Format):
    name = "plain"
    title = "Plain arrays"
    specification = "https://example.org/plain"
    implicit_groups = False

    def document_keys(self, path: str) -> tuple[str, ...]:
        return (self.prefix(path) + "plain.json",)

    def claims(self, documents: Sequence[Any]) -> bool:
        return documents[0] is not None

    def stored_documents(self, documents: Sequence[Any]) -> dict[str, Any]:
        return {} if documents[0] is None else parse_json_object(documents[0])

    def parse(self, documents: Sequence[Any]) -> ArrayMetadata | None:
        if documents[0] is None:
            return None
        shape = tuple(parse_json_object(documents[0])["shape"])
        data_type = parse_data_type("uint8", "type")
        return ArrayMetadata(
            shape=shape,
            data_type=data_type,
            chunk_grid=RegularChunkGrid(shape),
            chunk_key_encoding=ChunkKeyEncoding("v2", "."),
            fill_value=zero(data_type.dtype),
            codecs=(NamedConfiguration("bytes", {}),),
        )
