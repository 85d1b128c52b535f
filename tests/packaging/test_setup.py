"""The shell scripts: a second run is fast, and errors are clear."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.command import run_at_root as run

ROOT = Path(__file__).parents[2]
SCRIPTS = [
    "packaging/setup",
    "packaging/install-mount-helper",
    "packaging/install-desktop",
    "packaging/test",
    "packaging/demo",
    "packaging/debian",
    "packaging/single-file",
    "packaging/docs",
    "packaging/wheel",
    ".ci/run",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_parse_and_are_executable(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
    assert run("bash", "-n", script).stderr == ""


@pytest.mark.skipif(
    not (ROOT / os.environ.get("ZARRSCOPE_VENV", ".venv") / "setup-done-for-tests").exists(),
    reason="this clone was not set up by packaging/setup",
)
def test_setting_up_again_is_silent_and_fast() -> None:
    run("bash", "packaging/setup")  # in case pyproject.toml has changed since
    started = time.monotonic()
    done = run("bash", "packaging/setup")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert time.monotonic() - started < 2, "0.06 s on an idle machine"


def test_an_unknown_argument_is_refused() -> None:
    done = run("bash", "packaging/setup", "--wrong")
    assert done.returncode == 1
    assert done.stderr == (
        "setup: unknown argument --wrong (usage: packaging/setup [--demo] [--ceph] [--clean-roots] [--python 3.N]"
        " | --list-pythons | --packages NAME…)\n"
    )


def test_a_python_that_is_too_old_is_refused(tmp_path: Path) -> None:
    """In a copy without a .venv. /bin/false stands for an old Python: every check fails."""
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "setup").write_bytes((ROOT / "packaging" / "setup").read_bytes())
    done = run("bash", tmp_path / "packaging" / "setup", PYTHON="/bin/false")
    assert done.returncode == 1
    assert done.stderr == "setup: PYTHON=/bin/false is not a Python 3.11 or newer that you can run\n"
    assert not (tmp_path / ".venv").exists()


def test_the_pythons_of_this_machine_are_listed_by_version() -> None:
    listed = run("bash", "packaging/setup", "--list-pythons").stdout.split()
    assert listed == sorted(set(listed), key=lambda version: int(version.removeprefix("3.")))
    assert all(int(version.removeprefix("3.")) >= 11 for version in listed)


def test_a_python_that_is_not_installed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "setup").write_bytes((ROOT / "packaging" / "setup").read_bytes())
    done = run("bash", tmp_path / "packaging" / "setup", "--python", "3.99")
    assert done.returncode == 1
    assert done.stderr.startswith("setup: there is no Python 3.99 on the PATH, nor from pyenv or uv (found: ")


def test_python_without_a_version_is_refused() -> None:
    done = run("bash", "packaging/setup", "--python")
    assert done.returncode == 1
    assert done.stderr.startswith("setup: --python needs a version such as 3.13 (usage: ")


USAGES = {
    "debian": "RELEASE [FOLDER] | --try RELEASE FOLDER",
    "single-file": "[FOLDER] | --try RELEASE FILE",
    "wheel": "[FOLDER] | --try RELEASE FOLDER",
}


@pytest.mark.parametrize(
    ("script", "arguments"),
    [
        ("debian", ()),
        ("debian", ("../x",)),
        *(
            (script, arguments)
            for script in USAGES
            for arguments in (("--try", "trixie"), ("--wrong", "x", "y"))
        ),
        ("single-file", ("--try", "trixie", "no such file")),
        ("single-file", ("--try", "../x", "README.md")),
        ("wheel", ("--try", "../x", "dist")),
    ],
)
def test_scripts_of_packages_refuse_other_arguments(script: str, arguments: tuple[str, ...]) -> None:
    done = run("bash", f"packaging/{script}", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{script}: usage: packaging/{script} {USAGES[script]}\n"
