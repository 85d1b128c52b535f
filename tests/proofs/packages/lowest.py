"""A trial of the lowest versions that pyproject.toml allows: the tests of the library with them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.proofs.trials import ROOT


class LowestError(AssertionError):
    """Tests fail with the lowest versions."""


def trial(seed: int, tests: str) -> int:
    """Install the lowest versions in an environment of their own, and run tests; returns how many passed.

    Raises:
        LowestError: some fail, or the versions cannot be installed together.
    """
    if seed:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        python = place / "environment/bin/python"
        _run("uv", "venv", "--quiet", "--python", sys.executable, str(place / "environment"))
        pip = ("uv", "pip", "install", "--quiet", "--python", str(python))
        _run(*pip, "--resolution", "lowest-direct", f"{ROOT}[all]")
        frozen = _run("uv", "pip", "freeze", "--python", str(python), "--exclude-editable")
        constraints = place / "constraints"
        constraints.write_text("".join(line + "\n" for line in frozen.splitlines() if "==" in line))
        _run(*pip, "--constraint", str(constraints), "--editable", f"{ROOT}[test]")
        done = subprocess.run(
            [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={place / 'tests'}", tests],
            cwd=ROOT,
            env={**os.environ, "PATH": f"{python.parent}:{os.environ['PATH']}"},
            capture_output=True,
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
