"""Man pages: one for each command, without warnings of groff, found by man(1)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("man")
    command = [sys.executable, ROOT / "packaging" / "man_pages.py", folder]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return folder / "man1"


def test_each_command_has_a_page(folder: Path) -> None:
    commands = {f"zarrscope-{point.name}.1" for point in entry_points(group="zarrscope.commands")}
    assert {page.name for page in folder.iterdir()} == {"zarrscope.1", "zarrbrowser.1", *commands}


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_has_no_complaint(folder: Path) -> None:
    pages = sorted(folder.iterdir())
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z", "-k", *pages], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_page_has_the_name_and_every_option_of_its_command(folder: Path) -> None:
    page = (folder / "zarrscope-cat.1").read_text()
    assert "\nzarrscope-cat \\- write an array" in page
    for option in ("select", "as", "output", "anonymous", "cache\\-dir"):
        assert f"\\-\\-{option}" in page
    assert "COMMENTS" not in page
    assert page.endswith("\n.fi\n")
    assert "\n.SH EXAMPLES\n.nf\n  zarrscope cat brain.zarr functional " in page
