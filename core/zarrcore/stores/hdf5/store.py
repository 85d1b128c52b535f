"""An HDF5 or NetCDF-4 file in any store, as the keys of a Zarr v3 hierarchy."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from typing import Any, Final

import numpy as np

from zarrcore.errors import StoreError
from zarrcore.stores.hdf5.dataset import Dataset
from zarrcore.stores.hdf5.elements import UnshownError, number_type, references_in
from zarrcore.stores.hdf5.file import Found, Hdf5File
from zarrcore.stores.interface import BytesLike, NodeReferences, StoreEntry
from zarrcore.stores.keys import check_prefix
from zarrcore.stores.virtual.file_reader import BrokenFileError
from zarrcore.stores.virtual.parsed_file import PARSING_ERRORS, FileVersion, ParsedFile
from zarrcore.stores.virtual.store import Part

_OF_NETCDF: Final = {"_NCProperties", "_nc3_strict"}
"""Attributes that the library of NetCDF-4 gives to the root, the first one since version 4.4.1."""


class Hdf5Store(ParsedFile[Hdf5File]):
    """The objects of an HDF5 file as groups and arrays. Nothing is read before the first request.

    Structures are read through blocks that are kept, and the index of a dataset's chunks when one of them is asked for. If the
    file is replaced, it is read again.
    """

    presents = "HDF5"

    def read_content(self) -> tuple[Hdf5File, FileVersion]:
        reader = self.take_reader()
        file = Hdf5File(reader)
        # A file that a program may be writing has a new version at each write.
        version = None if self.is_remote and reader.is_changing else reader.version
        return file, FileVersion(reader.nbytes, version)

    def warnings(self) -> list[str]:
        parsed = self._parsed
        return [parsed[0].note] if parsed is not None and parsed[0].note else []

    def release(self, content: Hdf5File) -> None:
        content.others.close()

    def dataset(self, path: str) -> Dataset | None:
        """The dataset at a path, with what no document of Zarr says; None if there is none.

        Raises:
            StoreError: the store failed.
        """
        return self.content.dataset(path.strip("/"))

    def attribute_type(self, path: str, name: str) -> np.dtype[Any] | None:
        """The type of the number that an attribute of a dataset holds, which JSON does not say; None if it holds none.

        Raises:
            StoreError: the store failed.
        """
        found = self.content.find(path.strip("/"))
        told = None if found is None or found.node is None else found.node.attributes.get(name)
        return None if told is None or told.shape not in ((), (1,)) else number_type(told.type)

    def object_identity(self, path: str) -> Hashable:
        found = self.content.find(path.strip("/"))
        node = None if found is None else found.node
        return node.identity if node is not None and node.is_dataset else None

    def references(self, path: str) -> NodeReferences:
        file = self.content
        found = file.find(path.strip("/"))
        if found is None or found.node is None or found.node.file is not file:
            return NodeReferences()  # those of another file, which a link leads to, are paths there
        try:
            elements = dict(references_in(found.node.dataset.type)) if found.node.is_dataset else {}
            attributes = {
                (name, *fields): is_region
                for name, one in found.node.attributes.items()
                for fields, is_region in references_in(one.type)
            }
        except StoreError:
            raise
        except PARSING_ERRORS as error:
            raise self._fault(path, error) from error
        return NodeReferences(elements, attributes)

    def find(self, key: str) -> BytesLike | Part | None:
        path, _, last = key.rpartition("/")
        if last == "zarr.json":
            file = self.content
            found = file.find(path)
            if found is None:
                return None
            document = file.document(path, found)
            is_readable_root = not path and document["node_type"] == "group"
            if is_readable_root and found.node is not None and _OF_NETCDF & found.node.attributes.keys():
                self.presents = "NetCDF-4"
            return json.dumps(document).encode()
        place = _chunk_of(key)
        if place is None:
            return None
        path, index = place
        file = self.content
        found = file.find(path)
        if found is None or found.node is None or not found.node.is_dataset:
            return None
        try:
            dataset = found.node.dataset
            if len(index) != dataset.ndim:
                return None
            file.used(dataset)
            value = dataset.chunk(index)
        except StoreError:
            raise
        except PARSING_ERRORS as error:
            raise self._fault(key, error) from error
        return None if value is None else self._combined(value)

    def _combined(self, value: bytes | Part) -> bytes | Part:
        """A chunk whose bytes are requested together with those of its neighbours, if the file is remote."""
        if isinstance(value, Part) and value.store is self.source and value.key == self.key:
            return value._replace(store=self.reads)
        return value

    def _fault(self, key: str, error: BaseException) -> StoreError:
        what = (
            str(error)
            if isinstance(error, BrokenFileError | UnshownError)
            else f"{type(error).__name__}: {error}"
        )
        return StoreError(f"{key} of {self.url} cannot be read: {what}", key=key, url=self.url)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        file = self.content
        path = prefix.rstrip("/")
        found = file.find(path)
        if found is not None:
            yield StoreEntry(f"{prefix}zarr.json")
            if found.node is not None and found.node.is_dataset:
                yield from self._top_chunk(prefix, found)
            for name in sorted(file.children(found)):
                yield StoreEntry(f"{prefix}{name}/")
            return
        yield from self._below(prefix)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        file = self.content
        found = file.find(prefix.rstrip("/"))
        if found is None:
            for key, nbytes in self._chunk_keys(prefix):
                if key.startswith(prefix):
                    yield StoreEntry(key, nbytes)
            return
        yield StoreEntry(f"{prefix}zarr.json")
        if found.node is not None and found.node.is_dataset:
            for key, nbytes in self._chunk_keys(f"{prefix}c/"):
                yield StoreEntry(key, nbytes)
        for name in sorted(file.children(found)):
            yield from self.list_prefix(f"{prefix}{name}/")

    def values_below(self, prefix: str) -> Iterator[tuple[str, BytesLike | Part]]:
        file = self.content
        found = file.find(prefix.rstrip("/"))
        if found is None or found.node is None or not found.node.is_dataset:
            yield from super().values_below(prefix)
            return
        document = f"{prefix}zarr.json"
        yield document, json.dumps(file.document(prefix.rstrip("/"), found)).encode()
        try:
            dataset = found.node.dataset
            file.used(dataset)
            for index, value in dataset.values():
                key = "/".join((f"{prefix}c", *map(str, index)))
                yield key, self._combined(value)
        except StoreError:
            raise
        except PARSING_ERRORS as error:
            raise self._fault(prefix, error) from error

    def _top_chunk(self, prefix: str, found: Found) -> Iterator[StoreEntry]:
        for key, nbytes in self._chunk_keys(f"{prefix}c/"):
            yield StoreEntry(f"{prefix}c/") if key != f"{prefix}c" else StoreEntry(key, nbytes)
            return

    def _below(self, prefix: str) -> Iterator[StoreEntry]:
        last = None
        seen = set()
        for key, nbytes in self._chunk_keys(prefix):
            if not key.startswith(prefix):
                continue
            name, slash, _ = key[len(prefix) :].partition("/")
            if not slash:
                yield StoreEntry(key, nbytes)
            elif name != last and name not in seen:
                last = name
                seen.add(name)
                yield StoreEntry(f"{prefix}{name}/")

    def _chunk_keys(self, prefix: str) -> Iterator[tuple[str, int | None]]:
        """The keys of the chunks of the array whose chunks have a prefix, with their sizes if they are known."""
        place = _chunk_of(prefix.rstrip("/"))
        if place is None:
            return
        path = place[0]
        file = self.content
        found = file.find(path)
        if found is None or found.node is None or not found.node.is_dataset:
            return
        top = f"{path}/c" if path else "c"
        try:
            dataset = found.node.dataset
        except StoreError:
            raise
        except PARSING_ERRORS:
            return  # it is shown as a node that cannot be read, which has no chunks
        try:
            file.used(dataset)
            for index, nbytes in dataset.chunks():
                yield "/".join((top, *map(str, index))), nbytes
        except StoreError:
            raise
        except PARSING_ERRORS as error:
            raise self._fault(prefix, error) from error


def _chunk_of(key: str) -> tuple[str, tuple[int, ...]] | None:
    """The path of the array that a chunk's key names, and the index of the chunk.

    >>> _chunk_of("a/b/c/0/12"), _chunk_of("a/c"), _chunk_of("a/b")
    (('a/b', (0, 12)), ('a', ()), None)
    """
    segments = key.split("/")
    at = len(segments) - 1
    while at > 0 and segments[at].isascii() and segments[at].isdigit():
        if (len(segments[at]) > 1 and segments[at][0] == "0") or len(segments[at]) > 19:
            return None
        at -= 1
    if segments[at] != "c":
        return None
    return "/".join(segments[:at]), tuple(int(segment) for segment in segments[at + 1 :])
