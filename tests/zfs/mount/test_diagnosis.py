"""What ``zarrscope doctor`` says about mounting, and about mounts that work, are dead or hang."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
import zarr

from tests.waiting import wait_until
from tests.zfs.conftest import Mounter, has_ended
from zarrcore.diagnosis import Finding, State
from zarrfs.mount import diagnosis
from zarrfs.mount.mountpoints import MountError


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.zarr"
    zarr.create_group(path)
    return path


def about(path: Path) -> Finding:
    """The finding about one mount; others may exist beside it."""
    return next(finding for finding in diagnosis.findings() if str(path) in finding.text)


def test_a_mount_that_answers_is_fine(source: Path, mount: Mounter) -> None:
    mounted = mount(source)
    finding = about(mounted.path)
    assert (finding.state, finding.text) == (State.OK, f"{source} at {mounted.path} answers")


def test_a_dead_mount_is_a_fault_that_umount_ends(source: Path, mount: Mounter) -> None:
    mounted = mount(source)
    daemon = mounted.daemon()
    os.kill(daemon, signal.SIGKILL)
    wait_until(lambda: has_ended(daemon), "the daemon ends")
    finding = about(mounted.path)
    assert (finding.state, finding.remedy) == (State.FAULT, f"zarrscope umount {mounted.path}")


def test_a_mount_that_hangs_is_a_fault(source: Path, mount: Mounter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "_ANSWER_S", 0.2)
    mounted = mount(source)
    daemon = mounted.daemon()
    os.kill(daemon, signal.SIGSTOP)
    try:
        finding = about(mounted.path)
    finally:
        os.kill(daemon, signal.SIGCONT)
    assert finding.state is State.FAULT
    assert "does not answer" in finding.text
    assert finding.remedy == f"zarrscope umount --lazy {mounted.path}"


def test_a_user_who_cannot_mount_learns_what_root_must_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise MountError("cannot mount: fusermount3 is not installed; run as root: apt install fuse3")

    monkeypatch.setattr(diagnosis, "check_device", refuse)
    first = next(diagnosis.findings())
    text = "fusermount3 is not installed"
    assert first == Finding("mount", State.FAULT, text, "run as root: apt install fuse3")


@pytest.mark.parametrize(
    ("lines", "state"), [("#user_allow_other\n", State.NOTE), (" user_allow_other\n", State.OK)]
)
def test_the_configuration_of_fuse_says_who_may_give_others_access(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: str, state: State
) -> None:
    (tmp_path / "fuse.conf").write_text(lines)
    monkeypatch.setattr(diagnosis, "_CONFIGURATION", str(tmp_path / "fuse.conf"))
    finding = list(diagnosis.findings())[1]
    assert finding.state is state
    assert "-o allow_other" in finding.text


def test_a_missing_optional_part_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "find_spec", lambda name: None)
    first = next(diagnosis.findings())
    assert (first.state, first.text) == (State.NOTE, "not installed: pyfuse3, trio")
    assert first.remedy.endswith("python3-dev; then pip install 'zarrscope[fuse]'")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert "apt" not in next(diagnosis.findings()).remedy, "nothing needs to be compiled"


def test_another_system_than_linux_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert [(one.state, one.text) for one in diagnosis.findings()] == [(State.NOTE, "mounting needs Linux")]


def test_versions_name_libfuse() -> None:
    assert diagnosis.versions()["libfuse"].startswith("3.")
