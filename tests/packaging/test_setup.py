"""The shell scripts: a second run is fast, and errors are clear."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest

from tests.command import INTERRUPTIBLE
from tests.command import run_at_root as run

ROOT = Path(__file__).parents[2]
SCRIPTS = [
    "packaging/setup",
    "packaging/install-mount-helper",
    "packaging/install-desktop",
    "packaging/test",
    "packaging/demo",
    "packaging/debian",
    "packaging/single-file",
    "packaging/docs",
    "packaging/wheel",
    "packaging/release",
    ".ci/run",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_parse_and_are_executable(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
    assert run("bash", "-n", script).stderr == ""


VENV = ROOT / os.environ.get("ZARRSCOPE_VENV", ".venv")


@pytest.mark.skipif(
    VENV.parent != ROOT or VENV.is_symlink() or not (VENV / "setup-done-for-tests").exists(),
    reason="this clone was not set up by packaging/setup",
)
def test_setting_up_again_is_silent_and_starts_no_installer() -> None:
    run("bash", "packaging/setup")  # in case pyproject.toml has changed since
    done = run("bash", "packaging/setup")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    traced = run("bash", "-x", "packaging/setup").stderr
    started = re.findall(r"^\++ (.+)", traced, re.MULTILINE)
    assert any("dpkg-query" in command for command in started), "the trace shows what is started"
    installers = re.compile(r"-m (pip|venv)\b|^(npm|apt-get) ")
    assert not [command for command in started if installers.search(command)]


def test_an_unknown_argument_is_refused() -> None:
    done = run("bash", "packaging/setup", "--wrong")
    assert done.returncode == 1
    assert done.stderr == (
        "setup: unknown argument --wrong (usage: packaging/setup [--demo] [--packaging] [--prove] [--all] [--python 3.N]"
        " | --list-pythons | --packages NAME…)\n"
    )


def test_building_packages_and_pages_sets_up_no_test_system() -> None:
    calls = {
        name: (ROOT / "packaging" / name).read_text() for name in ("wheel", "docs", "debian", "single-file")
    }
    for name in ("wheel", "docs"):
        assert re.findall(r'packaging/setup"(.*)', calls[name]) == [" --packaging >&2"]
    for name in ("debian", "single-file"):
        assert "packaging/setup" not in calls[name]
        assert 'bash "$root/packaging/wheel"' in calls[name]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The set-up script in a folder without an environment; the one that the tests run in is not its own."""
    monkeypatch.delenv("ZARRSCOPE_VENV", raising=False)
    script = tmp_path / "packaging" / "setup"
    script.parent.mkdir()
    script.write_bytes((ROOT / "packaging" / "setup").read_bytes())
    return script


def test_the_versions_of_python_are_the_same_everywhere() -> None:
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    versions = [name for of in project["classifiers"] if (name := of.rpartition(" :: ")[2]).startswith("3.")]
    assert project["requires-python"] == f">={versions[0]}"
    workflow = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
    assert f"python: {json.dumps(versions)}\n" in workflow
    setup = (ROOT / "packaging/setup").read_text(encoding="utf-8")
    oldest, newest = (version.removeprefix("3.") for version in (versions[0], versions[-1]))
    assert f"\noldest={oldest} newest={newest} " in setup
    changelog = (ROOT / "core/docs/changelog.md").read_text(encoding="utf-8")
    assert f"Python {versions[0]} to {versions[-1]}" in changelog


@pytest.mark.parametrize("name", ["setup", "clean_root.sh"])
def test_progress_is_the_last_that_an_installer_drew_as_whole_characters(name: str, tmp_path: Path) -> None:
    found = re.search(
        r"^tell_progress\(\) \{.*?^\}",
        (ROOT / "packaging" / name).read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    assert found is not None
    log = tmp_path / "log"
    log.write_text(
        "Downloading x\n" + "".join(f"   {'━' * 40} {part}/9 MB\r" for part in range(9)) + "   ━━ 9/9 MB"
    )
    once = 'say() { echo "$*"; }; sleep() { ((turns++ < 1)); }; log=$1'
    done = run("bash", "-c", f'{once}; {found[0]}; tell_progress "$1"', "bash", log)
    assert (done.stdout.split(), done.stderr) == (["…", "15", "s", "so", "far:", "9/9", "MB"], "")


def test_a_python_that_is_too_old_is_refused(copy: Path) -> None:
    """/bin/false stands for an old Python: every check fails."""
    done = run("bash", copy, PYTHON="/bin/false")
    assert done.returncode == 1
    assert done.stderr == "setup: PYTHON=/bin/false is not a Python 3.11 or newer that you can run\n"
    assert not (copy.parents[1] / ".venv").exists()


@pytest.mark.parametrize("is_relative", [False, True])
def test_an_environment_elsewhere_is_kept(copy: Path, tmp_path: Path, is_relative: bool) -> None:
    other = tmp_path / "other"
    (other / "bin").mkdir(parents=True)
    name = f"../{tmp_path.name}/other" if is_relative else str(other)
    done = run("bash", copy, "--demo", PYTHON=sys.executable, ZARRSCOPE_VENV=name)
    assert done.returncode == 1
    assert done.stderr == (
        f"setup: ZARRSCOPE_VENV={name} is not a folder's name in this clone; an environment elsewhere is not replaced\n"
    )
    assert (other / "bin").is_dir()


def test_a_file_in_the_place_of_the_environment_is_kept(copy: Path) -> None:
    environment = copy.parents[1] / ".venv"
    environment.write_text("mine")
    done = run("bash", copy, "--demo", PYTHON=sys.executable)
    assert done.returncode == 1
    assert done.stderr == (
        f"setup: the file {environment} is in the way of the virtual environment: move it elsewhere\n"
    )
    assert environment.read_text() == "mine"


@pytest.mark.campaign
def test_without_a_network_this_is_the_reason_and_the_link_to_another_environment_is_replaced(
    copy: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / "bin").mkdir(parents=True)
    (tmp_path / ".venv").symlink_to(other)
    (tmp_path / "pyproject.toml").write_text('[build-system]\nrequires = ["no-such-package"]\n')
    refusing = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "1", "PIP_CONFIG_FILE": os.devnull}
    done = run("bash", copy, "--demo", PYTHON=sys.executable, **refusing)
    assert done.returncode == 1
    assert done.stderr.startswith("setup: installing zarrscope by pip failed: no connection to the network. ")
    assert len(done.stderr.splitlines()) == 1
    assert os.listdir(other) == ["bin"]
    assert os.listdir(other / "bin") == []
    assert not (tmp_path / ".venv").is_symlink()


@pytest.mark.campaign
def test_ctrl_c_ends_an_installation_quietly(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[build-system]\nrequires = ["no-such-package"]\n')
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(60)
        index = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        process = subprocess.Popen(
            [*INTERRUPTIBLE, "bash", copy, "--demo"],
            env={
                **os.environ,
                "PYTHON": sys.executable,
                "PIP_INDEX_URL": index,
                "PIP_CONFIG_FILE": os.devnull,
                "NO_PROXY": "127.0.0.1",
                "no_proxy": "127.0.0.1",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            with silent.accept()[0]:  # pip waits for an answer
                os.killpg(process.pid, signal.SIGINT)
                said = process.communicate(timeout=60)[1]
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, said) == (130, "")


def test_the_pythons_of_this_machine_are_listed_by_version() -> None:
    listed = run("bash", "packaging/setup", "--list-pythons").stdout.split()
    assert listed == sorted(set(listed), key=lambda version: int(version.removeprefix("3.")))
    assert all(int(version.removeprefix("3.")) >= 11 for version in listed)


@pytest.mark.parametrize(
    ("version", "refusal"),
    [
        ("3.99", "Python 3.99 was not found on the PATH, in pyenv or in uv (found: "),
        ("3.10", "zarrscope needs Python 3.11 or newer, not 3.10 (found: "),
    ],
)
def test_a_version_that_cannot_be_used_is_refused(copy: Path, version: str, refusal: str) -> None:
    done = run("bash", copy, "--python", version)
    assert done.returncode == 1
    assert done.stderr.startswith(f"setup: {refusal}")


def test_the_folder_of_the_script_counts_not_that_of_the_shell(tmp_path: Path, copy: Path) -> None:
    """CDPATH would lead elsewhere, a name with a dash looks like an option, and HOME may be missing."""
    clone = copy.parents[1].rename(tmp_path.with_name("-ä 'b"))
    command = 'unset HOME; cd -- "$1" && bash packaging/setup --python 3.99'
    done = run("bash", "-c", command, "bash", clone, CDPATH=".:..")
    assert done.returncode == 1
    assert done.stderr.startswith("setup: Python 3.99 was not found")
    assert len(done.stderr.splitlines()) == 1


def test_python_without_a_version_is_refused() -> None:
    done = run("bash", "packaging/setup", "--python")
    assert done.returncode == 1
    assert done.stderr.startswith("setup: --python needs a version such as 3.13 (usage: ")


USAGES = {
    "debian": "RELEASE [FOLDER] | --try RELEASE FOLDER",
    "single-file": "[FOLDER] | --try RELEASE FILE",
    "wheel": "[--platforms] [FOLDER] | --try RELEASE FOLDER",
}


@pytest.mark.parametrize(
    ("script", "arguments"),
    [
        ("debian", ()),
        ("debian", ("../x",)),
        *(
            (script, arguments)
            for script in USAGES
            for arguments in (("--try", "trixie"), ("--wrong", "x", "y"))
        ),
        ("single-file", ("--try", "trixie", "no such file")),
        ("single-file", ("--try", "../x", "README.md")),
        ("wheel", ("--try", "../x", "dist")),
    ],
)
def test_scripts_of_packages_refuse_other_arguments(script: str, arguments: tuple[str, ...]) -> None:
    done = run("bash", f"packaging/{script}", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{script}: usage: packaging/{script} {USAGES[script]}\n"
