"""Conventions of tables and matrices: AnnData and SpatialData."""

from zarrcore.conventions.tables.anndata import ANNDATA
from zarrcore.conventions.tables.spatialdata import SPATIALDATA
from zarrcore.conventions.tables.values import column_values, sparse_block
from zarrcore.conventions.tables.vocabulary import (
    AnnotatedMatrix,
    Column,
    SparseMatrix,
    SpatialData,
    SpatialElement,
    Table,
)

__all__ = [
    "ANNDATA",
    "SPATIALDATA",
    "AnnotatedMatrix",
    "Column",
    "SparseMatrix",
    "SpatialData",
    "SpatialElement",
    "Table",
    "column_values",
    "sparse_block",
]
