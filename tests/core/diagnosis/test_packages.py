"""Diagnosis of Python packages."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

import pytest

from zarrcore.diagnosis import State, packages


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


def test_a_missing_required_package_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "xxhash", "rich")
    fault = next(finding for finding in packages.findings() if finding.state is State.FAULT)
    assert (fault.text, fault.remedy) == ("missing: rich, xxhash", "pip install rich xxhash")


def test_a_missing_optional_package_is_a_note_that_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "redis", "boto3")
    notes = [finding for finding in packages.findings() if finding.state is State.NOTE]
    assert len(notes) == 1
    assert "aws (boto3)" in notes[0].text
    assert "redis (redis)" in notes[0].text
    assert "nibabel" not in notes[0].text, "only the demonstration needs it"


def test_the_single_file_program_does_not_advise_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "redis")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    (note,) = [finding for finding in packages.findings() if finding.state is State.NOTE]
    assert note.remedy == "the single-file program cannot be extended; an installation by pip or pipx can"
