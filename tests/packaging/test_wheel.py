"""The wheel and the source archive: complete, checked, and usable after installation."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.command import run_at_root

pytestmark = pytest.mark.campaign
ROOT = Path(__file__).parents[2]
PACKAGES = ("core/zarrcore", "core/zarrscope", "zfs/zarrfs", "browser/zarrbrowser")


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    done = run_at_root("packaging/wheel", folder)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()[-2:]) == sorted(map(str, folder.iterdir()))
    return folder


@pytest.fixture(scope="module")
def installed(distributions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel installed, to put before the packages of this environment."""
    folder = tmp_path_factory.mktemp("installed")
    (wheel,) = distributions.glob("*.whl")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        folder,
        wheel,
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return folder


def tracked(*folders: str) -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a git checkout, so the list of files is unknown")
    command = ["git", "-C", ROOT, "ls-files", "--", *folders]
    return subprocess.check_output(command, text=True, timeout=60).splitlines()


def test_the_wheel_has_every_file_of_the_packages_and_no_other(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    guide = {f"zarrbrowser/guide/{Path(name).name}" for name in tracked("browser/docs")}
    engine = {"zarrcore/native/libengine.so"}
    assert found == {name.partition("/")[2] for name in tracked(*PACKAGES)} | guide | engine


def test_the_page_on_pypi_has_no_relative_address(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(name).decode()
    addresses = re.findall(r"\]\(([^)]+)\)", text)
    assert len(addresses) > 20
    assert not [one for one in addresses if not one.startswith(("https://", "http://", "#"))]
    assert "raw.githubusercontent.com/zarrscope/zarrscope/main/browser/docs/image.webp" in text
    assert "Author: The zarrscope developers" in text


def test_the_source_archive_has_documents_and_scripts_and_no_tests(distributions: Path) -> None:
    (source,) = distributions.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        found = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        name for name in tracked("core", "zfs", "browser", "packaging") if Path(ROOT, name).exists()
    } <= found
    assert not [name for name in found if name.startswith("tests")]


def test_the_installed_commands_run(installed: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(installed), "QT_QPA_PLATFORM": "offscreen"}
    where = [
        sys.executable,
        "-c",
        "import zarrcore, zarrscope, zarrfs, zarrbrowser; print(zarrcore.__file__)",
    ]
    shown = subprocess.run(where, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown.stdout.startswith(str(installed))
    for command in (
        ["zarrscope", "doctor", "--json"],
        ["zarrscope", "mount", "--help"],
        ["zarrbrowser", "--help"],
    ):
        program = [installed / "bin" / command[0], *command[1:]]
        done = subprocess.run(
            program, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert "zarrscope" in done.stdout, done.stderr
