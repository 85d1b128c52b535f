"""Ways to open: folders, files, text, and what is dropped."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QUrl

from zarrbrowser.window.opening import dropped_texts


def test_dropped_paths_and_urls_are_opened() -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/data/a b.zarr"), QUrl("https://example.org/b.zarr")])
    assert dropped_texts(data) == ["file:///data/a b.zarr", "https://example.org/b.zarr"]
    data = QMimeData()
    data.setText("s3://one/a.zarr\n/data/b.zip")
    assert dropped_texts(data) == ["s3://one/a.zarr", "/data/b.zip"]
