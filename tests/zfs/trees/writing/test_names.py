"""``--read-write``: any sequence of creating, renaming and removing names has the same result as on disk."""

from __future__ import annotations

import os
import shutil
import subprocess
from itertools import count
from pathlib import Path

import pytest
from hypothesis import example, given, settings

from tests.zfs.conftest import Mount, Mounter
from tests.zfs.trees.writing.courses import COURSES

NUMBERS = count()


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory, mounter: Mounter) -> tuple[Path, Mount]:
    path = tmp_path_factory.mktemp("names")
    return path, mounter(path, "--read-write")


def do(root: Path, what: str, path: str, other: str) -> str:
    """Do one step; returns the error's name, or nothing."""
    place = root / path
    try:
        if what in {"write", "append"}:
            with open(place, "wb" if what == "write" else "ab") as file:
                file.write(other.encode())
        elif what == "move":
            # A move of a directory that is not empty: programs copy and erase if the file system cannot rename it.
            subprocess.run(["mv", "-T", place, root / other], check=True, capture_output=True)
        elif what in {"rename", "link"}:
            getattr(os, what)(place, root / other)
        else:
            getattr(place, what)()
    except subprocess.CalledProcessError:
        return "mv"
    except OSError as error:
        return type(error).__name__ if what != "rename" else "OSError"
    return ""


def part_links(root: Path, other: str) -> None:
    """Copy a linked file: a written value replaces the value under its own name only."""
    (root / other).with_name("copy").write_bytes((root / other).read_bytes())
    (root / other).with_name("copy").replace(root / other)


def content(root: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in root.rglob("*")
    }


@given(course=COURSES)
@example(course=[("mkdir", "a", ""), ("rename", "a", "b"), ("write", "b/a", "1"), ("move", "b", "c")])
@example(course=[("write", "a", "1"), ("link", "a", "b"), ("append", "a", "2"), ("append", "b", "3")])
@settings(max_examples=30)
def test_names_in_a_mount(
    places: tuple[Path, Mount], tmp_path_factory: pytest.TempPathFactory, course: list[tuple[str, str, str]]
) -> None:
    name = str(next(NUMBERS))
    mounted, stored = places[1].keys / name, places[0] / name
    model = tmp_path_factory.mktemp("model")
    mounted.mkdir()
    for what, path, other in course:
        if what == "rename" and (model / path).is_dir() and any((model / path).iterdir()):
            continue  # impossible there, and tested elsewhere
        result = do(model, what, path, other)
        assert do(mounted, what, path, other) == result, (what, path, other)
        if what == "link" and not result:
            part_links(model, other)
    assert content(mounted) == content(model)  # not before, since looking a name up refreshes it
    keys = {path: value for path, value in content(model).items() if value is not None}
    assert {path: value for path, value in content(stored).items() if value is not None} == keys
    shutil.rmtree(mounted)
    assert not mounted.exists()
    assert not stored.exists()
