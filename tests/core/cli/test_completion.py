"""Completion of command lines: what the shell gets, from the shell's own code."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import zarr

from tests.command import Run, run_inside
from tests.waiting import PATIENCE_S
from zarrcore.cli.completion import node_paths


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "a.zarr"
    root = zarr.create_group(path, zarr_format=2)
    root.create_array("functional", shape=(2,), dtype="i1")
    root.create_group("derived/früh").create_array("mean signal", shape=(2,), dtype="i1")
    (path / "derived" / "notes").mkdir()
    return path


def paths(source: str | Path, prefix: str) -> list[str]:
    return sorted(node_paths(prefix, argparse.Namespace(source=str(source), format=None)))


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("", ["derived/", "functional"]),
        ("f", ["functional"]),
        ("/d", ["/derived/"]),
        ("derived/", ["derived/früh/"]),
        ("derived/früh/", ["derived/früh/mean signal"]),
        ("functional/", []),
        ("absent/", []),
    ],
)
def test_paths_of_nodes_are_completed(source: Path, prefix: str, expected: list[str]) -> None:
    assert paths(source, prefix) == expected


@pytest.mark.parametrize("address", ["s3://bucket/a.zarr", "/absent", "http://127.0.0.1:9/a", "a.zarr#/x"])
def test_sources_that_are_not_local_hierarchies_have_no_completions(address: str) -> None:
    assert paths(address, "") == []


def test_a_source_that_is_not_typed_yet_has_no_completions() -> None:
    assert node_paths("", argparse.Namespace()) == []


def completed(line: str) -> list[str]:
    """The completions of a line by bash's code: what ``COMPREPLY`` holds."""
    script = f"""
        {run_inside("completion", "bash").text}
        COMP_LINE={line!r} COMP_POINT={len(line.encode())} COMP_TYPE=9 COMP_WORDS=() COMP_CWORD=1
        _python_argcomplete zarrscope
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", script], env=_environment(), capture_output=True, text=True, timeout=60
    )
    return sorted(word.strip() for word in done.stdout.splitlines() if word.strip())


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("zarrscope um", ["umount"]),
        ("zarrscope mount --view z", ["zarr3"]),
        ("zarrscope cat x --as ne", ["netcdf"]),
        ("zarrscope tree --format n", ["n5"]),
        ("zarrscope find x --convention pla", ["plate"]),
    ],
)
def test_bash_completes_commands_options_and_values(line: str, expected: list[str]) -> None:
    assert completed(line) == expected


def test_bash_completes_the_paths_behind_a_source(source: Path) -> None:
    assert completed(f"zarrscope info {source} func") == ["functional"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("zarrscope um", ["umount\tunmount a store"]),
        ("zarrscope tree x --jso", ["--json\tone JSON object per node, each on its own line"]),
        ("zarrscope cat x --as ne", ["netcdf\t"]),
        ("zarrscope info {source} func", ["functional\t"]),
    ],
)
def test_fish_gets_an_answer_to_what_its_code_asks(source: Path, line: str, expected: list[str]) -> None:
    """Without fish: the variables and the redirections are those of the code that ``completion`` prints."""
    line = line.format(source=source)
    code = run_inside("completion", "fish").text
    variables = dict(re.findall(r"set -lx (\w+) ([^\s(]+)$", code, re.MULTILINE))
    assert variables.items() >= {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_SHELL": "fish"}.items()
    call = next(each for each in code.splitlines() if each.strip().startswith("zarrscope 8>&1"))
    told = {name: value.encode().decode("unicode_escape") for name, value in variables.items()}
    told |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": ""}
    done = subprocess.run(
        ["bash", "-c", call], env={**_environment(), **told}, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split("\n") == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_code_for_each_shell_names_the_command(zarrscope: Run, shell: str) -> None:
    done = zarrscope("completion", shell)
    assert done.status == 0
    assert "zarrscope" in done.text
    program = shutil.which(shell)
    if program is not None:
        assert (
            subprocess.run([program, "-n"], input=done.stdout, timeout=PATIENCE_S, check=False).returncode
            == 0
        )
