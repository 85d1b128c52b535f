"""zarrscope without what macOS and Windows lack, as far as Linux can look like them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "test.yml"


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_everyday_work_needs_nothing_that_only_linux_has(tmp_path: Path, system: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.packaging.other_systems.everyday", system, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    works = [line.removesuffix(" works") for line in done.stdout.splitlines() if line.endswith(" works")]
    assert works == ["library", "links", "cache", "files", "commands", "fsspec", "served", "window"]


def test_the_workflow_does_the_same_on_these_systems() -> None:
    job = yaml.safe_load(WORKFLOW.read_text())["jobs"]["elsewhere"]
    assert [name.partition("-")[0] for name in job["strategy"]["matrix"]["system"]] == ["macos", "windows"]
    assert job["steps"][-1]["run"] == "python -m tests.packaging.other_systems.everyday here tried"
