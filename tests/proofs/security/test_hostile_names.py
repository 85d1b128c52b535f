"""Hostile names in a store reach no terminal, log or file outside the store."""

from __future__ import annotations

import contextlib
import io
import os
import unicodedata
import zipfile
from pathlib import Path

import pytest

from tests.any_store import open_store
from tests.command import run_inside
from tests.proofs.security.hostile_names import NAMES, hostile_values
from tests.zfs.conftest import NO_FUSE, mounting
from zarrcore.cli.main import main

LEADING_OUT = ("../out", "/out", "a/../../out", "..", "a\\..\\..\\out", "C:\\out", "//out", "./out", "a//out")
"""Names of members of a zip file."""


@pytest.fixture(scope="module", params=["zip", "sqlite", "local"])
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with hostile names, alone in a folder."""
    place = tmp_path_factory.mktemp("hostile") / f"a.{request.param}"
    if request.param == "zip":
        with zipfile.ZipFile(place, "w") as archive:
            for key, value in hostile_values().items():
                archive.writestr(key, value)
            for name in LEADING_OUT:
                archive.writestr(zipfile.ZipInfo(name), b"owned")
        return place
    with open_store(place, create=True) as store:
        for key, value in hostile_values().items():
            store.set(key, value)
    return place


def controls(text: str) -> set[str]:
    """Characters by which a text could control a terminal, or deceive a reader; line ends of the program are none."""
    return {c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp", "Cs"} and c != "\n"}


class Terminal(io.StringIO):
    """A terminal without colours."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "words", ["tree", "tree --json", "info", "info --json", "ls", "ls -lr", "check", "check --json"]
)
def test_no_name_controls_the_terminal(hostile: Path, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    command, *options = words.split()
    out, err = Terminal() if command == "ls" else io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        main([command, str(hostile), *options])
    assert controls(out.getvalue()) == controls(err.getvalue()) == set()
    assert len(out.getvalue()) > 100
    if not options:
        assert out.getvalue().count("\n") < 10 * len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_node_with_a_hostile_name_is_shown_and_read(hostile: Path, name: str) -> None:
    for words in (
        ("info", hostile, name),
        ("cat", hostile, name, "--as", "csv"),
        ("info", hostile, f"{name}/absent"),
    ):
        told = (
            run_inside(*words)
            if not name.startswith("-")
            else run_inside(words[0], *words[3:], "--", *words[1:3])
        )
        assert controls(told.text + told.stderr) == set()
        if words[0] == "cat":
            assert told.text == "0,1,2\r\n3,4,5\r\n".replace("\r", "")


def test_a_copy_writes_nothing_beside_itself(tmp_path: Path) -> None:
    source, destination = tmp_path / "a.sqlite", tmp_path / "inside/copied"
    with open_store(source, create=True) as store:
        for key, value in hostile_values().items():
            if not key.startswith("broken/"):
                store.set(key, value)
    destination.parent.mkdir()
    told = run_inside("copy", source, destination)
    assert told.status == 0, told.stderr
    assert {*os.listdir(tmp_path)} == {"a.sqlite", "inside"}
    assert os.listdir(destination.parent) == ["copied"]
    assert {path.parent.name for path in destination.rglob("zarr.json")} == {*NAMES, "copied"}
    assert not any(path.is_symlink() for path in destination.rglob("*"))


@pytest.mark.skipif(bool(NO_FUSE), reason=NO_FUSE)
def test_a_mount_shows_hostile_names_as_file_names(hostile: Path, tmp_path: Path) -> None:
    with mounting(tmp_path) as mount:
        mounted = mount(hostile, "--log-level", "debug")
        shown = os.listdir(mounted.arrays)
        assert {"attributes.json", "broken"} <= {*shown}
        assert len(shown) >= len(NAMES)
        assert not any("/" in name or name in {".", ".."} for name in shown)
        for folder, _, names in os.walk(mounted.path):
            assert os.path.realpath(folder) == folder
            for name in names:
                with contextlib.suppress(OSError), open(os.path.join(folder, name), "rb") as file:
                    file.read(100)
        assert controls(mounted.log.read_text()) == set()
    assert {*os.listdir(tmp_path)} == {"log1", "mnt0"}
