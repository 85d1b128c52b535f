"""Files of views."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.session.saved_views.views import refusal, views
from zarrbrowser.session.saved_views.view import BadViewError, SavedView, document_of
from zarrbrowser.session.saved_views.view_files import (
    MOST_NBYTES,
    MOST_VIEWS,
    is_views_file,
    read_views,
    views_of,
    views_text,
)
from zarrbrowser.session.sources import SourceRequest

VIEW = SavedView("raw", SourceRequest("/data/a.zarr", "/raw"), "Image", {"index": [1, 2]})


@given(st.lists(views(), max_size=4))
def test_a_file_gives_the_same_views(many: list[SavedView]) -> None:
    assert views_of(views_text(many)) == many


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_file_is_of_views_or_gives_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "x"
    path.write_bytes(data)
    refusal(lambda: read_views(path))


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "not a file of views"),
        ({"type": "kerchunk", "version": 1}, "not a file of views"),
        ({"version": 1, "views": []}, "not a file of views"),
        ({"type": "zarrscope views", "version": 2, "views": []}, "newer zarrscope wrote this file"),
        ({"type": "zarrscope views", "version": 1}, "no list"),
        ({"type": "zarrscope views", "version": 1, "views": {}}, "no list"),
        ({"type": "zarrscope views", "version": 1, "views": [3]}, "not a view"),
        ({"type": "zarrscope views", "version": 1, "views": [{}] * (MOST_VIEWS + 1)}, "1,001 views"),
    ],
)
def test_malformed_files_give_one_sentence(document: Any, said: str) -> None:
    with pytest.raises(BadViewError, match=said):
        views_of(json.dumps(document))


def test_a_file_is_read_up_to_its_largest_size(tmp_path: Path) -> None:
    path = tmp_path / "a.zarrscope-views.json"
    path.write_text(views_text([VIEW]))
    assert read_views(path) == [VIEW]
    path.write_bytes(b" " * (MOST_NBYTES + 1))
    with pytest.raises(BadViewError, match="larger than 4 MiB"):
        read_views(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadViewError, match="not text"):
        read_views(path)
    with pytest.raises(FileNotFoundError):
        read_views(tmp_path / "none")


def test_a_file_is_known_by_its_name() -> None:
    assert is_views_file("/data/My.Zarrscope-Views.JSON")
    assert not is_views_file("/data/references.json")
    assert document_of(VIEW)["path"] == "/raw"
