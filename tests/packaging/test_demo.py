"""packaging/demo checks its own values. These tests check that it succeeds, fails and cleans up."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import zarr

import zarrcore
from tests.conftest import Written

PACKAGING = Path(__file__).parents[2] / "packaging"
needs_fuse = pytest.mark.skipif(
    not os.access("/dev/fuse", os.R_OK | os.W_OK), reason="/dev/fuse cannot be opened"
)
WITHOUT_MOUNT = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import demo
demo.why_no_mount = lambda: "mounting is not allowed here"
sys.exit(demo.main(sys.argv[1:]))
"""
WITH_A_DIFFERENCE = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import demo
check = demo.check
demo.check = lambda found, expected, what: check(found, expected + 1, what)
sys.exit(demo.main(sys.argv[1:]))
"""


@pytest.fixture
def packaging(tmp_path: Path) -> Path:
    """The demonstration in a clone of the test's own."""
    folder = tmp_path / "clone" / "packaging"
    folder.mkdir(parents=True)
    for script in PACKAGING.glob("demo*.py"):
        shutil.copy(script, folder)
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A cache folder and a folder for mount points of the test's own."""
    (tmp_path / "tmp").mkdir()
    return {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path / "tmp")}


def run_demo(
    packaging: Path, environment: dict[str, str], *arguments: str | Path
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, packaging / "demo.py", *arguments]
    return subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100
    )


def mounts_below(folder: str | Path) -> list[str]:
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    return [mount for mount in mounts if mount.startswith(f"{folder}/")]


@needs_fuse
def test_the_brain_is_mounted_compared_and_unmounted(packaging: Path, environment: dict[str, str]) -> None:
    done = run_demo(packaging, environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("equal to nibabel's") == 3
    assert "equal to what the library reads" in done.stdout
    pictures = list(Path(environment["XDG_CACHE_HOME"]).rglob("*.png"))
    assert [picture.name for picture in pictures] == ["functional-1-12.png"]
    assert "title" in zarrcore.open_hierarchy(packaging.parent / "brain.zarr")["/"].attributes
    assert os.listdir(environment["TMPDIR"]) == []


@pytest.mark.campaign
def test_only_its_own_images_are_replaced(
    packaging: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    brain = packaging.parent / "brain.zarr"

    def is_refused() -> bool:
        done = run_demo(packaging, environment)
        refusal = f"{brain} exists, and this demonstration did not write it: move it elsewhere"
        return (done.returncode, done.stdout, done.stderr) == (1, "", f"\ndemo: {refusal}\n")

    brain.write_text("a file")
    assert is_refused()
    assert brain.read_text() == "a file"
    brain.unlink()
    zarr.create_group(brain, attributes={"title": "another"}).create_group("mine")
    assert is_refused()
    assert (brain / "mine").exists()
    brain.rename(tmp_path / "another.zarr")
    for _ in range(2):
        assert run_demo(packaging, environment).returncode == 0
    brain.rename(tmp_path / "elsewhere.zarr")
    brain.symlink_to(tmp_path / "elsewhere.zarr")
    assert is_refused()


@pytest.mark.campaign
@needs_fuse
@pytest.mark.parametrize("group", ["", "types", "shapes/volume", "shapes/vector"])
def test_any_source_can_be_shown(
    packaging: Path, environment: dict[str, str], hierarchy: Written, group: str
) -> None:
    done = run_demo(packaging, environment, hierarchy.path / group)
    assert (done.returncode, done.stderr) == (0, "")
    assert "equal to what the library reads" in done.stdout
    assert os.listdir(environment["TMPDIR"]) == []


@pytest.mark.campaign
@needs_fuse
def test_keep_leaves_it_mounted(packaging: Path, environment: dict[str, str]) -> None:
    done = run_demo(packaging, environment, "--keep")
    (mountpoint,) = mounts_below(environment["TMPDIR"])
    try:
        assert (done.returncode, done.stderr) == (0, "")
        assert f"umount {mountpoint}" in done.stdout
        assert sorted(os.listdir(mountpoint)) == ["arrays", "hdf5", "keys", "zarr3"]
    finally:
        subprocess.run(
            [Path(sys.executable).with_name("zarrscope"), "umount", mountpoint], check=True, timeout=60
        )


@pytest.mark.campaign
@needs_fuse
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing_mounted(
    packaging: Path, environment: dict[str, str], number: signal.Signals
) -> None:
    command = [sys.executable, packaging / "demo.py"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as demo:
        try:
            deadline = time.monotonic() + 60
            while (
                not mounts_below(environment["TMPDIR"])
                and demo.poll() is None
                and time.monotonic() < deadline
            ):
                time.sleep(0.005)
            demo.send_signal(number)
            demo.communicate(timeout=60)
        finally:
            demo.kill()
    assert mounts_below(environment["TMPDIR"]) == []
    assert os.listdir(environment["TMPDIR"]) == []


@needs_fuse
def test_a_difference_is_an_error_and_leaves_nothing_mounted(
    packaging: Path, environment: dict[str, str]
) -> None:
    command = [sys.executable, "-c", WITH_A_DIFFERENCE, packaging]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    assert done.stderr.strip().startswith(
        "demo: the int16 (96, 128) read differs from what the library reads"
    )
    assert os.listdir(environment["TMPDIR"]) == []


@pytest.mark.campaign
def test_without_a_mount_the_command_line_shows_the_same(
    packaging: Path, environment: dict[str, str]
) -> None:
    command = [sys.executable, "-c", WITHOUT_MOUNT, packaging]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    assert "mounting is not allowed here" in done.stdout
    assert done.stdout.count("equal to nibabel's") == 3
    assert len(list(Path(environment["XDG_CACHE_HOME"]).rglob("*.png"))) == 1


def test_a_source_without_a_hierarchy_gives_one_line(
    packaging: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    for source in (tmp_path / "nowhere", tmp_path / "tmp"):
        done = run_demo(packaging, environment, source)
        assert done.returncode == 1
        assert done.stderr.strip().startswith("demo: ")
        assert len(done.stderr.strip().splitlines()) == 1
