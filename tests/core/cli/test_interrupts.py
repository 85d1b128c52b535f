"""Ctrl-C while the program starts: status 130 and no traceback, whatever is being imported."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import INTERRUPTIBLE

PACKAGING = Path(__file__).parents[3] / "packaging"
ZARRSCOPE = Path(sys.executable).with_name("zarrscope")
IMPORTED = "import time:"
"""The beginning of the lines in which Python reports its imports."""


def interrupted_after(module: str, command: list[str | Path], environment: dict[str, str]) -> tuple[int, str]:
    """The status of a command that is interrupted once it has imported a module, and what it says."""
    reporting = {**os.environ, **environment, "PYTHONPROFILEIMPORTTIME": "1"}
    with subprocess.Popen(
        [*INTERRUPTIBLE, *command],
        env=reporting,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            said = []
            for line in process.stderr:
                if not line.startswith(IMPORTED):
                    said.append(line)
                elif line.rpartition("|")[2].strip() == module:
                    break
            else:
                pytest.fail(f"{command} does not import {module}")
            process.send_signal(2)
            said += [line for line in process.stderr if not line.startswith(IMPORTED)]
            return process.wait(timeout=60), "".join(said).strip()
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("words", "module"),
    [
        ("--help", "argparse"),
        ("--help", "zarrcore.cli.text"),
        ("--help", "zarrcore.cli.main"),
        ("--version", "zarrcore.cli.completion"),
        ("--help", "zarrfs.http.options"),
        ("tree {source}", "numpy._core._exceptions"),  # soon, NumPy's C code imports modules
        ("tree {source}", "numpy"),
        ("tree {source}", "zarrcore.formats"),
        ("cat {source} images/stack", "zarrcore.filetypes"),
        ("copy {source} {tmp}/copy.zarr", "zarrcore.errors"),
        ("check {source}", "zarrcore.hierarchy"),
        ("mount {source} {tmp}", "zarrcore.stores"),
        ("serve {source}", "zarrcore.stores"),
        ("browse {source}", "shiboken6.Shiboken"),
        ("browse {source}", "PySide6.QtCore"),
        ("browse {source}", "zarrbrowser.workers"),
        ("doctor", "zarrcore.diagnosis"),
    ],
)
def test_commands(words: str, module: str, source: Path, tmp_path: Path) -> None:
    command = [ZARRSCOPE, *words.format(source=source, tmp=tmp_path).split()]
    assert interrupted_after(module, command, {"QT_QPA_PLATFORM": "offscreen"}) == (130, "")


def test_the_window(source: Path) -> None:
    command = [ZARRSCOPE.with_name("zarrbrowser"), source]
    assert interrupted_after("argparse", command, {"QT_QPA_PLATFORM": "offscreen"}) == (130, "")


@pytest.mark.parametrize("module", ["numpy", "zarrcore.hierarchy", "nibabel"])
def test_the_demonstration(module: str, tmp_path: Path) -> None:
    for script in PACKAGING.glob("demo*.py"):
        shutil.copy(script, tmp_path)
    status, said = interrupted_after(
        module, [sys.executable, tmp_path / "demo.py"], {"XDG_CACHE_HOME": str(tmp_path)}
    )
    assert (status, said.removeprefix("demo: stopped")) == (130, "")


def test_the_helper_of_mount(source: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "zarrfs.mount.helper", source, tmp_path]
    status, said = interrupted_after("zarrcore.cli.text", command, {})
    assert (status, said) == (130, "")


@pytest.mark.parametrize(
    "words", ["tree {url}", "info {url}", "cat {url} x", "check {url}", "copy {url} {tmp}/copy.zarr"]
)
@pytest.mark.parametrize("scheme", ["http", "s3"])
def test_nobody_waits_for_a_server_that_does_not_answer(words: str, scheme: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        place = f"http://127.0.0.1:{silent.getsockname()[1]}"
        url, options = f"{place}/a.zarr", ["--timeout", "600"]
        if scheme == "s3":
            url, options = "s3://bucket/a.zarr", [*options, "--endpoint-url", place, "--anonymous"]
        command = [ZARRSCOPE, *words.format(url=url, tmp=tmp_path).split(), *options]
        with subprocess.Popen(
            [*INTERRUPTIBLE, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                connection, _ = silent.accept()
                with connection:
                    assert connection.recv(100)
                    process.send_signal(2)
                    assert process.wait(timeout=60) == 130
                    assert process.stderr is not None
                    assert process.stderr.read().strip() == ""
            finally:
                process.kill()
