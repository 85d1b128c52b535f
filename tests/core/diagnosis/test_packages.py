"""Diagnosis of Python packages."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

import pytest

from zarrcore import installation
from zarrcore.diagnosis import Finding, State, packages


def test_versions_are_those_that_are_installed() -> None:
    versions = packages.versions()
    assert versions["numpy"] == version("numpy")
    assert versions["Python"].startswith(platform.python_version())
    assert versions[platform.system()] == platform.release()


def test_a_complete_installation_has_no_fault() -> None:
    assert State.FAULT not in {finding.state for finding in packages.findings()}


def without(monkeypatch: pytest.MonkeyPatch, *missing: str) -> None:
    def known(name: str) -> str:
        if name in missing:
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(packages, "version", known)


def notes_on_packages() -> list[Finding]:
    """The notes but that on the engine, which is off in some runs of the tests."""
    found = packages.findings()
    return [finding for finding in found if finding.state is State.NOTE and finding.area == "packages"]


def test_a_missing_required_package_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "xxhash", "rich")
    fault = next(finding for finding in packages.findings() if finding.state is State.FAULT)
    assert (fault.text, fault.remedy) == ("missing: rich, xxhash", "pip install rich xxhash")


def test_a_missing_optional_package_is_a_note_that_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "redis", "boto3")
    note, *_ = notes_on_packages()
    assert "aws (boto3)" in note.text
    assert "redis (redis)" in note.text
    assert "nibabel" not in note.text, "only the demonstration needs it"


def test_the_remedy_fits_the_installer(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "redis")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    note, *_ = notes_on_packages()
    assert note.remedy.endswith(
        "the single-file program cannot be extended; an installation by pip or pipx can"
    )


def test_an_extra_that_needs_a_newer_python_is_a_note_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "icechunk", "redis")
    needed = [
        one._replace(least_python=(3, 99)) if one.name == "icechunk" else one
        for one in installation.requirements()
    ]
    monkeypatch.setattr(installation, "requirements", lambda: iter(needed))
    first, second = notes_on_packages()
    assert first.text == "optional dependencies not installed: redis (redis)"
    assert second.text.startswith("icechunk is not available: it needs Python 3.99 or newer")
    assert second.remedy == ""


def test_the_engine_is_named_and_its_absence_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    for is_used, words, state in (
        (True, "decodes blosc, zstd", State.OK),
        (False, "ZARRSCOPE_ENGINE=python turns it off", State.NOTE),
    ):
        monkeypatch.setattr(packages, "engine_state", lambda found=(is_used, words): found)
        (finding,) = [one for one in packages.findings() if one.area == "engine"]
        assert finding.state is state
        assert finding.text.endswith(words)
