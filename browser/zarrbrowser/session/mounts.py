"""Mounting a source as a folder, with the `zarrscope` command in a separate process."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import Source, SourceRequest
from zarrcore.child_processes import module_command
from zarrcore.errors import ZarrError

_PATIENCE_S = 90.0
_OCTAL = re.compile(rb"\\([0-7]{3})")
"""How the system's mount table writes a space in a name."""


@dataclass(slots=True)
class Mounts:
    """The folders where this program has mounted sources."""

    folders: dict[str, str] = field(default_factory=dict)
    """The folder by the source's place."""
    _turn: threading.Lock = field(default_factory=threading.Lock)
    """Held while mounting: a second request gets the same mount, and closing the window sees it."""

    def folder(self, source: Source) -> str | None:
        """The folder of a source's mount; None if it is not mounted, or was unmounted by another program."""
        folder = self.folders.get(source.request.place)
        if folder is not None and not is_mounted(folder):
            del self.folders[source.request.place]
            folder = None
        return folder

    def mount(self, source: Source, is_unwanted: Callable[[], bool] = lambda: False) -> str:
        """Mount a source, and return the folder; blocks.

        Args:
            is_unwanted: called after mounting; if true, the source is unmounted immediately.

        Raises:
            ZarrError: the source cannot be mounted; the text says why.
            OSError: the folder cannot be created.
        """
        with self._turn:
            folder = self.folder(source)
            if folder is None:
                folder = self.folders[source.request.place] = _mounted(source)
        if is_unwanted():
            self.unmount(source.request.place)
        return folder

    def unmount(self, place: str, patience_s: float = _PATIENCE_S) -> None:
        """Unmount a folder and remove it; blocks until done or the timeout.

        Raises:
            ZarrError: it is in use; the text names the programs.
        """
        folder = self.folders.get(place)
        if folder is None:
            return
        if is_mounted(folder):
            _zarrscope("umount", folder, patience_s=patience_s)
        self.folders.pop(place, None)
        with contextlib.suppress(OSError):  # another program may have written a file there
            os.rmdir(folder)

    def leave(self, patience_s: float) -> None:
        """Unmount everything, including a mount in progress; blocks, for each at most until the timeout."""
        if self._turn.acquire(timeout=patience_s):
            self._turn.release()
        for place in list(self.folders):
            with contextlib.suppress(
                ZarrError
            ):  # a program uses it: it stays mounted, as after `zarrscope umount`
                self.unmount(place, patience_s)


def is_mounted(folder: str) -> bool:
    """Whether something is mounted there, from the system's mount table only: a mount that hangs would not answer."""
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            places = [line.split(b" ")[4] for line in file.read().split(b"\n")[:-1]]
    except OSError:  # not Linux
        return os.path.ismount(folder)
    wanted = os.fsencode(os.path.join(os.path.realpath(os.path.dirname(folder)), os.path.basename(folder)))
    return any(_OCTAL.sub(lambda match: bytes([int(match[1], 8)]), place) == wanted for place in places)


def _mounted(source: Source) -> str:
    folder = _new_folder(source.title)
    try:
        with _words(source.request) as words:
            _zarrscope("mount", *words, source.request.address, folder)
    except BaseException:
        with contextlib.suppress(OSError):  # after a timeout it may still get mounted
            os.rmdir(folder)
        raise
    return folder


def _zarrscope(*words: str, patience_s: float = _PATIENCE_S) -> None:
    import subprocess  # late: for a fast start

    try:
        done = subprocess.run(
            module_command("zarrcore", *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=patience_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ZarrError(f"zarrscope {words[0]} did not finish within {patience_s:.0f} s") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"zarrscope {words[0]} failed without a message"]
        raise ZarrError(lines[-1].removeprefix("zarrscope: "))


def _new_folder(name: str) -> str:
    """Create an empty folder with this name, accessible only to this user."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    base = runtime if os.access(runtime, os.W_OK) else os.path.expanduser("~/.cache")
    base = os.path.join(base, "zarrscope", "mounts")
    os.makedirs(base, 0o700, exist_ok=True)
    number, folder = 1, os.path.join(base, name.strip("/") or "root")
    while True:
        try:
            os.mkdir(folder if number == 1 else f"{folder}-{number}", 0o700)
        except FileExistsError:
            number += 1
        else:
            return folder if number == 1 else f"{folder}-{number}"


@contextlib.contextmanager
def _words(request: SourceRequest) -> Iterator[list[str]]:
    """The options of a request as words of a command line; headers in files that only this user can read."""
    options = request.options
    words = ["--format", request.format] if request.format else []
    words += Connection.of(options).words()
    with contextlib.ExitStack() as files:
        if options is not None and not isinstance(options, Connection):
            words += _further(options, files)
        yield words


def _further(options: Any, files: contextlib.ExitStack) -> list[str]:
    """The fields of `StoreOptions` that a `Connection` does not have."""
    import tempfile

    words = ["--timeout", str(options.timeout_s), "--retries", str(options.retries)]
    words += ["--ca-bundle", options.ca_bundle] if options.ca_bundle else []
    words += ["--cache-dir", os.fspath(options.cache_dir)] if options.cache_dir else []
    words += ["--cache-url", options.cache_url] if options.cache_url else []
    words += ["--follow-links"] * options.follow_links
    for prefix in options.allow_targets:
        words += ["--allow-targets", prefix]
    words += ["--treat-403-as-missing"] * options.treat_403_as_missing
    for name, value in options.headers.items():
        file = files.enter_context(tempfile.NamedTemporaryFile("w", prefix="zarrscope-"))  # noqa: SIM115
        file.write(value)
        file.flush()
        words += ["--header", f"{name}: @{file.name}"]
    return words
