"""The standard error of libraries."""

from __future__ import annotations

import os

from zarrfs.mount.stderr import captured_stderr


def test_the_last_line_is_the_reason_without_the_name_of_the_program() -> None:
    with captured_stderr() as read:
        assert read() == "libfuse gives no reason"
        os.write(2, b"fuse: first\nfusermount3: mount failed: Permission denied\n")
        assert read() == "mount failed: Permission denied"
        os.write(2, b"no colon here\n")
        assert read() == "no colon here"
