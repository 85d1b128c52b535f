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
