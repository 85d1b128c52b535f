"""Elements as text: equal to Python's JSON of NumPy's lists, for any chunks."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes import text, values_as_text

WORDS = np.array([f"{n}·é\n" * (n % 4) for n in range(60)], dtype=object).reshape(5, 4, 3)


def made(data: np.ndarray, **options: Any) -> zarrcore.Array:
    store: dict[str, Any] = {}
    array = zarr.create_array(store, shape=data.shape, **options)
    array[...] = data
    values = {key: value.to_bytes() for key, value in store.items()}
    return zarrcore.open_hierarchy(zarrcore.stores.MemoryStore(values=values))["/"]


TEXT = made(WORDS, dtype=str, chunks=(2, 3, 2))
SELECTIONS = [
    ...,
    3,
    (slice(None, None, -2), 1),
    (2, 3, 1),
    slice(0, 0),
    (slice(1, 5), slice(0, 0)),
    (-1, ..., 0),
]


@given(selection=st.sampled_from(SELECTIONS), piece=st.sampled_from([1, 5, 1000]))
def test_the_pieces_of_a_text_join_to_valid_json(selection: Any, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "_PIECE_SIZE", piece)
        found = values_as_text(TEXT, selection, "json").decode()
    expected = WORDS[selection]
    expected = expected.tolist() if isinstance(expected, np.ndarray) else expected
    assert found == json.dumps(expected, ensure_ascii=False) + "\n"


@pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning")
def test_bytes_are_in_base64() -> None:
    data = np.array([b"", b"\0\xff", b"abc"], dtype=object)
    found = json.loads(values_as_text(made(data, dtype="variable_length_bytes", chunks=(2,)), ..., "json"))
    assert [base64.b64decode(element) for element in found] == data.tolist()


def test_texts_are_bounded() -> None:
    whole = values_as_text(TEXT, ..., "json")
    assert values_as_text(TEXT, ..., "json", len(whole)) == whole
    with pytest.raises(UnsupportedError, match="its text has more than"):
        values_as_text(TEXT, ..., "json", len(whole) - 1)


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.5.0", reason="NumPy before 2.5 writes another date"
)
def test_a_date_that_numpy_cannot_write_is_its_count() -> None:
    dates = np.array([2**61, 5], "M8[25s]")
    assert json.loads(values_as_text(made(dates, dtype=dates.dtype, chunks=(2,)), ..., "json")) == [
        2**61,
        "1970-01-01T00:02:05",
    ]
