"""All elements of an array as a file that can be written in place."""

from __future__ import annotations

import errno
from collections.abc import Callable

import numpy as np
import pytest

import zarrcore as zc
from zarrcore.hierarchy import ArrayNode
from zarrcore.stores import MemoryStore
from zarrfs.trees.entry import WritableOpenFile
from zarrfs.trees.errors import RefusedError, WouldBlockError
from zarrfs.trees.writing.array_editor import ArrayEditor
from zarrfs.trees.writing.editable import EditableFile
from zarrfs.trees.writing.spool import SpoolMemory

VALUES = np.arange(12, dtype="<i2").reshape(3, 4)


@pytest.fixture
def array() -> ArrayNode:
    node = zc.create(MemoryStore()).create_array("/a", shape=VALUES.shape, dtype="int16", chunks=(2, 3))
    node[...] = VALUES
    return node


Open = Callable[[str], EditableFile]


@pytest.fixture
def file(array: ArrayNode) -> Open:
    """Opens the array as a file of one type; all these files share one editor."""
    editor = ArrayEditor(lambda: array.hierarchy, SpoolMemory(1 << 20))
    return lambda suffix: EditableFile(array, suffix, None, lambda: None, editor)


def content(opened: WritableOpenFile, offset: int = 0) -> bytes:
    return bytes(opened.read(offset, opened.size, True))


def test_written_data_is_visible_in_every_file_type_before_it_is_stored(array: ArrayNode, file: Open) -> None:
    raw, npy = file("raw").open_to_write(False, True), file("npy").open(True)
    header = npy.size - raw.size
    expected = bytearray(VALUES.tobytes())
    expected[5:9] = b"\1\2\3\4"
    assert raw.write(5, b"\1\2\3\4", True) == 4
    assert content(raw) == expected
    with pytest.raises(WouldBlockError):
        npy.read(0, 9, False)
    assert bytes(npy.read(header, 99, True)) == expected
    for start in (0, header - 3, header + 4, npy.size, npy.size + 5):
        assert bytes(npy.read(start, 999, True)) == (bytes(npy.read(0, header, True)) + expected)[start:]
    np.testing.assert_array_equal(array[...], VALUES)
    raw.store(closing=True)
    assert np.asarray(array[...]).tobytes() == expected
    raw.close()
    assert bytes(npy.read(header, 99, True)) == expected


def test_a_file_is_never_longer_or_shorter_than_its_array(array: ArrayNode, file: Open) -> None:
    opened = file("raw").open_to_write(False, True)
    with pytest.raises(RefusedError, match="/a has 24 bytes and cannot be made longer") as caught:
        opened.write(23, b"ab", True)
    assert caught.value.errno == errno.EFBIG
    for resize in (opened.resize, file("raw").resize):
        resize(24, True)
        with pytest.raises(RefusedError, match="its size cannot be changed") as caught:
            resize(25, True)
        assert caught.value.errno == errno.EPERM
    assert not opened.holds_changes
    opened.close()
    np.testing.assert_array_equal(array[...], VALUES)


def test_only_the_header_of_the_array_is_accepted(array: ArrayNode, file: Open) -> None:
    opened = file("npy").open_to_write(False, True)
    header = opened.size - VALUES.nbytes
    same = content(opened)[:header]
    opened.write(0, same, True)
    opened.write(header - 1, same[-1:] + b"\7", True)
    with pytest.raises(RefusedError, match="the header of /a describes the array") as caught:
        opened.write(header - 1, b"?\7", True)
    assert caught.value.errno == errno.EINVAL
    opened.store(closing=True)
    opened.close()
    assert np.asarray(array[...]).tobytes() == b"\7" + VALUES.tobytes()[1:]


def test_a_truncated_file_must_be_written_as_a_whole(array: ArrayNode, file: Open) -> None:
    opened = file("raw").open_to_write(True, True)
    assert (opened.holds_changes, opened.is_changed) == (True, False)
    opened.write(0, bytes(10), True)
    opened.write(20, bytes(4), True)
    opened.store(closing=False)
    with pytest.raises(RefusedError, match="only 10 of 24 bytes were written: the others are unchanged"):
        opened.store(closing=True)
    opened.write(8, bytes(12), True)
    with pytest.raises(RefusedError, match="only 20 of 24"):
        opened.store(closing=True)
    opened.write(20, bytes(4), True)
    opened.store(closing=True)
    assert not opened.holds_changes
    opened.close()
    assert not np.asarray(array[...]).any()


def test_changes_are_counted_for_every_open_file_of_the_array(file: Open) -> None:
    reader, writer = file("npy").open(True), file("raw").open_to_write(False, True)
    assert (reader.changes, writer.changes) == (0, 0)
    writer.write(0, b"\1", True)
    assert (reader.changes, writer.changes) == (1, 1)
    writer.store(closing=True)
    writer.close()
    assert reader.changes == 1


def test_an_empty_and_a_zero_dimensional_array_are_files() -> None:
    hierarchy = zc.create(MemoryStore())
    editor = ArrayEditor(lambda: hierarchy, SpoolMemory(0))
    empty = hierarchy.create_array("/empty", shape=(0, 3), dtype="int16", chunks=(1, 3))
    scalar = hierarchy.create_array("/scalar", shape=(), dtype="int16")
    opened = EditableFile(empty, "raw", None, lambda: None, editor).open_to_write(True, True)
    assert (opened.size, content(opened)) == (0, b"")
    opened.store(closing=True)
    opened.close()
    opened = EditableFile(scalar, "raw", None, lambda: None, editor).open_to_write(True, True)
    opened.write(0, b"\2\1", True)
    opened.store(closing=True)
    opened.close()
    assert scalar[...].item() == 0x0102
