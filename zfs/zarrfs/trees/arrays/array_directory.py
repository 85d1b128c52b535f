"""An array as a directory of virtual files.

Listings show the documents, the array in each type of ``--show``, and ``slices/``. Other types (``data.png``) and any basic
selection open by name: ``[3,:,0:100].npy``, ``3,_,0-100.npy``, ``[time=3,y=0:100].raw``. ``data.vrt`` has all planes as bands; it
is listed with GeoTIFF files, which it refers to. Elements of variable length are in ``data.json`` and ``[0:10].json``, which also
open by name only, since their size is known only after decoding. An array has no children, so these names cannot collide with
nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from zarrcore.array import parse_selection
from zarrcore.errors import SelectionError, UnsupportedError
from zarrcore.filetypes import SUFFIXES, FileType, file_type, stack_as_vrt, suffix_of
from zarrcore.hierarchy import ArrayNode
from zarrfs.trees.arrays.decoded import DecodedFile
from zarrfs.trees.arrays.documents import DocumentFile, as_json
from zarrfs.trees.arrays.node_metadata import metadata_of
from zarrfs.trees.arrays.slices import Slices, plane_name
from zarrfs.trees.arrays.texts import Texts
from zarrfs.trees.entry import Directory, Entry
from zarrfs.trees.writing.array_editor import ArrayEditor
from zarrfs.trees.writing.editable import EditableFile

STACK: Final = "data.vrt"
"""The planes of an array as bands of a raster of GDAL."""
_PLANES: Final = file_type("tif")


class ArrayDirectory(Directory):
    """One array.

    Args:
        array: the array.
        mtime_s: when its document was written.
        shown: suffixes that listings show, if the array can have such a file.
        before_open: called before a decoded file is opened.
        texts: makes and keeps the texts of elements of variable length.
        editor: changes the array; None if the mount or the array is read-only.
        facts: returns what other nodes say about the array, for a type of files. Called with ``wait=False``, it raises
            WouldBlockError if that is not in memory.
        names: returns the names of its dimensions; ``wait`` as for the facts.
    """

    __slots__ = ("_array", "_before_open", "_editor", "_facts", "_names", "_shown", "_texts", "mtime_s")

    def __init__(
        self,
        array: ArrayNode,
        mtime_s: float | None,
        shown: tuple[str, ...],
        before_open: Callable[[], None],
        texts: Texts,
        editor: ArrayEditor | None,
        facts: Callable[[FileType, bool], Any],
        names: Callable[[bool], Sequence[str | None] | None],
    ) -> None:
        self._array = array
        self._editor = editor
        self._shown = shown
        self._before_open = before_open
        self._facts = facts
        self._names = names
        self._texts = texts
        self.mtime_s = mtime_s

    def lookup(self, name: str, wait: bool) -> Entry | None:
        if name == "slices":
            return self._slices()
        if name == "metadata.json":
            return DocumentFile(lambda: as_json(self._array.metadata_document()), self.mtime_s)
        if name == "attributes.json":
            return DocumentFile(lambda: as_json(self._array.attributes), self.mtime_s)
        if name == STACK:
            return self._stack(wait)
        is_text = self._array.data_type.is_variable_length
        suffix = suffix_of(name, ("json",) if is_text else SUFFIXES)
        text = name.removesuffix(f".{suffix}")
        if not suffix or not text or text != text.strip():
            return None
        try:
            names = self._names(wait) if "=" in text else None
            selection = () if text == "data" else parse_selection(text, names)
            if is_text:
                return self._texts.file(self._array, selection, self.mtime_s, wait)
            kind = file_type(suffix)
            if text == "data" and kind.is_editable and self._editor is not None:
                return EditableFile(self._array, suffix, self.mtime_s, self._before_open, self._editor)
            make = partial(kind.of_array, self._array, selection, self._facts(kind, wait))
            file = make()
            version = f"{self._array.path}/{name} {file.version}"
            return DecodedFile(make, version, self.mtime_s, self._before_open, file.size)
        except SelectionError:
            return None
        except UnsupportedError:
            if is_text:  # the file exists, but its text is too long
                raise
            return None

    @property
    def mode(self) -> int:
        return 0o555 if self._editor is None else 0o755

    def metadata(self, wait: bool) -> dict[str, Any]:
        return metadata_of(self._array)

    def set_metadata(self, name: str, value: bytes | None) -> None:
        if self._editor is None:
            super().set_metadata(name, value)
        else:
            self._editor.set_attribute(self._array, name, value)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        listed = [f"data.{suffix}" for suffix in self._shown]
        if _PLANES.suffix in self._shown:
            listed.append(STACK)
        for name in ("metadata.json", "attributes.json", *listed, "slices"):
            entry = self.lookup(name, wait=True)
            if entry is not None:
                yield name, entry

    @property
    def lists_at_once(self) -> bool:
        return not any(file_type(suffix).facts for suffix in self._shown)

    def _stack(self, wait: bool) -> Entry | None:
        """The text that refers to the GeoTIFF files of all planes; None if the array is no stack of them."""
        if self._array.data_type.is_variable_length:
            return None
        facts = self._facts(_PLANES, wait)
        source = partial(plane_name, self._array, f".{_PLANES.suffix}")
        # The text is as old as the facts: new ones make a new text.
        question = self._array.path, f"{STACK} {self._array.version} {facts.version}"
        make = partial(stack_as_vrt, self._array, facts, source)
        try:
            return self._texts.made(question, make, self._array.uri, self.mtime_s, wait)
        except UnsupportedError:
            return None

    def _slices(self) -> Entry | None:
        if self._array.data_type.is_variable_length:  # no file type can hold its planes
            return None
        slices = Slices(self._array, self.mtime_s, self._shown, self._before_open, self._facts)
        return slices.root() if slices.depth else None
