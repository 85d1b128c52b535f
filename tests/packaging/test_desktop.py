"""The desktop entry: valid, installed for one user, runnable, and removable."""

from __future__ import annotations

import shlex
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from tests.command import run_at_root as run

ROOT = Path(__file__).parents[2]
DESKTOP = ROOT / "packaging" / "desktop"


def entry_of(path: Path) -> dict[str, str]:
    parser = ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str
    parser.read(path)
    return dict(parser["Desktop Entry"])


def test_the_entry_and_the_metainfo_are_valid() -> None:
    done = run("desktop-file-validate", DESKTOP / "zarrscope.desktop")
    assert (done.returncode, done.stdout) == (0, "")
    done = run("appstreamcli", "validate", "--no-net", DESKTOP / "zarrscope.metainfo.xml")
    faults = [line for line in done.stdout.splitlines() if line.startswith(("E:", "W:"))]
    assert [fault for fault in faults if not fault.endswith("url-homepage-missing")] == []  # it has none
    assert faults or done.returncode == 0, done.stdout


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "share data"


def test_it_is_installed_for_the_user_and_removed(data: Path, tmp_path: Path) -> None:
    program = tmp_path / "some programs" / "zarrbrowser"
    program.parent.mkdir()
    program.symlink_to(Path(sys.executable).with_name("zarrbrowser"))
    done = run("packaging/install-desktop", XDG_DATA_HOME=str(data), PROGRAM=str(program))
    assert (done.returncode, done.stderr) == (0, "")
    entry = data / "applications" / "zarrscope.desktop"
    assert run("desktop-file-validate", entry).stdout == ""
    known = entry_of(entry)
    assert shlex.split(known["Exec"]) == [str(program), "%u"]
    assert (data / "icons/hicolor/scalable/apps" / f"{known['Icon']}.svg").read_text().startswith("<svg")
    asked = run(*shlex.split(known["Exec"])[:1], "--help")
    assert "SOURCE" in asked.stdout
    types = run("env", "-i", f"XDG_DATA_DIRS={data}", "cat", data / "mime" / "globs").stdout
    assert "application/x-zarr+zip:*.zarr.zip" in types
    assert "application/x-hdf:*.h5ad" in types
    assert "application/x-zarrscope-views+json:*.zarrscope-views.json" in types
    cache = (data / "applications" / "mimeinfo.cache").read_text()
    for kind in (
        "application/x-zarr+zip",
        "application/x-hdf",
        "application/x-netcdf",
        "application/x-zarrscope-views+json",
        "x-scheme-handler/zarrscope",
    ):
        assert f"{kind}=zarrscope.desktop;" in cache
    done = run("packaging/install-desktop", "--uninstall", XDG_DATA_HOME=str(data))
    assert done.returncode == 0
    assert not [path for path in data.rglob("*") if path.is_file() and "zarrscope" in path.name]
    assert "zarrscope" not in (data / "applications" / "mimeinfo.cache").read_text()


@pytest.mark.parametrize(
    ("words", "environment", "said"),
    [
        (["--wrong"], {}, "unknown argument --wrong"),
        ([], {"PROGRAM": "/nowhere/zarrbrowser"}, "/nowhere/zarrbrowser is not a program"),
    ],
)
def test_errors_of_the_scripts_are_clear(
    words: list[str], environment: dict[str, str], said: str, data: Path
) -> None:
    done = run("packaging/install-desktop", *words, XDG_DATA_HOME=str(data), **environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert not data.exists()


def test_the_window_names_the_entry() -> None:
    text = (ROOT / "browser" / "zarrbrowser" / "app.py").read_text()
    assert 'setDesktopFileName("zarrscope")' in text
