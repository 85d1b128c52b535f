"""Files of many pages, compared with the series that tifffile finds, and with what it reads."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import tifffile

from tests.core.stores.tiff.files import store_of
from zarrcore.hierarchy import ArrayNode
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores.tiff.plain_pages import plain_series
from zarrcore.typing import AnyArray

SMALL, WIDE = np.zeros((4, 5), "u2"), np.zeros((4, 8), "u2")


def file_of(pages: Sequence[AnyArray], **options: Any) -> bytes:
    """A file with these pages, each filled with its number."""
    file = io.BytesIO()
    with tifffile.TiffWriter(file) as writer:
        for number, page in enumerate(pages):
            writer.write(page + page.dtype.type(number), metadata=None, contiguous=False, **options)
    return file.getvalue()


CASES: dict[str, bytes] = {
    "one form": file_of([SMALL] * 20),
    "one compressed form": file_of([SMALL] * 20, compression="zlib"),
    "two forms in turn": file_of([SMALL, WIDE] * 10),
    "another form in between": file_of([*[SMALL] * 9, WIDE, *[SMALL] * 10, SMALL.astype("u1")]),
    "a pyramid before others": file_of([np.zeros((64 >> n, 64 >> n), "u2") for n in range(3)] + [WIDE] * 15),
    "few pages": file_of([SMALL, WIDE, SMALL]),
    "one array": b"",
}
with io.BytesIO() as _file:
    tifffile.imwrite(_file, np.arange(400, dtype="u2").reshape(20, 4, 5), metadata=None)
    CASES["one array"] = _file.getvalue()


@pytest.mark.parametrize("case", CASES)
def test_series_and_elements_are_those_of_tifffile(case: str) -> None:
    with tifffile.TiffFile(io.BytesIO(CASES[case])) as file:
        wanted = [level.asarray() for series in file.series for level in series.levels]
    found = [node for node in open_place(store_of(CASES[case])).walk() if isinstance(node, ArrayNode)]
    assert [array.shape for array in found] == [data.shape for data in wanted]
    for array, data in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(array[...], data)


@pytest.mark.parametrize(
    ("case", "count"),
    [("one form", 1), ("two forms in turn", 2), ("few pages", None), ("one array", None)],
)
def test_only_many_pages_that_are_not_one_array_are_taken(case: str, count: int | None) -> None:
    with tifffile.TiffFile(io.BytesIO(CASES[case])) as file:
        found = plain_series(file)
    # The last tifffile for Python 3.11 does not list the kinds of series that it knows: all files are left to it.
    taken = count if hasattr(tifffile.TIFF, "SERIES") else None
    assert (None if found is None else len(found)) == taken


def test_files_of_programs_with_metadata_are_left_to_tifffile() -> None:
    for options in ({"imagej": True}, {"ome": True}, {}):
        file = io.BytesIO()
        tifffile.imwrite(file, np.zeros((20, 4, 5), "u2"), **options)
        with tifffile.TiffFile(io.BytesIO(file.getvalue())) as opened:
            assert plain_series(opened) is None
