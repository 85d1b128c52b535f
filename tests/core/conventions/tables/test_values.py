"""Sparse matrices agree with SciPy, and columns with pandas."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.core.conventions.tables.old_anndata import write_old
from zarrcore.conventions import Column, column_values, meaning, sparse_block
from zarrcore.errors import MetadataError, SelectionError

BOUND = st.none() | st.integers(-9, 9)


def stored(matrix: Any, layout: str, hierarchy: zarrcore.Hierarchy | None = None) -> zarrcore.Group:
    """A matrix as anndata stores it."""
    hierarchy = hierarchy or zarrcore.create("memory://")
    group = hierarchy.create_group("X")
    group.attributes = {
        "encoding-type": f"{layout}_matrix",
        "encoding-version": "0.1.0",
        "shape": [*matrix.shape],
    }
    for name in ("data", "indices", "indptr"):
        values = getattr(matrix, name)
        hierarchy.create_array(f"X/{name}", shape=values.shape, dtype=values.dtype)[...] = values
    return group


@given(
    st.integers(0, 7),
    st.integers(0, 7),
    st.sampled_from(["csr", "csc"]),
    st.tuples(BOUND, BOUND),
    st.tuples(BOUND, BOUND),
    st.integers(0, 99),
)
def test_any_part_is_that_of_scipy(
    height: int, width: int, layout: str, rows: tuple[Any, Any], columns: tuple[Any, Any], seed: int
) -> None:
    dense = np.random.default_rng(seed).integers(-2, 3, (height, width)).astype("f4")
    matrix = getattr(scipy.sparse, f"{layout}_matrix")(dense)
    found = sparse_block(stored(matrix, layout), slice(*rows), slice(*columns))
    np.testing.assert_array_equal(found, dense[slice(*rows), slice(*columns)])
    assert found.dtype == dense.dtype


def test_elements_that_are_stored_twice_are_added_as_in_scipy() -> None:
    matrix = scipy.sparse.csr_matrix((np.array([1, 2]), np.array([1, 1]), np.array([0, 2])), shape=(1, 3))
    assert sparse_block(stored(matrix, "csr")).tolist() == [[0, 3, 0]]


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("indptr", [0, 9, 2], "pointers"),
        ("indptr", [0, 2, 1], "pointers"),
        ("indptr", [0], "pointers"),
        ("indices", [0, 7], "indices are outside its shape"),
        ("indices", [-1, 1], "indices are outside its shape"),
    ],
)
def test_a_matrix_that_contradicts_itself(name: str, values: list[int], message: str) -> None:
    hierarchy = zarrcore.create("memory://")
    group = stored(scipy.sparse.csr_matrix(np.eye(2)), "csr", hierarchy)
    hierarchy.erase(f"X/{name}")
    hierarchy.create_array(f"X/{name}", shape=(len(values),), dtype="int64")[...] = np.array(values)
    with pytest.raises(MetadataError, match=message):
        sparse_block(group)


def test_selections_that_would_read_too_much_or_have_steps() -> None:
    hierarchy = zarrcore.create("memory://")
    group = stored(scipy.sparse.csr_matrix(np.eye(4)), "csr", hierarchy)
    with pytest.raises(SelectionError, match="no steps"):
        sparse_block(group, slice(0, 4, 2))
    many = 1 << 27
    for name in ("data", "indices"):
        hierarchy.erase(f"X/{name}")
        hierarchy.create_array(f"X/{name}", shape=(many,), dtype="int8", chunks=(1 << 20,))
    group["indptr"][...] = np.array([0, many, many, many, many])
    with pytest.raises(SelectionError, match="134,217,728 stored elements are too many"):
        sparse_block(group)
    assert sparse_block(group, slice(1, 4)).shape == (3, 4)


def test_columns(tmp_path: Path) -> None:
    obs = pd.DataFrame(
        {
            "type": pd.Categorical(["B", None, "B"], categories=["T", "B"]),
            "whole": pd.Categorical(["x", "y", "x"]),
            "count": pd.array([1, None, 3], dtype="Int64"),
            "plain": [0.5, 1.5, 2.5],
        },
        index=list("abc"),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata.AnnData(obs=obs).write_zarr(tmp_path / "a.zarr")
    table = zarrcore.open_hierarchy(tmp_path / "a.zarr")["obs"]
    assert isinstance(table, zarrcore.Group)
    assert column_values(table["type"]).tolist() == ["B", None, "B"]
    assert column_values(table["whole"]).tolist() == ["x", "y", "x"]
    assert column_values(table["count"]).tolist() == [1, None, 3]
    assert column_values(table["plain"]).tolist() == [0.5, 1.5, 2.5]


def column(encoding: str, **arrays: Any) -> zarrcore.Group:
    hierarchy = zarrcore.create("memory://")
    group = hierarchy.create_group("c")
    group.attributes = {"encoding-type": encoding}
    for name, values in arrays.items():
        values = np.asarray(values)
        hierarchy.create_array(f"c/{name}", shape=values.shape, dtype=values.dtype)[...] = values
    return group


def test_columns_that_contradict_themselves() -> None:
    with pytest.raises(MetadataError, match="codes name categories that it does not have"):
        column_values(column("categorical", codes=[0, 2], categories=[1.0, 2.0]))
    with pytest.raises(MetadataError, match=r"expected a mask of shape \(2,\), found \(3,\)"):
        column_values(column("nullable-integer", values=[0, 2], mask=[True, False, True]))


def test_a_column_of_missing_values_alone() -> None:
    found = column_values(column("categorical", codes=[-1, -1], categories=np.zeros(0)))
    assert found.tolist() == [None, None]


NULLABLE = {
    "texts": pd.Categorical(["a", "b", "a", None]),
    "numbers": pd.Categorical([1, 2, 1, 2]),
    "nullable_numbers": pd.Categorical(pd.array([1, 2, None, 2], dtype="Int64")),
    "nullable_truths": pd.Categorical(pd.array([True, False, None, True], dtype="boolean")),
    "integers": pd.array([1, None, 3, 4], dtype="Int64"),
    "truths": pd.array([True, None, False, True], dtype="boolean"),
    "strings": pd.array(["p", "q", "r", "s"], dtype="string"),
    "missing_strings": pd.array(["p", None, "r", "s"], dtype="string"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("store", ["v2", "v3", "h5ad"])
def test_columns_are_those_that_anndata_reads(store: str, tmp_path: Path) -> None:
    """Since pandas 3, the categories of a column of texts are a nullable column themselves."""
    obs = pd.DataFrame(NULLABLE, index=[f"c{row}" for row in range(4)])
    path = tmp_path / f"a.{store}"
    with anndata.settings.override(allow_write_nullable_strings=True):
        if store == "h5ad":
            anndata.AnnData(obs=obs).write_h5ad(path)
            read = anndata.read_h5ad(path).obs
        else:
            with anndata.settings.override(zarr_write_format=int(store[1])):
                anndata.AnnData(obs=obs).write_zarr(path)
            read = anndata.read_zarr(path).obs
    hierarchy = zarrcore.open_hierarchy(path)
    assert column_values(hierarchy["obs/_index"]).tolist() == [*read.index]
    for name in NULLABLE:
        expected = [None if pd.isna(value) else value for value in read[name]]
        node = hierarchy[f"obs/{name}"]
        assert column_values(node).tolist() == expected, name
        found = meaning(node)
        assert isinstance(found, Column)
        assert found.length == 4


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("store", ["h5ad", "v2"])
def test_categories_of_anndata_before_0_8_are_texts(store: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{store}"
    write_old(path)
    expected = (anndata.read_h5ad if store == "h5ad" else anndata.read_zarr)(path).obs
    obs = zarrcore.open_hierarchy(path)["obs"]
    assert isinstance(obs, zarrcore.Group)
    for name in ("type", "n"):
        assert column_values(obs[name]).tolist() == [None if pd.isna(one) else one for one in expected[name]]


@pytest.mark.filterwarnings("ignore")
def test_categories_of_anndata_before_0_7_are_texts(tmp_path: Path) -> None:
    records = np.array([(b"a", 1, 3.0), (b"b", 0, 4.0)], [("index", "S3"), ("type", "i1"), ("n", "f4")])
    with h5py.File(tmp_path / "a.h5ad", "w") as file:
        file["obs"], file["var"] = records, np.array([(b"x",)], [("index", "S3")])
        file["X"] = np.zeros((2, 1), "f4")
        text = h5py.string_dtype()
        file.create_dataset("uns/type_categories", data=np.array(["B", "T"], object), dtype=text)
    expected = anndata.read_h5ad(tmp_path / "a.h5ad").obs
    hierarchy = zarrcore.open_hierarchy(tmp_path / "a.h5ad")
    found = column_values(hierarchy["obs"])
    assert {name: found[name].tolist() for name in ("type", "n")} == {
        name: expected[name].tolist() for name in ("type", "n")
    }
    assert column_values(hierarchy["var"]).tolist() == [(b"x",)]
