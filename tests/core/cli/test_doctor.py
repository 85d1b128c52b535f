"""``zarrscope doctor`` and ``zarrscope --version``."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.command import Run


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A home directory without credentials."""
    monkeypatch.setenv("HOME", str(tmp_path))


def test_each_finding_is_a_line_and_each_remedy_a_line_below_it(zarrscope: Run) -> None:
    done = zarrscope("doctor", "--cache-dir", "/proc/self/cache")
    assert done.status == 1
    lines = done.text.splitlines()
    assert lines[0].startswith(f"zarrscope {version('zarrscope')}, Python ")
    assert "✓ packages         all required Python packages are installed" in lines
    fault = next(number for number, line in enumerate(lines) if line.startswith("✗ cache"))
    assert lines[fault + 1] == f"{'':18} → name another directory with --cache-dir"


def test_json_is_one_document(zarrscope: Run) -> None:
    done = zarrscope("doctor", "--json")
    document = json.loads(done.stdout)
    assert document["versions"]["zarrscope"] == version("zarrscope")
    areas = {finding["area"] for finding in document["findings"]}
    assert {"packages", "mount", "window", "S3", "GCS", "Azure", "temporary files"} <= areas
    faults = [finding for finding in document["findings"] if finding["state"] == "fault"]
    assert done.status == bool(faults)


def test_the_version_is_one_line(zarrscope: Run) -> None:
    done = zarrscope("--version")
    assert (done.status, done.text) == (0, f"zarrscope {version('zarrscope')}\n")


def test_the_verbose_version_names_what_a_report_of_a_problem_needs(zarrscope: Run) -> None:
    lines = zarrscope("--version", "--verbose").text.splitlines()
    names = [line.split(" ")[0] for line in lines]
    assert names[0] == "zarrscope"
    assert {"Python", "Linux", "numpy", "obstore", "libfuse", "pyfuse3", "PySide6_Essentials"} <= set(names)
