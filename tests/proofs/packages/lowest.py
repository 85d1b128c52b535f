"""A trial of the lowest versions that pyproject.toml allows: the tests of one of the three packages with them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from tests.proofs.trials import ROOT


class LowestError(AssertionError):
    """Tests fail with the lowest versions."""


def trial(seed: int, *parts: str) -> int:
    """Install the lowest versions in an environment of their own, and run one part of the tests; returns how many passed.

    Raises:
        LowestError: some fail, or the versions cannot be installed together.
    """
    if seed >= len(parts):
        return 0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        python = place / "environment/bin/python"
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        # With a later Python, packages as old as these lack wheels.
        lowest_python = project["requires-python"].removeprefix(">=")
        _run("uv", "venv", "--quiet", "--python", lowest_python, str(place / "environment"))
        pip = ("uv", "pip", "install", "--quiet", "--python", str(python))
        _run(*pip, "--resolution", "lowest-direct", f"{ROOT}[all]")
        frozen = _run("uv", "pip", "freeze", "--python", str(python), "--exclude-editable")
        constraints = place / "constraints"
        constraints.write_text("".join(line + "\n" for line in frozen.splitlines() if "==" in line))
        _run(*pip, "--constraint", str(constraints), "--editable", f"{ROOT}[test]")
        # A program of Node, which the tests look for beside the packages.
        azurite = Path(sys.prefix) / "azurite"
        if azurite.is_dir():
            (place / "environment/azurite").symlink_to(azurite)
        done = subprocess.run(
            [
                *(python, "-X", "faulthandler", "-m", "pytest", "-q", "-p", "no:cacheprovider"),
                *(f"--basetemp={place / 'tests'}", parts[seed]),
            ],
            cwd=ROOT,
            env={**os.environ, "PATH": f"{python.parent}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    if done.returncode:
        raise LowestError(done.stdout[-20_000:])
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None, done.stdout
    return int(passed[1])


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LowestError(f"{' '.join(words)}\n{done.stderr}")
    return done.stdout
