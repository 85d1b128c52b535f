"""Types: the HDF5 library decodes them as the types of h5py for the same dtypes."""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.hdf5.datatype import REFERENCE, REFERENCES, TEXT, datatype, fixed_text

NUMBERS = st.sampled_from(
    [f"{order}{kind}" for order in "<>" for kind in ("i2", "u4", "i8", "f2", "f4", "f8", "c8", "c16")]
    + ["?", "i1", "u1"]
)
SIMPLE = st.one_of(
    NUMBERS.map(np.dtype),
    st.integers(1, 300).map(lambda nbytes: np.dtype(f"S{nbytes}")),
    st.integers(1, 300).map(lambda nbytes: np.dtype(f"V{nbytes}")),
)
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1, max_size=12)


def with_parts(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    arrays = st.tuples(parts, st.lists(st.integers(1, 4), min_size=1, max_size=3))
    return st.one_of(
        arrays.map(lambda array: np.dtype((array[0], tuple(array[1])))),
        st.dictionaries(NAMES, parts, min_size=1, max_size=4).map(lambda fields: np.dtype([*fields.items()])),
        st.dictionaries(NAMES, NUMBERS, min_size=1, max_size=4).map(
            lambda fields: np.dtype([*fields.items()], align=True)
        ),
    )


def decoded(message: bytes) -> Any:
    return h5py.h5t.decode(b"\3\0" + message)


@given(dtype=st.recursive(SIMPLE, with_parts, max_leaves=6))
def test_types_are_those_of_h5py(dtype: np.dtype[Any]) -> None:
    found, expected = decoded(datatype(dtype)), h5py.h5t.py_create(dtype, logical=True)
    assert found.get_size() == dtype.itemsize
    assert found.equal(expected)
    assert datatype(dtype)[0] == expected.encode()[2], "no later version than the library's"


def test_types_of_texts_and_references_are_those_of_h5py() -> None:
    assert decoded(TEXT).equal(h5py.h5t.py_create(h5py.string_dtype(), logical=True))
    assert decoded(fixed_text(7)).equal(h5py.h5t.py_create(h5py.string_dtype("utf-8", 7), logical=True))
    assert decoded(REFERENCE).equal(h5py.h5t.STD_REF_OBJ)
    references = h5py.h5t.py_create(h5py.vlen_dtype(h5py.ref_dtype), logical=True)
    assert decoded(REFERENCES).encode() == references.encode()


@pytest.mark.parametrize("dtype", ["S0", "V0", "U3", "M8[s]", "O", [("a", "S0")], [("a\0b", "i4")], "g"])
def test_types_that_hdf5_lacks_are_refused(dtype: Any) -> None:
    with pytest.raises(UnsupportedError):
        datatype(np.dtype(dtype))
