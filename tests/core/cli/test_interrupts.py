"""Ctrl-C while the program starts: status 130 and no traceback, whatever is being imported."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import INTERRUPTIBLE

PACKAGING = Path(__file__).parents[3] / "packaging"
ZARRSCOPE = Path(sys.executable).with_name("zarrscope")
Interrupted = Callable[[str, list[str | Path], dict[str, str]], tuple[int, str]]
HOOK = """
import os, sys

module = os.environ.pop("INTERRUPT_AT", "")

def interrupt(event, arguments):
    global module
    if event == "import" and arguments[0] == module:
        module = ""
        os.kill(os.getpid(), 2)

sys.addaudithook(interrupt)
"""
"""What Python runs first: the process interrupts itself. A test that watches it may come too late."""


@pytest.fixture
def interrupted_at(tmp_path_factory: pytest.TempPathFactory) -> Interrupted:
    """Runs a command that is interrupted where it imports a module; returns its status and what it says."""
    folder = tmp_path_factory.mktemp("hook")
    (folder / "sitecustomize.py").write_text(HOOK)

    def run(module: str, command: list[str | Path], environment: dict[str, str]) -> tuple[int, str]:
        done = subprocess.run(
            [*INTERRUPTIBLE, *command],
            env={**os.environ, **environment, "PYTHONPATH": str(folder), "INTERRUPT_AT": module},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stderr.strip()

    return run


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
def test_commands(interrupted_at: Interrupted, words: str, module: str, source: Path, tmp_path: Path) -> None:
    command = [ZARRSCOPE, *words.format(source=source, tmp=tmp_path).split()]
    assert interrupted_at(module, command, {"QT_QPA_PLATFORM": "offscreen"}) == (130, "")


def test_the_window(interrupted_at: Interrupted, source: Path) -> None:
    command = [ZARRSCOPE.with_name("zarrbrowser"), source]
    assert interrupted_at("argparse", command, {"QT_QPA_PLATFORM": "offscreen"}) == (130, "")


@pytest.mark.parametrize("module", ["numpy", "zarrcore.hierarchy", "nibabel"])
def test_the_demonstration(interrupted_at: Interrupted, module: str, tmp_path: Path) -> None:
    for script in PACKAGING.glob("demo*.py"):
        shutil.copy(script, tmp_path)
    status, said = interrupted_at(
        module, [sys.executable, tmp_path / "demo.py"], {"XDG_CACHE_HOME": str(tmp_path)}
    )
    assert (status, said.removeprefix("demo: stopped")) == (130, "")


def test_the_helper_of_mount(interrupted_at: Interrupted, source: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "zarrfs.mount.helper", source, tmp_path]
    status, said = interrupted_at("zarrcore.cli.text", command, {})
    assert (status, said) == (130, "")


@pytest.mark.sampled
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
