"""All elements of an array as a file that can be written in place: ``data.raw`` and ``data.npy``."""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import partial

from zarrcore.filetypes import HeaderAndBody, virtual_file
from zarrcore.hierarchy import ArrayNode
from zarrfs.trees.arrays.decoded import DecodedFile, OpenDecoded
from zarrfs.trees.entry import BytesLike, OpenFile, WritableOpenFile
from zarrfs.trees.errors import RefusedError, WouldBlockError
from zarrfs.trees.writing.array_editor import ArrayEditor
from zarrfs.trees.writing.array_edits import ArrayEdits


class EditableFile(DecodedFile):
    """An array as a file of one type and of fixed size."""

    __slots__ = ("_editor", "_node")

    def __init__(
        self,
        array: ArrayNode,
        suffix: str,
        mtime_s: float | None,
        before_open: Callable[[], None],
        editor: ArrayEditor,
    ) -> None:
        super().__init__(partial(virtual_file, array, suffix=suffix), None, mtime_s, before_open)
        self._node = array
        self._editor = editor

    @property
    def mode(self) -> int:
        return 0o644

    def open(self, wait: bool) -> OpenFile:
        self._before_open()
        return OpenEditable(self._body(), self._node, self._editor)

    def open_to_write(self, truncate: bool, wait: bool) -> WritableOpenFile:
        edits = self._editor.open(self._node)
        return WrittenArray(self._body(), self._node, self._editor, edits, is_anew=truncate)

    def resize(self, nbytes: int, wait: bool) -> None:
        _refuse_size(self._node.path, nbytes, self.size)

    def _body(self) -> HeaderAndBody:
        file = self._make()
        if not isinstance(file, HeaderAndBody):  # pragma: no cover - both types of file are one
            raise TypeError(file.suffix)
        return file


class OpenEditable(OpenDecoded):
    """The open file. It includes written data that is not stored yet, since all handles share its pages."""

    def __init__(self, file: HeaderAndBody, array: ArrayNode, editor: ArrayEditor) -> None:
        super().__init__(file)
        self._array = array
        self._editor = editor
        self._start = len(file.header)

    @property
    def changes(self) -> int:  # type: ignore[override]
        return self._editor.changes(self._array.path)

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        if self._editor.edits(self._array) is None:
            return super().read(offset, nbytes, wait)
        if not wait:
            raise WouldBlockError
        return self.read_into(offset, memoryview(bytearray(max(0, min(nbytes, self.size - offset)))))

    def read_into(self, offset: int, buffer: memoryview) -> BytesLike:
        edits = self._editor.edits(self._array)
        if edits is None:
            return super().read_into(offset, buffer)
        while True:
            stored = edits.stored
            content = memoryview(super().read_into(offset, buffer))
            skipped = max(0, self._start - offset)
            edits.overlay(max(0, offset - self._start), content[skipped:])
            if stored == edits.stored:
                return content


class WrittenArray(OpenEditable, WritableOpenFile):
    """The file, open for writing.

    Args:
        file: the stored bytes.
        array: the array.
        editor: has the edits of all writers.
        edits: the written data.
        is_anew: whether all of it must be written, since the file was truncated to nothing first.
    """

    def __init__(
        self, file: HeaderAndBody, array: ArrayNode, editor: ArrayEditor, edits: ArrayEdits, *, is_anew: bool
    ) -> None:
        super().__init__(file, array, editor)
        self._header = file.header
        self._edits = edits
        self._missing_from = 0 if is_anew else self.size

    @property
    def holds_changes(self) -> bool:  # type: ignore[override]
        """Whether changes by any handle are not stored yet: the kernel may write a mapping's changes through any handle."""
        return bool(self._edits) or self._missing_from < self.size

    @property
    def is_changed(self) -> bool:  # type: ignore[override]
        """Whether written data is not stored yet."""
        return bool(self._edits)

    def write(self, offset: int, data: bytes, wait: bool) -> int:
        stop = offset + len(data)
        if stop > self.size:
            raise RefusedError(
                errno.EFBIG, f"{self._array.path} has {self.size} bytes and cannot be made longer"
            )
        header = self._header[offset:stop]
        if data[: len(header)] != header:
            raise RefusedError(
                errno.EINVAL, f"the header of {self._array.path} describes the array and cannot be changed"
            )
        if stop > self._start:
            self._edits.write(max(0, offset - self._start), data[len(header) :], wait)
        if offset <= self._missing_from:
            self._missing_from = max(stop, self._missing_from)
        return len(data)

    def resize(self, nbytes: int, wait: bool) -> None:
        _refuse_size(self._array.path, nbytes, self.size)

    def store(self, closing: bool) -> None:
        self._edits.store()
        if closing and self._missing_from < self.size:
            raise RefusedError(
                errno.EINVAL,
                f"{self._array.path} was truncated, and only {self._missing_from} of {self.size} bytes were written: "
                "the others are unchanged",
            )

    def close(self) -> None:
        self._editor.close(self._array.path, self._edits)


def _refuse_size(path: str, nbytes: int, size: int) -> None:
    if nbytes != size:
        raise RefusedError(errno.EPERM, f"{path} has {size} bytes, and its size cannot be changed")
