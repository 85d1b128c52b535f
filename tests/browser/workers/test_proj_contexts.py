"""Coordinates that workers of the window project, one after another in the same thread."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.waiting import PATIENCE_S
from zarrbrowser.workers import Workers
from zarrbrowser.workers.proj_contexts import _is_safe, keep_proj_context

pyproj: Any = pytest.importorskip("pyproj")


def test_workers_of_one_thread_project_one_after_another(qtbot: QtBot) -> None:
    """Before version 3.8, pyproj ends the process here if its context is not kept."""
    workers = Workers(threads=1)
    found: list[float] = []
    text = "+proj=robin +R=6371000 +type=crs"

    def project(_request: object) -> float:
        transformer = pyproj.Transformer.from_crs(text, "+proj=longlat +R=6371000", always_xy=True)
        x, _ = transformer.transform(np.linspace(0.0, 1e6, 50), np.zeros(50))
        return float(x[-1])

    for number in range(20):
        workers.submit(project, found.append, lambda error: found.append(repr(error)))  # type: ignore[arg-type]
        qtbot.waitUntil(lambda number=number: len(found) == number + 1)  # type: ignore[misc]
    assert found == [found[0]] * 20
    assert found[0] == pytest.approx(10.6, abs=0.1)
    assert workers.wait(PATIENCE_S)


def test_a_worker_ends_while_another_thread_imports_pyproj(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyproj", ModuleType("pyproj"))  # as far as the import has come
    keep_proj_context()


def test_a_worker_ends_with_a_release_that_has_no_such_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    older = ModuleType("pyproj")
    older.__version__ = "3.6.1"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyproj", older)
    monkeypatch.delitem(sys.modules, "pyproj._context", raising=False)
    keep_proj_context()


@pytest.mark.parametrize(
    ("version", "expected"), [("3.7.2", False), ("3.8.0", True), ("3.10.0", True), ("4.0", True)]
)
def test_versions_that_forget_what_they_freed(version: str, expected: bool) -> None:
    assert _is_safe(version) == expected
