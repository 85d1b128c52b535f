"""Directories of TIFF files: their entries, and the numbers that differ between pages."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
import tifffile

from zarrcore.filetypes.records import Linear
from zarrcore.filetypes.tiff.directories import (
    HEADER_NBYTES,
    chained,
    description_entry,
    directories,
    directory_nbytes,
    file_header,
    page_entries,
    shorts,
    strip_entries,
)

Entries = dict[int, tuple[int, int, bytes]]


def parsed(directory: bytes) -> tuple[Entries, int]:
    """The entries by tag, in their order, and the offset of the next directory."""
    (count,) = struct.unpack_from("<Q", directory)
    found = [struct.unpack_from("<HHQ8s", directory, 8 + 20 * place) for place in range(count)]
    (following,) = struct.unpack_from("<Q", directory, 8 + 20 * count)
    return {tag: (kind, length, value) for tag, kind, length, value in found}, following


def test_entries_are_sorted_by_tag_and_padded_to_8_bytes() -> None:
    entries = [shorts(300, 1, 2, 3, 4), shorts(256, 7)]
    content = bytes(directories(entries, Linear(99)).read(0, 999))
    assert len(content) == directory_nbytes(2) == 56
    found, following = parsed(content)
    assert [*found] == [256, 300]
    assert following == 99
    assert found[300] == (3, 4, struct.pack("<4H", 1, 2, 3, 4))
    assert len(bytes(directories(entries[:1], Linear(0)).read(0, 999))) == directory_nbytes(1) == 40


def test_each_page_has_its_own_numbers() -> None:
    entries = [shorts(256, 7), *strip_entries(5, 10, Linear(1000, 10))]
    content = bytes(directories(entries, Linear(500, 50), 3).read(0, 999))
    nbytes = directory_nbytes(len(entries))
    assert len(content) == 3 * nbytes
    for page in range(3):
        found, following = parsed(content[page * nbytes :])
        assert struct.unpack("<Q", found[273][2]) == (1000 + 10 * page,)
        assert following == 500 + 50 * page


def test_pages_after_the_first_one_refer_to_each_other() -> None:
    entries = strip_entries(5, 10, Linear(1000, 10))
    file, nbytes = chained(entries, 2000, 3), directory_nbytes(3)
    content = bytes(file.read(0, file.size))
    found = [parsed(content[page * nbytes :]) for page in range(3)]
    assert [struct.unpack("<Q", one[273][2])[0] for one, _ in found] == [1010, 1020, 1030]
    assert [following for _, following in found] == [2000 + nbytes, 2000 + 2 * nbytes, 0]
    assert chained(entries, 2000, 0).size == 0


@pytest.mark.parametrize(
    ("resolution", "down", "right", "unit"),
    [
        ((2.5, 10_000.0), (5, 2), (10_000, 1), 3),
        ((1e-8, 1e8), (1, 10**8), (10**8, 1), 3),
        ((1e-10, 5.0), (1, 1), (1, 1), 1),
        ((5.0, 1e10), (1, 1), (1, 1), 1),
        (None, (1, 1), (1, 1), 1),
    ],
)
def test_a_resolution_that_two_integers_express_is_per_centimetre(
    resolution: tuple[float, float] | None, down: tuple[int, int], right: tuple[int, int], unit: int
) -> None:
    found, _ = parsed(
        bytes(directories(page_entries(5, 7, 1, np.dtype("u1"), resolution), Linear(0)).read(0, 999))
    )
    assert struct.unpack("<II", found[283][2]) == down
    assert struct.unpack("<II", found[282][2]) == right
    assert struct.unpack_from("<H", found[296][2]) == (unit,)


def test_a_page_of_these_parts_is_readable() -> None:
    data, text = np.arange(5 * 7 * 4, dtype="u2").reshape(5, 7, 4), b"described\0"
    entries = page_entries(5, 7, 4, data.dtype)
    text_at = HEADER_NBYTES + directory_nbytes(len(entries) + 4)
    begin = text_at + len(text)
    entries += [*strip_entries(5, data.nbytes, Linear(begin)), description_entry(len(text), text_at)]
    directory = bytes(directories(entries, Linear(0)).read(0, 999))
    content = file_header(HEADER_NBYTES) + directory + text + data.tobytes()
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        assert (len(file.pages), file.is_bigtiff, file.pages[0].description) == (1, True, "described")
        assert np.array_equal(file.pages[0].asarray(), data)
        assert file.pages[0].photometric == tifffile.PHOTOMETRIC.RGB
        assert [*file.pages[0].extrasamples] == [tifffile.EXTRASAMPLE.UNASSALPHA]
