"""A mount in the list of processes."""

from __future__ import annotations

from pathlib import Path

import zarr

from tests.command import run_process
from tests.zfs.conftest import Mounter
from tests.zfs.mount.command_line import parse
from zarrfs.process_list import source_secrets


def test_secrets_are_not_in_the_process_list(tmp_path: Path, mount: Mounter) -> None:
    zarr.save_group(tmp_path / "a.zarr", x=zarr.zeros(3)[...])
    mounted = mount(
        tmp_path / "a.zarr",
        "-o",
        "header=Authorization: Bearer a\\,b\\,c",
        "--header",
        "X-Key: hush",
        run=run_process,
    )
    shown = Path(f"/proc/{mounted.daemon()}/cmdline").read_bytes()
    assert str(tmp_path / "a.zarr").encode() in shown
    assert b"Authorization: *" in shown
    assert not {b"Bearer", b"hush"} & {*shown.replace(b"\0", b" ").split()}
    assert b"Bearer" not in Path("/proc/self/mountinfo").read_bytes()


def test_a_password_and_a_query_in_a_url_aresource_secrets() -> None:
    namespace = parse()
    namespace.source = "https://me:pw@host/a?sig=1#/x"
    assert source_secrets(namespace) == ["me:pw", "sig=1#/x"]
    namespace.source = "https://host/a"
    assert source_secrets(namespace) == []
