"""For tests that build packages, and use them in clean roots of Debian: minimal systems that debootstrap makes."""

from __future__ import annotations

import faulthandler
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import installing_environment

ROOT = Path(__file__).parents[3]
Script = Callable[..., str]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(3600))


@pytest.fixture(scope="session", params=["bookworm", "trixie"])
def release(request: pytest.FixtureRequest) -> str:
    """Each release of Debian in turn."""
    return request.param


@pytest.fixture(scope="session")
def script(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Script:
    """``script("packaging/debian", "trixie", folder)`` runs that, shows its output while it runs, and returns it."""
    reason = what_is_missing(tmp_path_factory.mktemp("probe"))
    if reason:
        pytest.skip(reason)
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def run(*command: str | Path, folder: Path = ROOT) -> str:
        faulthandler.cancel_dump_traceback_later()  # pytest would print where it waits
        # A packaging/test within this one must not run these tests again.
        environment = {
            name: text for name, text in installing_environment().items() if not name.startswith("ZARRSCOPE_")
        }
        if folder == ROOT and "ZARRSCOPE_VENV" in os.environ:
            environment["ZARRSCOPE_VENV"] = os.environ["ZARRSCOPE_VENV"]
        said = ""
        with (
            capture.global_and_fixture_disabled(),
            subprocess.Popen(
                [*command],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            ) as process,
        ):
            print()
            for line in process.stdout:
                print(line, end="", flush=True)
                said += line
        assert process.returncode == 0, said
        return said

    return run


def what_is_missing(folder: Path) -> str:
    """The reason why no root can be made; empty if one can be."""
    if os.geteuid() != 0:
        return "debootstrap and chroot need root"
    for program in ("debootstrap", "lintian"):
        if shutil.which(program) is None:
            return f"{program} is not installed: run packaging/setup --all"
    command = ["debootstrap", "--variant=minbase", "--print-debs", "trixie", str(folder / "root")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return "" if done.returncode == 0 else f"debootstrap cannot download: {done.stderr.strip()[-200:]}"
