"""The single file: built once, and used on each release without Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.clean_roots.conftest import Script


@pytest.fixture(scope="module")
def program(script: Script, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("single-file")
    script("packaging/single-file", folder)
    (file,) = folder.iterdir()
    return file


def test_the_file_works(release: str, script: Script, program: Path) -> None:
    assert f"the file works on {release}" in script("packaging/single-file", "--try", release, program)
