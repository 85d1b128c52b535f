"""A mount namespace for tests whose changes would affect the whole machine; only root may make one."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.zfs.conftest import NO_FUSE

needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or bool(NO_FUSE), reason=NO_FUSE or "only root may make a mount namespace"
)


class Namespace:
    """A separate mount namespace, whose mounts are not visible outside."""

    def __init__(self, folder: Path, holder: int) -> None:
        self.folder = folder
        self.holder = holder
        self._inherited: set[str] = set()
        self._inherited = {*self.mounts()}

    def command(self, *arguments: str | Path) -> list[str]:
        return ["nsenter", f"--mount=/proc/{self.holder}/ns/mnt", f"--wd={self.folder}", *map(str, arguments)]

    def run(self, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        surroundings = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return subprocess.run(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            env={**surroundings, **environment},
        )

    def done(self, *arguments: str | Path) -> str:
        """The output of a command that must succeed."""
        outcome = self.run(*arguments)
        assert outcome.returncode == 0, outcome
        return outcome.stdout + outcome.stderr

    def inside(self, path: Path) -> Path:
        """The path outside the namespace for a path in it."""
        return Path(f"/proc/{self.holder}/root{path}")

    def mounts(self) -> dict[str, str]:
        """The mounts of zarrscope in it: the kernel's line by mount point."""
        lines = Path(f"/proc/{self.holder}/mountinfo").read_text().splitlines()
        ours = {line.split()[4]: line for line in lines if " fuse.zarrscope " in line}
        return {path: line for path, line in ours.items() if path not in self._inherited}


@contextlib.contextmanager
def entered(folder: Path, prepare: str) -> Iterator[Namespace]:
    """A namespace in which a shell ran ``prepare`` in ``folder``; at the end, nothing may be mounted in it."""
    script = f"set -e\n{prepare}\necho\nexec sleep infinity"
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script]
    holder = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"\n"
        made = Namespace(folder, holder.pid)
        try:
            yield made
        finally:
            for mountpoint in made.mounts():
                made.run("umount", "--lazy", mountpoint)
    finally:
        holder.kill()
        holder.communicate()
