"""Recent views: the latest of each node, bounded, private, and forgotten on request."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from zarrbrowser.session.saved_views.recent_views import MOST_NBYTES, MOST_RECENT, RecentView, RecentViews
from zarrbrowser.session.saved_views.view import SavedView
from zarrbrowser.session.sources import SourceRequest

PNG = b"\x89PNG\r\n\x1a\n and more"


def recent(path: str, position: int = 0) -> RecentView:
    return RecentView(SavedView(path, SourceRequest("/a.zarr", path), "Image", {"index": [position]}), PNG)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "recent-views"


def keep(views: RecentViews, *paths: str, position: int = 0) -> None:
    for number, path in enumerate(paths):
        views.keep(recent(path, position), views.generation)
        # Files of one moment have no order.
        newest = max(views._files(), key=lambda file: file.stat().st_mtime_ns)
        os.utime(newest, ns=(10**18 + position * 10**12 + number, 10**18 + position * 10**12 + number))


def paths(views: RecentViews) -> list[str]:
    return [one.view.request.path for one in views.latest()]


def test_the_latest_view_of_each_node_is_kept(folder: Path) -> None:
    views = RecentViews(folder)
    assert views.latest() == []
    keep(views, "/a", "/b")
    keep(views, "/a", position=5)
    assert paths(views) == ["/a", "/b"]
    assert views.latest()[0] == recent("/a", 5)
    assert RecentViews(folder).latest() == views.latest()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_only_some_are_kept(folder: Path) -> None:
    views = RecentViews(folder)
    keep(views, *(f"/{number}" for number in range(MOST_RECENT + 3)))
    assert paths(views) == [f"/{number}" for number in reversed(range(3, MOST_RECENT + 3))]
    assert len([*folder.iterdir()]) == MOST_RECENT


def test_damaged_files_are_left_out_and_forgotten(folder: Path) -> None:
    views = RecentViews(folder)
    keep(views, "/a")
    good = next(folder.iterdir()).read_text()
    (folder / "1.json").write_text("{")
    (folder / "2.json").write_text(good.replace("iVBOR", "AAAAA"))
    (folder / "3.json").write_text(good.replace('"picture"', '"other"'))
    (folder / "4.json").write_text(" " * MOST_NBYTES + good)
    (folder / "5.json").mkdir()
    (folder / "5.json").rmdir()
    (folder / ".x.tmp").write_text("abandoned")
    (folder / "notes").write_text("of the user")
    assert paths(views) == ["/a"]
    views.forget()
    assert [path.name for path in folder.iterdir()] == ["notes"]
    assert views.latest() == []


def test_a_view_on_its_way_is_forgotten_too(folder: Path) -> None:
    views = RecentViews(folder)
    generation = views.generation
    views.forget()
    views.keep(recent("/a"), generation)
    assert views.latest() == []
    views.keep(recent("/a"), views.generation)
    assert paths(views) == ["/a"]


def test_without_a_folder_nothing_is_kept() -> None:
    views = RecentViews(None)
    views.keep(recent("/a"), views.generation)
    views.forget()
    assert views.latest() == []


def test_threads_and_programs_share_a_folder(folder: Path) -> None:
    def work(name: str) -> None:
        views = RecentViews(folder)
        for number in range(20):
            views.keep(recent(f"/{name}{number}"), views.generation)
            views.latest()

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    views = RecentViews(folder)
    assert len(views.latest()) <= MOST_RECENT
    views.keep(recent("/last"), views.generation)
    assert len(views.latest()) == MOST_RECENT
