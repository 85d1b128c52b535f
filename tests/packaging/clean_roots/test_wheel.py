"""The wheel, installed with pipx and uv. The source archive holds no tests."""

from __future__ import annotations

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
