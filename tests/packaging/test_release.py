"""What a release is made of: the script's arguments, the workflow that publishes, the recipes of others."""

from __future__ import annotations

import json
import re
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from tests.command import run_at_root

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PLATFORMS = (
    "any",
    "manylinux_2_17_x86_64",
    "manylinux_2_17_aarch64",
    "musllinux_1_1_x86_64",
    "musllinux_1_1_aarch64",
)
OF_CONDA = {"isal": "python-isal", "xxhash": "python-xxhash"}
"""Names of packages that are others on conda-forge."""


def test_an_unknown_argument_is_refused() -> None:
    done = run_at_root("packaging/release", "--wrong")
    assert (done.returncode, done.stderr) == (1, "release: usage: packaging/release [--python] [FOLDER]\n")


@pytest.mark.campaign
@pytest.mark.timeout(900)
def test_the_parts_for_python_have_checksums_and_a_bill_of_materials(tmp_path: Path) -> None:
    done = run_at_root("packaging/release", "--python", tmp_path, timeout_s=800)
    assert done.returncode == 0, done.stderr
    version = PROJECT["version"]
    names = {f"zarrscope-{version}{end}" for end in (".tar.gz", ".cdx.json")}
    names |= {f"zarrscope-{version}-py3-none-{platform}.whl" for platform in PLATFORMS}
    for platform in PLATFORMS:
        with zipfile.ZipFile(tmp_path / f"zarrscope-{version}-py3-none-{platform}.whl") as wheel:
            has_engine = "zarrcore/native/libengine.so" in wheel.namelist()
            assert has_engine == (platform != "any")
            if has_engine:  # the machine's number in an ELF file
                machine = wheel.read("zarrcore/native/libengine.so")[18]
                assert machine == (62 if platform.endswith("x86_64") else 183)
    assert {path.name for path in tmp_path.iterdir()} == names | {"SHA256SUMS"}
    assert (
        set(re.findall(r"^[0-9a-f]{64}  (.+)$", (tmp_path / "SHA256SUMS").read_text(), re.MULTILINE)) == names
    )
    bill = json.loads((tmp_path / f"zarrscope-{version}.cdx.json").read_text())
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "zarrscope")
    found = {one["name"].lower().replace("_", "-") for one in bill["components"]}
    assert {
        re.split(r"[<>=]", line)[0].lower().replace("_", "-") for line in PROJECT["dependencies"]
    } <= found
    assert "pytest" not in found


def test_publishing_needs_no_password() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
    jobs = workflow["jobs"]
    assert workflow["permissions"] == {}
    assert jobs["pypi"]["permissions"] == {"id-token": "write"}
    assert not re.search(r"password:|secrets\.", (ROOT / ".github/workflows/release.yml").read_text())
    assert any("packaging/release dist" in step.get("run", "") for step in jobs["build"]["steps"])


def test_the_recipe_of_conda_needs_what_the_project_needs() -> None:
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text())
    assert recipe["context"]["version"] == PROJECT["version"]
    needed = set(recipe["requirements"]["run"]) - {f"python {PROJECT['requires-python']}"}
    own = (re.fullmatch(r"([^<>=]+)(.*)", line) for line in PROJECT["dependencies"])
    assert needed == {f"{OF_CONDA.get(one[1], one[1])} {one[2]}" for one in own if one}
    scripts = {**PROJECT["scripts"], **PROJECT["gui-scripts"]}
    assert set(recipe["build"]["python"]["entry_points"]) == {
        f"{key} = {value}" for key, value in scripts.items()
    }
    assert recipe["about"]["homepage"] == PROJECT["urls"]["Homepage"]


def test_the_container_has_the_package_that_is_built_for_its_release() -> None:
    text = (ROOT / "packaging/Containerfile").read_text()
    (release,) = re.findall(r"^FROM debian:(\w+)-slim$", text, re.MULTILINE)
    assert f"COPY dist/zarrscope-cli_*~{release}1_*.deb" in text
