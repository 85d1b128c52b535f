"""The commands do the same whatever the environment: buffered output, the user, a home that is not writable, the language."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.command import run_inside

ZARRSCOPE = Path(sys.executable).with_name("zarrscope")
USER = 65534


class Environment(NamedTuple):
    """What a command finds beside PATH, and who runs it."""

    variables: dict[str, str]
    user: int | None = None

    @property
    def prefix(self) -> list[str]:
        """The command that changes the user, who may still read the interpreter wherever it is."""
        may_read = "+dac_read_search"
        change = [f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups"]
        return (
            ["setpriv", *change, f"--inh-caps={may_read}", f"--ambient-caps={may_read}"] if self.user else []
        )


NOWHERE = "/proc/self/home"
ENVIRONMENTS = [
    pytest.param(Environment({}), id="empty"),
    pytest.param(Environment({"PYTHONUNBUFFERED": "1", "LC_ALL": "C", "HOME": NOWHERE}), id="unbuffered"),
    pytest.param(
        Environment({"LANG": "C", "HOME": NOWHERE}, USER),
        id="another user",
        marks=pytest.mark.skipif(os.geteuid() != 0, reason="only root can run a program as another user"),
    ),
]


@pytest.fixture(params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> Environment:
    return request.param


def run(
    environment: Environment, words: str, stdout: str | int = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    """Run ``zarrscope WORDS``, with its output in a file or a pipe."""
    with open(stdout, "wb") if stdout != subprocess.PIPE else contextlib.nullcontext(stdout) as output:
        return subprocess.run(
            [*environment.prefix, ZARRSCOPE, *words.split()],
            env={"PATH": os.environ["PATH"], "COLUMNS": "80", **environment.variables},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )


@pytest.mark.sampled
@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "--version",
        "tree {source}",
        "info {source} images/stack",
        "ls {source}",
        "cat {source} images/stack",
        "check {source} --json",
    ],
)
def test_the_output_is_the_same(
    environment: Environment, words: str, hierarchy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = words.format(source=hierarchy)
    done = run(environment, words)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == run_inside(*words.split()).stdout


def test_doctor_finds_the_packages(environment: Environment) -> None:
    done = run(environment, "doctor")
    assert done.stderr == b""
    assert "✓ packages" in done.stdout.decode()


def test_copies_are_the_same(environment: Environment, hierarchy: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    if environment.user:
        os.chown(place, environment.user, environment.user)
    done = run(environment, f"copy {hierarchy} {place}/copy.zarr --quiet")
    assert (done.returncode, done.stderr) == (0, b"")
    assert run_inside("diff", hierarchy, place / "copy.zarr").status == 0


@pytest.mark.sampled
@pytest.mark.parametrize(
    "words",
    [
        "",
        "--help",
        "tree --help",
        "--version",
        "--version --verbose",
        "tree {source}",
        "info {source}",
        "ls {source} --json",
        "check {source}",
        "cat {source} images/stack",
        "completion bash",
        "doctor --json",
    ],
)
def test_a_full_disk_is_told_in_one_line(environment: Environment, words: str, hierarchy: Path) -> None:
    done = run(environment, words.format(source=hierarchy), "/dev/full")
    assert (done.returncode, done.stderr) == (1, b"zarrscope: No space left on device\n")


@pytest.mark.sampled
@pytest.mark.parametrize("words", ["--help", "tree {source}", "ls {source}", "cat {source} images/stack"])
def test_a_closed_pipe_is_not_an_error(environment: Environment, words: str, hierarchy: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run(environment, words.format(source=hierarchy), writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.sampled
@pytest.mark.parametrize("words", ["--help", "tree", "tree /proc/self/nothing"])
def test_neither_the_output_nor_the_reason_can_be_written(environment: Environment, words: str) -> None:
    with open("/dev/full", "wb") as full:
        command = [*environment.prefix, ZARRSCOPE, *words.split()]
        done = subprocess.run(
            command, env=dict(environment.variables), stdout=full, stderr=full, timeout=60, check=False
        )
    assert done.returncode in (1, 2)
