"""``zarrscope``: errors in one line, help, names in a terminal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zarr

import zarrcore
from tests.command import Run
from zarrcore.cli import main as main_module
from zarrcore.extensions import EntryPoint, entry_points


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("tree", "{tmp}/absent"), 1, "absent"),
        (("tree", "{tmp}"), 1, "holds no hierarchy: none of zarr.json"),
        (("info", "{source}", "nothing/here"), 1, "no node /nothing/here in"),
        (("info", "{source}", "../x"), 2, "'..'"),
        (("ls", "{source}", "nothing"), 1, "nothing"),
        (("cat", "{source}", "images"), 2, "is a group"),
        (
            ("cat", "{source}", "images/stack", "--select", "9"),
            2,
            "dimension 0: indices must be in [0, 4), found 9",
        ),
        (
            ("cat", "{source}", "images/stack", "--select", "q=1"),
            2,
            "expected the name of one dimension, found 'q'",
        ),
        (("cat", "{source}", "images/stack", "--as", "jpg"), 2, "file type 'jpg' is unknown"),
        (("cat", "{source}", "images/stack", "--as", "png"), 1, "is not a picture"),
        (
            ("cat", "{source}", "images/stack", "-o", "{tmp}/no/such/folder/a.raw"),
            1,
            "No such file or directory",
        ),
        (("tree", "{source}", "--format", "v7"), 2, "format 'v7' is unknown"),
        (("tree", "{source}", "--depth", "-1"), 2, "expected 0 or more"),
        (("tree", "gopher://x"), 1, "gopher"),
        (("tree",), 2, "SOURCE"),
        (("fly",), 2, "fly"),
    ],
)
def test_errors_are_one_line(
    zarrscope: Run, source: Path, tmp_path: Path, arguments: tuple[str, ...], status: int, words: str
) -> None:
    failed = zarrscope(*(argument.format(source=source, tmp=tmp_path) for argument in arguments))
    assert failed.status == status
    assert words in failed.stderr
    assert "Traceback" not in failed.stderr
    if "usage:" not in failed.stderr:
        assert failed.stderr.startswith("zarrscope: ")
        assert failed.stderr.count("\n") == 1


def test_control_characters_in_names_do_not_reach_the_terminal(zarrscope: Run, tmp_path: Path) -> None:
    root = tmp_path / "odd.zarr"
    zarr.create_group(root).create_group(":smile: [bold]x[red]")
    (root / "a\x1b[31m\nb").mkdir()
    (root / "a\x1b[31m\nb/zarr.json").write_text("{")
    shown = zarrscope("tree", root)
    assert ":smile: [bold]x[red]" in shown.text
    assert "\x1b" not in shown.text + shown.stderr
    assert len(shown.text.splitlines()) == 3
    missing = zarrscope("info", root, "\x1b[31m")
    assert "\x1b" not in missing.stderr


def test_names_that_are_not_valid_text(tmp_path: Path) -> None:
    root = tmp_path / "odd.zarr"
    zarr.create_group(root)
    (root / "bad\udcff").mkdir()
    program = "import sys; from zarrcore.cli.main import main; print(*map(main, eval(sys.argv[1])))"
    commands = [[*words, str(root)] for words in (["tree"], ["tree", "--json"], ["ls"], ["ls", "--json"])]
    command = [sys.executable, "-c", program, ascii(commands)]
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert done.stderr == b""
    assert done.stdout.splitlines()[-1] == b"0 0 0 0"


def test_debug_shows_where(zarrscope: Run, tmp_path: Path) -> None:
    assert "Traceback" in zarrscope("--debug", "tree", tmp_path).stderr


def test_a_closed_pipe_is_not_an_error(source: Path) -> None:
    command = f"{Path(sys.executable).with_name('zarrscope')} cat {source} images/stack | head -c 10 | wc -c"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "10"
    assert done.stderr == ""


@pytest.mark.parametrize(
    "register", [None, lambda commands: 1 / 0, lambda commands: commands.add_parser("ls")]
)
def test_a_broken_command_of_another_package_does_not_break_the_others(
    register: Any, monkeypatch: pytest.MonkeyPatch, zarrscope: Run, tmp_path: Path
) -> None:
    class Broken(EntryPoint):
        def load(self) -> Any:
            if register is None:
                raise ImportError("no module")
            return register

    points = (*entry_points("zarrscope.commands"), Broken("odd", "odd:register"))
    monkeypatch.setattr(main_module, "entry_points", lambda _: points)
    shown = zarrscope("--help")
    assert (shown.status, "tree" in shown.text) == (0, True)
    assert "the command 'odd' is not available" in shown.stderr
    zarrcore.create(tmp_path)
    assert zarrscope("tree", tmp_path).stderr == ""
    own = zarrscope("odd")
    assert own.status in (1, 2)
    assert "Traceback" not in own.stderr


def test_percent_signs_in_the_help_of_another_package_mean_themselves(
    monkeypatch: pytest.MonkeyPatch, zarrscope: Run
) -> None:
    class Other(EntryPoint):
        def load(self) -> Any:
            def register(commands: Any) -> None:
                commands.add_parser("odd", help="keeps 100% of it")
                commands.add_parser("even", help="a part (default: 5%)")

            return register

    points = (*entry_points("zarrscope.commands"), Other("odd", "odd:register"))
    monkeypatch.setattr(main_module, "entry_points", lambda _: points)
    shown = zarrscope("--help")
    assert (shown.status, shown.stderr) == (0, "")
    assert "keeps 100% of it" in shown.text
    assert "a part (default: 5%)" in shown.text


@pytest.mark.parametrize(
    "arguments",
    [
        ("cat", "a", "--select", "1_0"),
        ("cat", "--timeout", "1_0"),
        ("cat", "--retries", "1_0"),
        ("copy", "x.zarr", "--chunks", "1_0"),
        ("create", "--shape", "1_0"),
        ("du", "--depth", "1_0"),
        ("diff", "y", "--rtol", "1_0"),
        ("find", "--min-nbytes", "1_0"),
        ("pyramid", "--scale", "1_0,1"),
        ("mount", "mountpoint", "--metadata-ttl", "1_0"),
    ],
)
def test_numbers_have_no_underscores(arguments: tuple[str, ...], zarrscope: Run, tmp_path: Path) -> None:
    zarrcore.create(tmp_path / "x.zarr").create_array("a", shape=(20,), dtype="i4")
    command, *rest = arguments
    failed = zarrscope(command, tmp_path / "x.zarr", *rest)
    assert failed.status in (1, 2)
    assert "'1_0" in failed.stderr


_LATE = {
    "obstore",
    "httpx",
    "rich",
    "PySide6",
    "pyqtgraph",
    "importlib.metadata",
    "tifffile",
    "xarray",
    "fsspec",
}
"""Packages that take long to import, for what most commands do not do."""


@pytest.mark.parametrize(
    ("arguments", "late", "most"),
    [
        (("--help",), {*_LATE, "numpy", "numcodecs", "pyfuse3", "trio", "zipfile"}, 70),
        (("mount", "--help"), {*_LATE, "numpy", "numcodecs", "pyfuse3", "trio", "zipfile"}, 36),
        (("tree", "SOURCE"), {*_LATE, "numcodecs", "pyfuse3", "trio", "zipfile"}, 185),
    ],
)
def test_a_command_loads_few_modules(
    arguments: tuple[str, ...], late: set[str], most: int, tmp_path: Path
) -> None:
    """*most* counts zarrscope's own. A command that needs more of them starts more slowly."""
    zarrcore.create(tmp_path).create_array("x", shape=(4,), dtype="u1")
    words = [str(tmp_path) if word == "SOURCE" else word for word in arguments]
    program = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
    program += f"from zarrcore.cli.main import main; sys.exit(main({words!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stderr.split())
    assert late & loaded == set()
    own = {name for name in loaded if name.startswith(("zarrcore", "zarrfs", "zarrbrowser"))}
    assert len(own) <= most
