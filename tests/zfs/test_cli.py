"""The command line of a mount: environment files and secrets."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import zarr

from tests.zfs.conftest import Mounter
from zarrfs.cli import _take_environment
from zarrfs.mount.mountpoints import MountError


def test_the_environment_is_read_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {})
    file = tmp_path / "env"
    file.write_text("# credentials\n\nAWS_ACCESS_KEY_ID=me\nQUOTED=\"a b\"\nEMPTY=\nWITH='=x='\nONE='\n")
    _take_environment(str(file))
    assert os.environ == {"AWS_ACCESS_KEY_ID": "me", "QUOTED": "a b", "EMPTY": "", "WITH": "=x=", "ONE": "'"}
    file.write_text("A=1\nSECRET\n")
    with pytest.raises(MountError, match=r"line 2 of .* is not NAME=VALUE") as caught:
        _take_environment(str(file))
    assert "SECRET" not in str(caught.value)
    with pytest.raises(MountError, match="no such file"):
        _take_environment(str(tmp_path / "none"))
    file.write_bytes(b"A=\xff\n")
    with pytest.raises(MountError, match="not a text file"):
        _take_environment(str(file))


def test_output_that_a_file_system_refuses_at_close_is_reported(mount: Mounter, tmp_path: Path) -> None:
    """As a network file system does that is full only then. Here it is a mount, in which a new file must be a NumPy file."""
    zarr.create_group(tmp_path / "a.zarr")
    place = mount(tmp_path / "a.zarr", "--read-write").path / "arrays" / "new.npy"
    command = [Path(sys.executable).with_name("zarrscope"), "--version"]
    with open(place, "wb") as file:
        done = subprocess.run(
            command, stdout=file, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
        assert (done.returncode, done.stderr) == (1, "zarrscope: Invalid argument\n")
        with suppress(OSError):
            file.close()
