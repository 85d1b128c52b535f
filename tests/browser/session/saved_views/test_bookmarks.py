"""Bookmarks: one file for all windows, which nothing but a user's change rewrites."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from zarrbrowser.session.saved_views import bookmarks as module
from zarrbrowser.session.saved_views.bookmarks import Bookmarks
from zarrbrowser.session.saved_views.view import BadViewError, SavedView
from zarrbrowser.session.saved_views.view_files import read_views
from zarrbrowser.session.sources import SourceRequest


def view(title: str, position: int = 0) -> SavedView:
    return SavedView(title, SourceRequest("/data/a.zarr", "/raw"), "Image", {"index": [position]})


def titles(bookmarks: Bookmarks) -> list[str]:
    return [one.title for one in bookmarks.views]


@pytest.fixture(params=["file", "memory"])
def bookmarks(request: pytest.FixtureRequest, tmp_path: Path) -> Bookmarks:
    return Bookmarks(tmp_path / "settings" / "b.zarrscope-views.json" if request.param == "file" else None)


def test_bookmarks_are_added_renamed_moved_and_removed(bookmarks: Bookmarks) -> None:
    assert bookmarks.views == ()
    assert bookmarks.add([view("a", 1), view("b", 2), view("a", 3)])[2].title == "a (2)"
    assert bookmarks.add([view("a", 1)]) == [], "it is there already"
    bookmarks.rename(bookmarks.views[1], " new\nname ")
    bookmarks.rename(bookmarks.views[0], "  ")
    bookmarks.rename(bookmarks.views[0], "new name")
    assert titles(bookmarks) == ["new name (2)", "new name", "a (2)"]
    bookmarks.move(bookmarks.views[2], -2)
    bookmarks.move(bookmarks.views[0], -1)
    assert titles(bookmarks) == ["a (2)", "new name (2)", "new name"]
    bookmarks.remove(bookmarks.views[1])
    bookmarks.remove(view("never"))
    bookmarks.move(view("never"), 1)
    assert [one.state["index"] for one in bookmarks.views] == [[3], [2]]


@pytest.mark.parametrize(
    ("path", "state"),
    [("/raw\nof it", {}), ("/raw", {"low": float("nan")}), ("/raw", {"names": ["x" * 70_000]})],
)
def test_a_view_that_could_not_be_read_again_is_refused(
    tmp_path: Path, path: str, state: dict[str, object]
) -> None:
    bookmarks = Bookmarks(tmp_path / "b")
    bookmarks.add([view("a")])
    with pytest.raises(BadViewError):
        bookmarks.add([view("b"), SavedView("c", SourceRequest("/data/a.zarr", path), "Image", state)])
    assert titles(Bookmarks(tmp_path / "b")) == titles(bookmarks) == ["a"]


def test_the_file_does_not_become_too_large_to_be_read(tmp_path: Path) -> None:
    bookmarks = Bookmarks(tmp_path / "b")
    large = [replace(view(str(number)), state={"names": ["x" * 60_000]}) for number in range(71)]
    bookmarks.add(large[:30])
    with pytest.raises(BadViewError, match="4 MiB: remove some first"):
        bookmarks.add(large[30:])
    assert len(Bookmarks(tmp_path / "b").views) == 30


def test_there_is_a_largest_number(bookmarks: Bookmarks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_VIEWS", 2)
    bookmarks.add([view("a"), view("b")])
    with pytest.raises(BadViewError, match="already 2 bookmarks"):
        bookmarks.add([view("c")])
    assert titles(bookmarks) == ["a", "b"]


def test_two_windows_keep_the_bookmarks_of_both(tmp_path: Path) -> None:
    path = tmp_path / "b"
    one, other = Bookmarks(path), Bookmarks(path)
    assert one.views == other.views == ()
    one.add([view("a")])
    other.add([view("b")])
    one.rename(view("a"), "A")
    other.remove(view("b"))
    assert titles(one) == titles(other) == titles(Bookmarks(path)) == ["A"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_many_windows_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "b"

    def add(window: int) -> None:
        bookmarks = Bookmarks(path)
        for number in range(10):
            bookmarks.add([view(f"{window} {number}", window * 10 + number)])

    threads = [threading.Thread(target=add, args=(window,)) for window in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_views(path)) == 40


@pytest.mark.parametrize(
    "text", ["", "{", "[]", json.dumps({"type": "zarrscope views", "version": 9, "views": []})]
)
def test_a_file_that_cannot_be_read_is_left_as_it_is(text: str, tmp_path: Path) -> None:
    path = tmp_path / "b"
    path.write_text(text)
    bookmarks = Bookmarks(path)
    assert bookmarks.views == ()
    assert "stay as they are" in bookmarks.problem
    with pytest.raises(BadViewError, match="stay as they are"):
        bookmarks.add([view("a")])
    assert path.read_text() == text
    path.unlink()
    bookmarks.add([view("a")])
    assert (titles(bookmarks), bookmarks.problem) == (["a"], "")


def test_a_folder_in_place_of_the_file_is_a_problem(tmp_path: Path) -> None:
    bookmarks = Bookmarks(tmp_path)
    assert bookmarks.views == ()
    assert "cannot be read" in bookmarks.problem


def test_a_view_is_told_from_another_of_the_same_node(bookmarks: Bookmarks) -> None:
    bookmarks.add([view("a", 1)])
    assert len(bookmarks.add([replace(view("a", 1), tab="Table")])) == 1
