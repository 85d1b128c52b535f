"""What ``zarrscope doctor`` says about the window, with Qt in a process of its own."""

from __future__ import annotations

import pytest

from zarrbrowser import diagnosis
from zarrcore.diagnosis import Finding, State


def found() -> Finding:
    (finding,) = diagnosis.findings()
    return finding


def test_a_platform_that_starts_can_open_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert found() == Finding("window", State.OK, "a window can open")


def test_a_missing_display_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert (found().state, "no display" in found().text) == (State.NOTE, True)


def test_a_display_that_does_not_answer_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.setenv("DISPLAY", ":9876")
    finding = found()
    assert finding.state is State.FAULT
    assert "could not connect to display :9876" in finding.text
    assert finding.remedy == "check DISPLAY, or log in with ssh -X"


def test_missing_packages_are_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "NEEDED", ("PySide6", "absent_package"))
    assert found().text == "not installed: absent_package"
    assert found().remedy == "pip install 'zarrscope[gui]'"


def test_versions_name_the_bindings_of_qt() -> None:
    assert diagnosis.versions()["PySide6_Essentials"][0] == "6"
