"""A mount in the list of processes."""

from __future__ import annotations

from pathlib import Path

import zarr

from tests.zfs.conftest import Mounter


def test_secrets_are_not_in_the_process_list(tmp_path: Path, mount: Mounter) -> None:
    zarr.save_group(tmp_path / "a.zarr", x=zarr.zeros(3)[...])
    mounted = mount(
        tmp_path / "a.zarr", "-o", "header=Authorization: Bearer a\\,b\\,c", "--header", "X-Key: hush"
    )
    shown = Path(f"/proc/{mounted.daemon()}/cmdline").read_bytes()
    assert str(tmp_path / "a.zarr").encode() in shown
    assert b"Authorization: *" in shown
    assert not {b"Bearer", b"hush"} & {*shown.replace(b"\0", b" ").split()}
    assert b"Bearer" not in Path("/proc/self/mountinfo").read_bytes()
