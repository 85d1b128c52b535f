"""AnnData as anndata writes it, into Zarr v2, Zarr v3 and HDF5."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import zarrcore
from tests.core.conventions.described import described
from zarrcore.conventions import AnnotatedMatrix, Column, SparseMatrix, Table, meaning, recognise
from zarrcore.errors import MetadataError, NodeNotFoundError


def annotated() -> anndata.AnnData:
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical(["B", "T", "B", "NK"], categories=["B", "NK", "T"], ordered=True),
            "count": [1, 2, 3, 4],
            "passed": pd.array([True, None, False, True], dtype="boolean"),
        },
        index=list("abcd"),
    )
    return anndata.AnnData(
        X=scipy.sparse.csr_matrix(np.array([[1, 0, 2], [0, 0, 3], [4, 5, 0], [0, 0, 0]], "f4")),
        obs=obs,
        var=pd.DataFrame(index=list("xyz")),
        layers={"raw": scipy.sparse.csc_matrix(np.eye(4, 3))},
        obsm={"X_pca": np.zeros((4, 2))},
    )


@pytest.fixture(scope="module", params=["v2", "v3", "h5ad"])
def hierarchy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> zarrcore.Hierarchy:
    path = tmp_path_factory.mktemp("anndata") / f"data.{request.param}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if request.param == "h5ad":
            annotated().write_h5ad(path)
        else:
            with anndata.settings.override(zarr_write_format=int(request.param[1])):
                annotated().write_zarr(path)
    return zarrcore.open_hierarchy(path)


def test_the_whole(hierarchy: zarrcore.Hierarchy) -> None:
    found = meaning(hierarchy["/"])
    assert isinstance(found, AnnotatedMatrix)
    assert found.summary == "AnnData annotated matrix, 4 observations × 3 variables, sparse CSR float32"
    assert dict(found.facts()) == {"obs": "cell_type, count, passed", "layers": "raw", "obsm": "X_pca"}
    json.dumps(found.document())


@pytest.mark.parametrize(
    ("path", "summary"),
    [
        ("X", "AnnData sparse matrix, 4 × 3 float32, CSR, 5 stored elements (41.7 %)"),
        ("layers/raw", "AnnData sparse matrix, 4 × 3 float64, CSC, 3 stored elements (25 %)"),
        ("obs", "AnnData table, 4 rows, 3 columns"),
        ("var", "AnnData table, 3 rows, 0 columns"),
        ("obs/cell_type", "AnnData categorical column, 4 values of 3 ordered categories"),
        ("obs/passed", "AnnData nullable boolean column, 4 values"),
    ],
)
def test_elements(hierarchy: zarrcore.Hierarchy, path: str, summary: str) -> None:
    found = meaning(hierarchy[path])
    assert isinstance(found, SparseMatrix | Table | Column)
    assert found.summary == summary


def group(path: str = "/X", **attributes: Any) -> Any:
    return described(path, {name.replace("_", "-", 1): value for name, value in attributes.items()})


def nothing(path: str) -> Any:
    raise NodeNotFoundError(path, "memory:")


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        (
            {"encoding_type": "csr_matrix", "shape": [2, 3]},
            "/X: it is csr_matrix, but its array data is missing",
        ),
        ({"encoding_type": "csr_matrix", "shape": [2, -3]}, "the shape of its matrix is not two lengths"),
        ({"encoding_type": "csc_matrix"}, "the shape of its matrix is not two lengths"),
        ({"encoding_type": "categorical"}, "its array codes is missing"),
        ({"encoding_type": "nullable-integer"}, "its array values is missing"),
    ],
)
def test_elements_that_lack_a_part(attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        meaning(group(**attributes), nothing)


def test_an_empty_object_is_described_as_far_as_it_goes() -> None:
    found = meaning(group("/", encoding_type="anndata"), nothing)
    assert isinstance(found, AnnotatedMatrix)
    assert found.facts() == []
    table = meaning(group("/obs", encoding_type="dataframe", column_order=7), nothing)
    assert isinstance(table, Table)
    assert (table.length, table.columns, table.index) == (None, (), "_index")
    assert table.summary == "AnnData table, 0 columns"


@pytest.mark.parametrize("told", ["dict", "string", "array", 7, None])
def test_other_encodings_have_no_meaning_of_their_own(told: Any) -> None:
    assert recognise(group(encoding_type=told)) is None


def test_a_dense_matrix(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata.AnnData(X=np.zeros((2, 3), "f8")).write_zarr(tmp_path / "a.zarr")
    found = meaning(zarrcore.open_hierarchy(tmp_path / "a.zarr")["/"])
    assert found is not None
    assert found.summary == "AnnData annotated matrix, 2 observations × 3 variables, dense float64"
