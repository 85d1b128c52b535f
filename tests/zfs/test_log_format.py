"""Lines of a log: what is in them controls no terminal."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from tests.zfs.conftest import Mounter
from zarrfs.log_format import LogFormatter

HOSTILE = "a\x1b[31m\u202e\n\x9b"


def test_a_record_is_one_line_and_a_traceback_has_its_lines() -> None:
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "failed: %s", (HOSTILE,), None)
    assert LogFormatter("%(levelname)s %(message)s").format(record) == r"ERROR failed: a\x1b[31m\u202e\n\x9b"
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        record.exc_info = sys.exc_info()
    first, *lines = LogFormatter().format(record).split("\n")
    assert lines[0] == "Traceback (most recent call last):"
    assert r"ValueError: a\x1b[31m\u202e" in lines
    assert all(line.isprintable() for line in (first, *lines))


def test_the_log_of_a_mount_has_escapes(tmp_path: Path, mount: Mounter) -> None:
    name = "x\x1b[31m\u202e"
    (tmp_path / "a.zarr" / name).mkdir(parents=True)
    (tmp_path / "a.zarr" / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (tmp_path / "a.zarr" / name / "zarr.json").write_text("{")
    mounted = mount(tmp_path / "a.zarr")
    with pytest.raises(OSError, match="Input/output"):
        (mounted.path / "zarr3" / name / "zarr.json").read_bytes()
    log = mounted.log.read_text()
    assert "x\\x1b[31m\\u202e" in log
    assert log.replace("\n", "").isprintable()
