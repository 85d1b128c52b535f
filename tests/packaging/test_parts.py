"""All tests in parts: python -m tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import __main__ as parts

PROGRAM = """
import sys
from pathlib import Path
from tests import __main__ as parts
parts.CHECKS, parts.ROOT, *parts.PARTS = {}, Path(sys.argv[1]), *sys.argv[2:]
del sys.argv[1:]
sys.exit(parts.main())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Passing tests in a folder, and others in a folder of it."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/test_one.py").write_text("def test_it(tmp_path): (tmp_path / 'file').touch()")
    (tmp_path / "a/b/test_two.py").write_text("def test_it(): pass\ndef test_other(): pass")
    (tmp_path / "empty").mkdir()
    (tmp_path / "temporary").mkdir()
    return tmp_path


def run(folder: Path, *names: str) -> tuple[int, list[str]]:
    """The exit status and the lines of a run of these parts."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, folder, *names],
        cwd=parts.ROOT,
        env={
            **os.environ,
            "TMPDIR": str(folder / "temporary"),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },  # plug-ins of other packages print lines of their own
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_each_folder_exists() -> None:
    assert all((parts.ROOT / folder).is_dir() for part in parts.PARTS for folder in parts.folders_of(part))


def test_a_word_that_is_no_part_runs_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests", "tests/zsf"],
        cwd=parts.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no part is named 'tests/zsf'" in done.stderr


def test_a_folder_in_another_one_is_run_once(folder: Path) -> None:
    status, lines = run(folder, "a/b", "a", "empty")
    assert status == 0
    assert lines[-1].startswith("======== 3 passed in ")
    assert any("] a: 1 passed in " in line for line in lines)
    assert list((folder / "temporary").iterdir()) == []


def test_a_part_can_run_without_the_engine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ZARRSCOPE_ENGINE", raising=False)
    (folder / "a/test_one.py").write_text(
        "import os\ndef test_it(): assert os.environ.get('ZARRSCOPE_ENGINE') != 'python'"
    )
    status, lines = run(folder, "a", f"{parts.WITHOUT_ENGINE}a", f"{parts.WITHOUT_ENGINE}a/b")
    assert status == 1
    assert any("] a: 3 passed in " in line for line in lines)
    assert any(f"] {parts.WITHOUT_ENGINE}a: 1 failed in " in line for line in lines)
    assert any(f"] {parts.WITHOUT_ENGINE}a/b: 2 passed in " in line for line in lines)


def test_only_the_temporary_files_of_a_part_that_fails_are_left(folder: Path) -> None:
    (folder / "a/b/test_three.py").write_text("def test_it(tmp_path): (tmp_path / 'file').unlink()")
    status, lines = run(folder, "a/b", "a")
    (left,) = (folder / "temporary").iterdir()
    assert status == 1
    assert f"The temporary files of the parts that failed are in {left}" in lines
    assert [path.name for path in left.rglob("test_it0")] == ["test_it0"]


def test_a_part_that_fails_fails_all(folder: Path) -> None:
    texts = {
        "false": "def test_it(): assert 0",
        "broken": "def test_it(",
        "ended": "import os; os._exit(0)",
        "killed": "import os; os.kill(os.getpid(), 9)",
    }
    for name, text in texts.items():
        (folder / name).mkdir()
        (folder / name / "test_three.py").write_text(text)
    status, lines = run(folder, "a", *texts)
    assert status == 1
    assert any("] a: 3 passed in " in line for line in lines)
    (failed,) = (line for line in lines if line.startswith("failed: "))
    assert sorted(failed.removeprefix("failed: ").split(", ")) == sorted(texts)
    assert "FAILED false/test_three.py::test_it - assert 0" in lines
    assert any(line.startswith("======== ") and "1 failed" in line and "3 passed" in line for line in lines)


@pytest.mark.parametrize(
    ("code", "closing_line", "has_failed"),
    [("print('fine')", "fine", False), ("raise SystemExit('wrong')", "wrong", True)],
)
def test_a_check_is_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, closing_line: str, has_failed: bool
) -> None:
    monkeypatch.setattr(parts, "CHECKS", {"check": ("python", "-c", code)})
    outcome = parts.run("check", tmp_path / "temporary")
    assert (outcome.closing_line, outcome.has_failed) == (closing_line, has_failed)
    assert 0 < outcome.processor_s < 60
    assert 1 << 20 < outcome.nbytes < 1 << 30
