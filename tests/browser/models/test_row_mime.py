"""A row of the tree as the data of a drag."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData

from zarrbrowser.models.row_mime import MIME_TYPE, mime_of, row_in


def test_a_row_is_an_address_and_a_path() -> None:
    assert row_in(mime_of("s3://bucket/ä.zarr", "/raw")) == ("s3://bucket/ä.zarr", "/raw")


@pytest.mark.parametrize("text", [b"", b"[", b"[1, 2]", b'["a"]', b"3", b'["a", "b", "c"]', b"\xff"])
def test_other_data_is_no_row(text: bytes) -> None:
    data = QMimeData()
    assert row_in(data) is None
    data.setData(MIME_TYPE, text)
    assert row_in(data) is None
