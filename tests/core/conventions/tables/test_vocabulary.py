"""Summaries of tables, columns and matrices."""

from __future__ import annotations

import pytest

from zarrcore.conventions import (
    AnnotatedMatrix,
    Column,
    Meaning,
    SparseMatrix,
    SpatialData,
    SpatialElement,
    Table,
)


@pytest.mark.parametrize(
    ("meaning", "summary"),
    [
        (Table("AnnData", ("a", "b"), "_index", 1), "AnnData table, 1 row, 2 columns"),
        (Table("AnnData", ("a",), "_index", None), "AnnData table, 1 column"),
        (Column("AnnData", "categorical", 1200, 1), "AnnData categorical column, 1,200 values of 1 category"),
        (Column("AnnData", "nullable text", 1), "AnnData nullable text column, 1 value"),
        (
            SparseMatrix("AnnData", "csr", (0, 5), "int8", 0),
            "AnnData sparse matrix, 0 × 5 int8, CSR, 0 stored elements",
        ),
        (AnnotatedMatrix("AnnData", 1, None, "", ()), "AnnData annotated matrix, 1 observation"),
        (SpatialElement("SpatialData", "points", ()), "SpatialData points"),
        (
            SpatialData("SpatialData", (("images", ()), ("tables", ("t",)))),
            "SpatialData spatial data, 1 table",
        ),
    ],
)
def test_summaries(meaning: Meaning, summary: str) -> None:
    assert meaning.summary == summary


def test_facts_leave_out_what_is_empty() -> None:
    members = (("obs", ("a", "b")), ("uns", ()))
    assert AnnotatedMatrix("AnnData", 1, 2, "", members).facts() == [("obs", "a, b")]
    assert SpatialData("SpatialData", members).facts() == [("obs", "a, b")]
