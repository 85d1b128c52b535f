"""xfstests: quick tests of its generic group on a mount, with a second one for tests that make file systems.

The program is its script ``check``, found through a link ``xfstests-check`` on the PATH; its parts are in the directory of the
script. It mounts with mount(8), for which it gets a helper in a namespace of its own. ``xfstests.txt`` lists the tests that
fail by design.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.proofs.harnesses.fsx import KEYS_KINDS, HarnessError
from tests.proofs.models.places import stored
from tests.proofs.trials import ROOT

LIST: Final = Path(__file__).with_suffix(".txt")
TESTS_PER_TRIAL: Final = 10
_RESULT: Final = re.compile(r"^(generic/\d+)\s+(?:\d+s \.\.\. )?\s*(.*)$", re.MULTILINE)
_WORDS: Final = "-o view=keys,read_write,allow_other"


def place_of_check() -> Path:
    """The script."""
    found = shutil.which("xfstests-check")
    assert found is not None
    return Path(found).resolve()


def expected_results(kind: str) -> dict[str, str]:
    """The tests that were looked at, and what is expected of each: "passes", "not run", or the paragraph by which it fails."""
    expected: dict[str, str] = {}
    for line in LIST.read_text().splitlines():
        if not line.startswith("#"):
            place, result = line.split(maxsplit=1)
            name, _, only = place.partition("@")
            if only in ("", kind):
                expected[name] = result
    return {name: result for name, result in expected.items() if not result.startswith("left out")}


def results_in(output: str) -> dict[str, str]:
    """For each test "passed", "not run" or "failed"."""
    found: dict[str, str] = {}
    for name, text in _RESULT.findall(output):
        if "[not run]" in text:
            found[name] = "not run"
        elif re.search(r"output mismatch|\[failed|_check_|\[expunged", text):
            found[name] = "failed"
        elif re.search(r"\d+s\s*$", text):
            found[name] = "passed"
    return found


def run(names: list[str], kind: str) -> dict[str, str]:
    """Run tests on a kind of store; returns their results."""
    check = place_of_check()
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stores:
        folder = Path(temporary)
        devices: dict[str, str] = {}
        for name in ("test", "scratch"):
            (folder / name).mkdir()
            (folder / f"{name}.stored").mkdir()
            url, words, _ = stores.enter_context(stored(kind, folder / f"{name}.stored"))
            devices[name] = url if "://" in url else f"file://{url}"
            options = ",".join([_WORDS, *_as_mount_options(words)])
        (folder / "sbin").mkdir()
        paths = os.pathsep.join(str(ROOT / part) for part in ("core", "zfs", "browser"))
        _write(
            folder / "sbin" / "mount.fuse.zarrscope",
            f'PYTHONPATH={paths} exec {sys.executable} -P -m zarrfs.mount.helper "$@" -o "fsname=$1"',
        )
        # The type of the file system is that of the program, without the subtype.
        df = shutil.which("df")
        _write(folder / "bin" / "df", f'{df} "$@" | sed "s/fuse.zarrscope/fuse/"')
        (folder / "config").write_text(
            f"export TEST_DEV={devices['test']} TEST_DIR={folder}/test\n"
            f"export SCRATCH_DEV={devices['scratch']} SCRATCH_MNT={folder}/scratch\n"
            f'export FSTYP=fuse FUSE_SUBTYP=.zarrscope MOUNT_OPTIONS="{options}" TEST_FS_MOUNT_OPTS="{options}"\n'
            f"export RESULT_BASE={folder}/results\n"
        )
        script = (
            f"mount -t overlay overlay -o lowerdir={folder}/sbin:/usr/sbin /usr/sbin && cd {check.parent} && "
            f"{check} {' '.join(names)}; umount -l {folder}/test {folder}/scratch 2>/dev/null; true"
        )
        done = subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={
                **os.environ,
                "HOST_OPTIONS": str(folder / "config"),
                "PATH": f"{folder}/bin:{os.environ['PATH']}",
            },
            check=False,
        )
        output = done.stdout.decode(errors="replace")
        found = results_in(output)
        if not found:
            raise HarnessError(f"xfstests ran nothing:\n{output[-3000:]}")
        return found


def _as_mount_options(words: list[str]) -> list[str]:
    """Options of the command line with a value each, as those of mount(8)."""
    pairs = zip(words[::2], words[1::2], strict=True)
    return [f"{name.removeprefix('--').replace('-', '_')}={value}" for name, value in pairs]


def _write(script: Path, command: str) -> None:
    script.parent.mkdir(exist_ok=True)
    script.write_text(f"#!/bin/sh\n{command}\n")
    script.chmod(0o755)


def trial(seed: int) -> int:
    """Run some of the tests; returns their number.

    Raises:
        HarnessError: a test fails that is not on the list.
    """
    kind = KEYS_KINDS[seed % len(KEYS_KINDS)]
    expected = expected_results(kind)
    names = list(expected)
    count = -(-len(names) // TESTS_PER_TRIAL)
    first = seed // len(KEYS_KINDS) % count * TESTS_PER_TRIAL
    found = run(names[first : first + TESTS_PER_TRIAL], kind)
    new = [
        name for name, result in found.items() if result == "failed" and not expected[name].startswith("S")
    ]
    if new:
        raise HarnessError(f"failures on {kind} that are not by design: {', '.join(new)}")
    return len(found)
