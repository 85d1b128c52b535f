"""Mount points: the list of mounts, and the places that are refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from zarrfs.mount import mountpoints


@pytest.mark.parametrize(
    ("exists", "may_open", "said"), [(False, True, "no /dev/fuse"), (True, False, "may not open")]
)
def test_a_user_who_cannot_mount_gets_the_reason(
    monkeypatch: pytest.MonkeyPatch, exists: bool, may_open: bool, said: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(os.path, "exists", lambda _: exists)
    monkeypatch.setattr(os, "access", lambda *_: may_open)
    with pytest.raises(mountpoints.MountError, match=said):
        mountpoints.check_device()


def test_mount_points_of_any_name_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = "a\u3000b\x85c\r"
    listed = tmp_path / "mountinfo"
    listed.write_text(f"30 1 0:42 / /{name}\\040d rw - fuse.zarrscope s\\040t rw\n", newline="")
    monkeypatch.setattr("builtins.open", partial(_instead, open, listed))
    assert mountpoints.mounted_at(f"/{name} d") == mountpoints.Mounted(
        f"/{name} d", "fuse.zarrscope", "s t", "0:42"
    )


def _instead(real: Callable[..., object], path: Path, _: str, *arguments: object) -> object:
    return real(path, *arguments)


def test_the_mounts_of_this_machine_are_listed() -> None:
    listed = mountpoints.all_mounted()
    assert {mount.fstype for mount in listed if mount.mountpoint == "/proc"} == {"proc"}
    found = mountpoints.mounted_at("/proc")
    assert found is not None
    assert (found.mountpoint, found.fstype) == ("/proc", "proc")
    assert mountpoints.mounted_at("/proc/") is None


def test_of_mounts_at_one_place_the_topmost_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    listed = tmp_path / "mountinfo"
    listed.write_text("30 1 0:42 / /a rw shared:1 - tmpfs first rw\n31 1 0:43 / /a rw - tmpfs second rw\n")
    monkeypatch.setattr("builtins.open", partial(_instead, open, listed))
    found = mountpoints.mounted_at("/a")
    assert found is not None
    assert (found.source, found.device) == ("second", "0:43")


def test_a_mount_point_is_an_absolute_path_without_links(tmp_path: Path) -> None:
    (tmp_path / "real" / "mnt").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "to-mnt").symlink_to("real/mnt")
    real = os.path.realpath(tmp_path)
    assert mountpoints.resolve(f"{tmp_path}/link/../link/mnt/") == f"{real}/real/mnt"
    assert mountpoints.resolve(str(tmp_path / "to-mnt")) == f"{real}/to-mnt"
    assert mountpoints.resolve(str(tmp_path / "link" / "none")) == f"{real}/real/none"
    assert mountpoints.prepare(str(tmp_path / "to-mnt")) == f"{real}/real/mnt"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none", "there is no such directory"),
        ("file", "it is not a directory"),
        ("file/x", "it is not a directory"),
    ],
)
def test_only_a_directory_is_mounted_on(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(mountpoints.MountError) as caught:
        mountpoints.prepare(str(tmp_path / name))
    assert str(caught.value) == f"cannot mount at {tmp_path / name}: {said}"


def test_a_place_with_another_mount_is_refused() -> None:
    with pytest.raises(mountpoints.MountError, match=r"cannot mount at /proc: .+ is already mounted there"):
        mountpoints.prepare("/proc")


def test_a_mount_hides_what_is_in_its_directory(tmp_path: Path) -> None:
    assert not mountpoints.hides_something(str(tmp_path))
    (tmp_path / ".hidden").touch()
    assert mountpoints.hides_something(str(tmp_path))


def test_a_source_and_its_mount_point_are_not_nested(tmp_path: Path) -> None:
    source, sibling = tmp_path / "a b", tmp_path / "a b2"
    (source / "mnt").mkdir(parents=True)
    sibling.mkdir()
    (tmp_path / "link").symlink_to(source)
    real = os.path.realpath(source)
    for mountpoint in (real, f"{real}/mnt", os.path.dirname(real)):
        for named in (str(source), f"file://{source}".replace(" ", "%20"), str(tmp_path / "link")):
            with pytest.raises(mountpoints.MountError, match="must not contain each other"):
                mountpoints.refuse_nested(mountpoint, named)
    for other in (str(sibling), str(tmp_path / "none"), "s3://bucket/a", "http://127.0.0.1:9/a"):
        mountpoints.refuse_nested(real, other)


def test_a_cache_is_not_inside_the_mount_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.path.realpath(tmp_path)
    monkeypatch.setenv("HOME", real)
    for inside in (real, f"{real}/cache", "~/cache", f"{real}/../{tmp_path.name}/cache"):
        with pytest.raises(mountpoints.MountError, match="is inside it"):
            mountpoints.refuse_inside(real, inside)
    mountpoints.refuse_inside(f"{real}/mnt", f"{real}/mnt2")
    mountpoints.refuse_inside(f"{real}/mnt", real)


def test_unmounting_what_is_not_mounted_gives_the_reason(tmp_path: Path) -> None:
    place = os.path.realpath(tmp_path)
    with pytest.raises(mountpoints.MountError, match=f"cannot unmount {place}: .") as caught:
        mountpoints.unmount(place)
    assert type(caught.value) is mountpoints.MountError
    assert not mountpoints.raise_read_ahead(place)
