"""The reports of all parts together."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from zarrcore.diagnosis import Finding, State, all_findings, all_parts, all_versions


class Other:
    """The reporter of another package."""

    def versions(self) -> dict[str, str]:
        return {"other": "1"}

    def findings(self) -> Iterator[Finding]:
        yield Finding("other", State.OK, "works")


def register(monkeypatch: pytest.MonkeyPatch, reporter: object) -> None:
    def load(group: str, name: str) -> object:
        if isinstance(reporter, Exception):
            raise reporter
        return reporter

    monkeypatch.setattr(all_parts, "extension_names", lambda group: ("other",))
    monkeypatch.setattr(all_parts, "load_extension", load)


def test_the_mount_and_the_window_report_their_versions() -> None:
    assert {"zarrscope", "Python", "obstore", "libfuse", "PySide6_Essentials"} <= all_versions().keys()


def test_other_packages_report_too(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, Other())
    assert all_versions()["other"] == "1"
    assert Finding("other", State.OK, "works") in list(all_findings())


def test_a_reporter_that_cannot_be_loaded_is_a_fault_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    register(monkeypatch, ImportError("no module named x"))
    assert "zarrscope" in all_versions()
    found = list(all_findings())
    text = "its diagnosis fails (ImportError: no module named x)"
    assert Finding("other", State.FAULT, text) in found
    assert found[-1].area == "temporary files"
