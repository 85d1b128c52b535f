"""The wheel, installed with pipx and uv; and the source archive, whose own tests pass."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tests.packaging.clean_roots.conftest import Script


@pytest.fixture(scope="module")
def distributions(script: Script, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    script("packaging/wheel", folder)
    return folder


def test_pipx_and_uv_install_both_commands(release: str, script: Script, distributions: Path) -> None:
    said = script("packaging/wheel", "--try", release, distributions)
    assert f"the wheel works on {release} with pipx and uv" in said


def test_the_tests_in_the_source_archive_pass(script: Script, distributions: Path, tmp_path: Path) -> None:
    (archive,) = distributions.glob("*.tar.gz")
    with tarfile.open(archive) as source:
        source.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    parts = ("tests/core/cli", "tests/packaging", "tests/zfs/mount")
    said = script("packaging/test", *parts, folder=folder)
    assert " passed" in said.splitlines()[-1]
