"""Two ways to the same values: files of a mount, and the command line where this user cannot mount."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from types import TracebackType

import numpy as np

ZARRSCOPE = os.path.join(os.path.dirname(sys.executable), "zarrscope")
Selection = tuple[int | slice, ...]


class DemoError(Exception):
    """A step went wrong; the message is a sentence."""


def zarrscope(*arguments: str) -> str:
    """Run the command and return its output.

    Raises:
        DemoError: it did not exit with 0.
    """
    done = subprocess.run([ZARRSCOPE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip() or f"it exited with {done.returncode} and said nothing"
        raise DemoError(f"“zarrscope {arguments[0]}” failed: {said}")
    return done.stdout


@contextlib.contextmanager
def signals_wait() -> Iterator[None]:
    """Delay signals that end the program, so that it never stops halfway through a mount.

    Commands that run meanwhile get signals themselves: Ctrl-C in a terminal ends them at once.
    """
    received: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = {
        number: signal.signal(number, lambda number, _frame: received.append(number)) for number in numbers
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for first in received[:1]:
            signal.raise_signal(first)


def why_no_mount() -> str:
    """Why this user cannot mount here, or an empty string."""
    if importlib.util.find_spec("pyfuse3") is None:
        return "pyfuse3 is not installed; packaging/setup says what it needs"
    if not os.path.exists("/dev/fuse"):
        return "there is no /dev/fuse here (a container needs --device /dev/fuse --cap-add SYS_ADMIN)"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        mode = os.stat("/dev/fuse").st_mode & 0o777
        return (
            f"you may not open /dev/fuse, whose mode is {mode:04o} (root can allow it: chmod 666 /dev/fuse)"
        )
    if os.geteuid() != 0 and shutil.which("fusermount3") is None:
        return "an ordinary user mounts through fusermount3, which is not installed (Debian: fuse3)"
    return ""


def as_text(selection: Selection, shape: tuple[int, ...]) -> str:
    """A selection as the command line and the mount's file names spell it."""
    parts = []
    for part, length in zip(selection, shape, strict=True):
        if isinstance(part, int):
            parts.append(str(part))
        else:
            parts.append(":" if part == slice(0, length) else f"{part.start}:{part.stop}")
    return ",".join(parts) or "..."


class Mount:
    """A hierarchy that is mounted while the ``with`` block runs, or longer if ``keep`` is set."""

    def __init__(self, source: str, options: list[str]) -> None:
        self.keep = False
        self.source = source
        self.options = options
        self.mountpoint = tempfile.mkdtemp(prefix="zarrscope-demo-")

    def __enter__(self) -> Mount:
        try:
            with signals_wait():
                zarrscope("mount", *self.options, self.source, self.mountpoint)
        except BaseException:
            self.unmount()
            raise
        return self

    def __exit__(self, _type: object, exception: BaseException | None, trace: TracebackType | None) -> None:
        if exception is not None:
            traceback.clear_frames(trace)  # they may hold mapped files, which keep the mount busy
        if exception is not None or not self.keep:
            self.unmount()

    def unmount(self) -> None:
        with signals_wait():
            if os.path.ismount(self.mountpoint):
                zarrscope("umount", self.mountpoint)
            os.rmdir(self.mountpoint)

    def file(self, path: str, name: str) -> str:
        """A virtual file of the array at a path."""
        return os.path.join(self.mountpoint, "arrays", path.strip("/"), name)

    def whole(self, path: str) -> np.ndarray:
        values: np.ndarray = np.load(self.file(path, "data.npy"), mmap_mode="r")
        return values

    def part(self, path: str, selection: Selection, shape: tuple[int, ...]) -> np.ndarray:
        del shape
        return self.whole(path)[selection]

    def picture(self, path: str, selection: Selection, shape: tuple[int, ...], target: str) -> str:
        """Copy the picture of a plane from the mount; returns a description."""
        leading = [str(part) for part in selection if isinstance(part, int)]
        if selection[len(leading) :] != tuple(slice(0, length) for length in shape[len(leading) :]):
            name = f"[{as_text(selection, shape)}].png"
        else:
            name = os.path.join("slices", *leading) + ".png" if leading else "data.png"
        file = self.file(path, name)
        shutil.copyfile(file, target)
        return f"copied from {os.path.relpath(file, self.mountpoint)} of the mount"


class CommandLine:
    """The same through ``zarrscope cat``."""

    def __init__(self, source: str, options: list[str]) -> None:
        self.source = source
        self.options = options

    def whole(self, path: str) -> np.ndarray:
        return self._npy(path)

    def part(self, path: str, selection: Selection, shape: tuple[int, ...]) -> np.ndarray:
        return self._npy(path, "--select", as_text(selection, shape))

    def picture(self, path: str, selection: Selection, shape: tuple[int, ...], target: str) -> str:
        """Write the picture of a plane; returns a description."""
        self._cat(path, "--select", as_text(selection, shape), "--as", "png", "--output", target)
        return f"by “zarrscope cat --select {as_text(selection, shape)} --as png”"

    def _npy(self, path: str, *more: str) -> np.ndarray:
        with tempfile.TemporaryDirectory(prefix="zarrscope-demo-") as folder:
            file = os.path.join(folder, "data.npy")
            self._cat(path, *more, "--as", "npy", "--output", file)
            values: np.ndarray = np.load(file)
            return values

    def _cat(self, path: str, *more: str) -> None:
        zarrscope("cat", *self.options, *more, self.source, path)
