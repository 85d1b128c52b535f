"""Files that are replaced atomically, most of which only the user can read."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

TEMPORARY = ".tmp"
_PATIENCE_S, _PAUSE_S = 1.0, 0.01


def write_private(path: Path, data: bytes, *, is_durable: bool = False) -> None:
    """Write a file with mode 0600, and its folder with mode 0700 if it does not exist; a link keeps leading to the file.

    Args:
        is_durable: whether the file survives a power failure from now on.

    Raises:
        OSError: it cannot be written; an earlier file is as it was.
    """
    path = Path(os.path.realpath(path))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write(path, data, 0o600, is_durable=is_durable)


def write_shared(path: Path, data: bytes) -> None:
    """Write a file that others may read, in a folder that exists.

    Raises:
        OSError: it cannot be written; an earlier file is as it was.
    """
    _write(Path(os.path.realpath(path)), data, 0o666, is_durable=False)


def _write(path: Path, data: bytes, mode: int, *, is_durable: bool) -> None:
    made = path.with_name(f".{path.name}.{secrets.token_hex(4)}{TEMPORARY}")
    try:
        with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(made, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(made)
        raise


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock beside a file, which other windows and programs respect.

    Raises:
        OSError: the lock cannot be created, or another program holds it for a second.
    """
    try:
        import fcntl
    except ImportError:  # Windows has none
        yield
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600), "wb") as lock:
        stop_s = time.monotonic() + _PATIENCE_S
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if time.monotonic() > stop_s:
                    raise TimeoutError(f"another program is changing {path}: try again") from error
                time.sleep(_PAUSE_S)
            else:
                break
        yield
