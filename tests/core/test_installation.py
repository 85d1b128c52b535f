"""How zarrscope was installed, by the traces that each installer leaves."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from zarrcore import installation
from zarrcore.errors import MissingExtraError
from zarrcore.installation import Installer, how_to_add, how_to_repair, installer

URL = "file:///tmp/zarrscope-0.1.0-py3-none-any.whl"
REQUIRED = """\
Requires-Dist: numpy>=2.0
Requires-Dist: redis>=5.1; extra == 'redis'
Requires-Dist: pyside6-essentials<6.12,>=6.7; (python_version < '3.12') and extra == 'gui'
Requires-Dist: pyside6-essentials>=6.7; (python_version >= '3.12') and extra == 'gui'
Requires-Dist: pyfuse3>=3.4; (sys_platform == 'linux') and extra == 'fuse'
Requires-Dist: icechunk>=2; (python_version >= '3.99') and extra == 'icechunk'
"""
RECEIPT = (
    '[tool]\nrequirements = [{ name = "zarrscope", extras = ["serve"], path = "x.whl" }, { name = "lz4" }]\n'
)


@pytest.fixture(autouse=True)
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment in which pip installed a wheel of zarrscope."""
    site = tmp_path / "site"
    metadata(site, "METADATA", f"Metadata-Version: 2.1\nName: zarrscope\nVersion: 9\n{REQUIRED}")
    metadata(site, "INSTALLER", "pip\n")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    return tmp_path


def metadata(site: Path, name: str, text: str) -> None:
    folder = site / "zarrscope-9.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def test_pip(prefix: Path) -> None:
    assert installer() is Installer.PIP
    assert how_to_add("redis") == "pip install 'zarrscope[redis]'"
    assert how_to_repair(["numpy", "rich"]) == "pip install numpy rich"


def test_uv_in_a_virtual_environment_which_has_no_pip(prefix: Path) -> None:
    metadata(prefix / "site", "INSTALLER", "uv")
    assert installer() is Installer.UV
    assert how_to_add("redis") == "uv pip install 'zarrscope[redis]'"
    assert how_to_repair(["numpy"]) == "uv pip install numpy"


def test_pipx_also_where_it_works_through_uv(prefix: Path) -> None:
    metadata(prefix / "site", "INSTALLER", "uv")
    (prefix / "pipx_metadata.json").write_text("{}")
    assert installer() is Installer.PIPX
    assert how_to_add("redis") == "pipx inject zarrscope 'zarrscope[redis]'"
    assert how_to_repair(["numpy"]) == "pipx reinstall zarrscope"


def test_uv_tool_keeps_the_extras_and_the_place_of_the_wheel(prefix: Path) -> None:
    (prefix / "uv-receipt.toml").write_text(RECEIPT)
    assert installer() is Installer.UV_TOOL
    assert how_to_add("redis") == "uv tool install 'zarrscope[redis,serve]'"
    metadata(prefix / "site", "direct_url.json", json.dumps({"url": URL, "archive_info": {}}))
    assert how_to_add("redis") == f"uv tool install 'zarrscope[redis,serve] @ {URL}'"
    assert how_to_repair(["numpy"]) == "uv tool upgrade --reinstall zarrscope"


def test_the_debian_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/usr/lib/zarrscope")
    assert installer() is Installer.DEBIAN
    assert how_to_add("gui") == "apt install zarrscope"
    assert how_to_add("redis") == "the Debian package cannot be extended; an installation by pip or pipx can"
    assert how_to_repair(["numpy"]) == "apt install --reinstall zarrscope-cli"


def test_the_single_file_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert installer() is Installer.SINGLE_FILE
    assert "cannot be extended" in how_to_add("gui")
    assert how_to_repair(["numpy"]) == "get the single-file program once more"


def test_an_extra_that_needs_another_python_says_so() -> None:
    here = "{}.{}".format(*sys.version_info[:2])
    assert how_to_add("icechunk") == f"it needs Python 3.99 or newer, and this is Python {here}"
    assert str(MissingExtraError("Icechunk", "icechunk")) == (
        f"Icechunk needs an optional dependency: it needs Python 3.99 or newer, and this is Python {here}"
    )


def test_a_package_with_a_line_for_each_python_needs_no_other() -> None:
    assert installation.needed_python("gui") is None
    assert how_to_add("gui") == "pip install 'zarrscope[gui]'"


def test_a_requirement_of_linux_is_none_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "pyfuse3" in {one.name for one in installation.requirements()}
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "pyfuse3" not in {one.name for one in installation.requirements()}


def test_sources_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "DISTRIBUTION", "zarrscope-that-is-not-installed")
    assert list(installation.requirements()) == []
    assert installer() is Installer.PIP
