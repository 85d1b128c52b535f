"""The log of a mount."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import zarr

from tests.zfs.conftest import Mounter


def test_the_log_continues_in_a_new_file_after_rotation(tmp_path: Path) -> None:
    """As with logrotate: no signal is needed. If the log cannot be written, only the line is lost."""
    folder = tmp_path / "logs"
    folder.mkdir()
    script = """if True:
        import logging, os, shutil, sys
        from zarrfs.mount import logs
        logs.start("info", sys.argv[1], False)
        logging.info("first")
        os.rename(sys.argv[1], sys.argv[1] + ".1")
        logging.info("second")
        os.rename(os.path.dirname(sys.argv[1]), os.path.dirname(sys.argv[1]) + ".moved")
        logging.info("lost")
        os.mkdir(os.path.dirname(sys.argv[1]))
        logging.info("third")
    """
    subprocess.run([sys.executable, "-c", script, folder / "log"], check=True, stderr=subprocess.DEVNULL)
    moved = tmp_path / "logs.moved"
    assert [path.read_text().split()[-1] for path in (moved / "log.1", moved / "log")] == ["first", "second"]
    assert (folder / "log").read_text().count("\n") == 1
    assert "zarrscope[" in (folder / "log").read_text()


def test_a_mount_logs_to_its_file(tmp_path: Path, mount: Mounter) -> None:
    zarr.save_group(tmp_path / "a.zarr", x=zarr.zeros(3)[...])
    document = tmp_path / "a.zarr" / "x" / "c" / "0"
    document.parent.mkdir(parents=True, exist_ok=True)
    document.write_bytes(b"garbage")
    mounted = mount(tmp_path / "a.zarr")
    mounted.log.rename(tmp_path / "old")
    with pytest.raises(OSError, match="Input/output"):
        (mounted.arrays / "x" / "data.raw").read_bytes()
    assert "x/c/0" in mounted.log.read_text()
