"""The base of virtual stores that show a file as one group of arrays, without groups below."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator
from typing import Final

from zarrcore.stores.interface import StoreEntry
from zarrcore.stores.keys import check_prefix
from zarrcore.stores.virtual.parsed_file import Content, ParsedFile

DOCUMENT: Final = "zarr.json"


class FlatFile(ParsedFile[Content]):
    """A file that is listed as a group of arrays with their chunks."""

    @abstractmethod
    def array_names(self) -> Collection[str]:
        """The names of the arrays."""

    @abstractmethod
    def chunk_entries(self, name: str, prefix: str) -> Iterator[StoreEntry]:
        """The chunks of an array whose keys begin with ``prefix``."""

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        names = self.array_names()
        if not prefix:
            yield StoreEntry(DOCUMENT)
            yield from (StoreEntry(f"{name}/") for name in names)
            return
        name = prefix.partition("/")[0]
        if name not in names:
            return
        is_array = prefix == f"{name}/"
        if is_array:
            yield StoreEntry(f"{name}/{DOCUMENT}")
        seen = set()
        for entry in self.chunk_entries(name, prefix):
            part, slash, _ = entry.key[len(prefix) :].partition("/")
            if not slash:
                yield entry
            elif part not in seen:
                seen.add(part)
                yield StoreEntry(f"{prefix}{part}/")
                if is_array:
                    return  # all chunks are below ``c``

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        if not prefix:
            yield StoreEntry(DOCUMENT)
        above = prefix.partition("/")[0]
        for name in self.array_names():
            if f"{name}/".startswith(prefix):
                yield StoreEntry(f"{name}/{DOCUMENT}")
            if not prefix or name == above:
                yield from self.chunk_entries(name, prefix)
