"""The guide: its pictures exist and are small, its keys are the window's, and the script that takes pictures works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.browser.keys_of_guide import section
from zarrbrowser.window.commands import COMMANDS

DOCS = Path(__file__).parents[2] / "browser" / "docs"
GUIDE = (DOCS / "guide.md").read_text()


def test_all_pictures_exist_and_are_small() -> None:
    pages = "".join(path.read_text() for path in DOCS.glob("*.md"))
    shown = set(re.findall(r"!\[[^\]]+\]\(([^)]+)\)", pages))
    assert len(shown) >= 10
    assert all((DOCS / name).stat().st_size < 100_000 for name in shown)
    assert {path.name for path in DOCS.glob("*.webp")} == shown


def test_the_guide_has_the_table_of_keys() -> None:
    assert GUIDE.endswith(section()), "run python -m tests.browser.keys_of_guide"


def test_the_text_of_the_guide_names_only_keys_of_the_window() -> None:
    known = {key for group in COMMANDS for one in group.commands for key in one.keys}
    named = set(re.findall(r"(?:Ctrl|Alt)\+(?:Shift\+)?\w+", GUIDE))
    assert len(named) > 8
    assert named <= known


@pytest.mark.campaign
def test_the_script_takes_pictures(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            DOCS.parents[1] / "packaging/screenshots.py",
            tmp_path,
            "--only",
            "welcome,storage",
            "--scale",
            "2",
        ],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["welcome.webp", "storage.webp"]
    sizes = {(image.width(), image.height()) for image in map(QImage, map(str, tmp_path.iterdir()))}
    assert sizes == {(2560, 1600)}
