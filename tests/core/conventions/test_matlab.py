"""Variables of MATLAB, in files that hdf5storage writes as MATLAB does."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import scipy.sparse

import zarrcore as zc
from tests.core.conventions.described import described
from zarrcore.conventions import MatlabVariable, meaning, recognise
from zarrcore.describe import meaning_facts

VALUES: dict[str, tuple[Any, str]] = {
    "numbers": (np.arange(12.0).reshape(3, 4), "MATLAB double 3 × 4"),
    "line": (np.int16([1, 2, 3]), "MATLAB int16 1 × 3"),
    "complex": (np.array([1 + 2j, 3 - 1j]), "MATLAB double 1 × 2"),
    "stack": (np.zeros((2, 3, 1200), "f4"), "MATLAB single 2 × 3 × 1,200"),
    "text": ("héllo", "MATLAB char 1 × 5, 'héllo'"),
    "blank": ("", "MATLAB char 1 × 0"),
    "flags": (np.array([True, False]), "MATLAB logical 1 × 2"),
    "empty": (np.zeros((0, 3)), "MATLAB double 0 × 3"),
    "struct": ({"a": 1.5, "b": "text"}, "MATLAB struct"),
}


@pytest.fixture(scope="module")
def hierarchy(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("matlab") / "a.mat"
    values = {name: value for name, (value, _) in VALUES.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it uses what NumPy will remove
        import hdf5storage

        hdf5storage.savemat(str(path), values, format="7.3", oned_as="row", store_python_metadata=False)
    with zc.open_hierarchy(path) as opened:
        yield opened


@pytest.mark.parametrize("name", VALUES)
def test_variables_are_told_as_matlab_tells_them(hierarchy: Any, name: str) -> None:
    found = meaning(hierarchy[name])
    assert isinstance(found, MatlabVariable)
    assert found.summary == VALUES[name][1]
    told = recognise(hierarchy[name])
    assert told is not None
    assert (told[0].name, told[1]) == ("matlab", "variable")


def test_where_only_metadata_are_read_there_are_no_characters(hierarchy: Any) -> None:
    assert meaning_facts(hierarchy["text"], reads_elements=False)[0] == ("convention", "MATLAB char 1 × 5")
    assert meaning_facts(hierarchy["empty"], reads_elements=False)[0] == ("convention", "MATLAB double")


def test_a_matrix_of_characters_has_a_text_for_each_row(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.mat", "w") as file:
        rows = np.array([list("ab "), list("cde")]).view("u4").astype("u2")
        file["names"] = rows.T
        file["names"].attrs["MATLAB_class"] = np.bytes_("char")
    found = meaning(zc.open_hierarchy(tmp_path / "a.mat")["names"])
    assert found is not None
    assert found.summary == "MATLAB char 2 × 3, 'ab', 'cde'"


def test_a_sparse_matrix_is_a_group(tmp_path: Path) -> None:
    matrix = scipy.sparse.csc_array(np.diag([1.0, 2.0]))
    with h5py.File(tmp_path / "a.mat", "w") as file:
        group = file.create_group("s")
        group.attrs["MATLAB_class"], group.attrs["MATLAB_sparse"] = np.bytes_("double"), np.uint64(2)
        for name, part in (("data", matrix.data), ("ir", matrix.indices), ("jc", matrix.indptr)):
            group[name] = part
    found = meaning(zc.open_hierarchy(tmp_path / "a.mat")["s"])
    assert found is not None
    assert found.summary == "MATLAB sparse double"


@pytest.mark.parametrize("value", [None, 7, ["char"], ""])
def test_other_attributes_are_no_classes(value: object) -> None:
    assert recognise(described("/a", {"MATLAB_class": value})) is None


@pytest.mark.parametrize(
    ("name", "elements"),
    [
        ("char", np.zeros((2, 3))),
        ("char", np.zeros((0, 3), "u2")),
        ("char", np.zeros((5000, 1), "u2")),
        ("char", np.zeros(3, "u8")),
        ("char", np.zeros((3, 1), "u8")),
    ],
)
def test_what_holds_no_short_text_has_no_characters(tmp_path: Path, name: str, elements: Any) -> None:
    with h5py.File(tmp_path / "a.mat", "w") as file:
        file["a"] = elements
        file["a"].attrs["MATLAB_class"] = np.bytes_(name)
    found = meaning(zc.open_hierarchy(tmp_path / "a.mat")["a"])
    assert isinstance(found, MatlabVariable)
    assert found.characters == ()
    assert found.size == elements.shape[::-1]
