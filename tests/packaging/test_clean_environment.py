"""``packaging/test`` starts the tests without what the machines of developers set, and keeps that for installers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import installing_environment

PACKAGING = Path(__file__).parents[2] / "packaging"
KEPT = {"HOME", "USER", "TMPDIR", "OPENBLAS_NUM_THREADS", "ZARRSCOPE_ALL"}
DROPPED = {
    "PYTHONUNBUFFERED": "1",
    "PYTHONPATH": "/elsewhere",
    "PYTHON": "/usr/bin/python3",
    "PIP_INDEX_URL": "https://index",
    "CI": "true",
    "LC_ALL": "C",
    "https_proxy": "http://proxy",
    "AWS_PROFILE": "work",
    "GOOGLE_APPLICATION_CREDENTIALS": "/key",
    "AZURE_STORAGE_ACCOUNT": "me",
    "COLUMNS": "40",
    "TWO_LINES": "a\nb=c",
}
OWN = {"LANG", "QT_QPA_PLATFORM", "ZARRSCOPE_VENV", "ZARRSCOPE_SETUP_ENVIRONMENT"}
OF_SHELLS = {"PWD", "OLDPWD", "SHLVL", "_", "PATH"}
PYTHON = f'#!/bin/sh\n[ "$1" != -m ] || exec env -0 >tests.env\nexec {sys.executable} "$@"\n'


def written(file: Path) -> dict[str, str]:
    """What ``env -0`` has written to a file."""
    return dict(line.split("=", 1) for line in file.read_text().split("\0") if line)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which ``packaging/test`` has run; its set-up and its tests only wrote down their environments."""
    clone = tmp_path_factory.mktemp("clone")
    (clone / "packaging").mkdir()
    for script in ("test", "clean_environment.sh", "build_engine.py"):
        shutil.copy(PACKAGING / script, clone / "packaging")
    (clone / "packaging" / "setup").write_text("env -0 >setup.env\n")
    (clone / "packaging" / "corpora.py").write_text("import os; os.system('env -0 >corpora.env')\n")
    programs = clone / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("ruff", "mypy", "lint-imports", "python"):
        (programs / name).write_text(PYTHON if name == "python" else "#!/bin/sh\n")
        (programs / name).chmod(0o755)
    given = {**dict.fromkeys(KEPT, "/tmp"), **DROPPED, "PATH": os.environ["PATH"], "LANG": "de_DE.UTF-8"}
    subprocess.run(
        ["bash", clone / "packaging" / "test"], env=given, check=True, capture_output=True, timeout=60
    )
    return clone


def test_the_tests_have_only_what_every_machine_has(clone: Path) -> None:
    found = written(clone / "tests.env")
    assert set(found) - OF_SHELLS == KEPT | OWN
    assert found["LANG"] == "C.UTF-8"


@pytest.mark.parametrize("name", ["setup", "corpora"])
def test_what_fetches_has_everything(clone: Path, name: str) -> None:
    assert written(clone / f"{name}.env").items() >= DROPPED.items()


def test_installers_get_everything(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in set(os.environ):
        monkeypatch.delenv(name)
    for name, text in {**written(clone / "tests.env"), "HOME": "/home/of/the/test"}.items():
        monkeypatch.setenv(name, text)
    environment = installing_environment()
    assert environment.items() >= DROPPED.items()
    assert environment["HOME"] == "/home/of/the/test"
