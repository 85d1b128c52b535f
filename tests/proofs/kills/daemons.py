"""The daemon of a mount with ``--read-write``."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.proofs.kills import stores
from tests.proofs.kills.trials import Outcome, ask, choice_of
from tests.zfs.conftest import has_ended, is_mounted

prepare = stores.prepare
_STEPS = 10
_PATIENCE_S = 60.0
_MOUNTED = "mnt"


def work(root: Path, variant: str, tell: Callable[[str], object]) -> None:
    """In the process that is killed: the daemon."""
    from zarrcore.cli.main import main
    from zarrfs.mount import daemon

    # The calls are counted after the command, which would end the process.
    ends = patch.object(daemon, "run_in_foreground", lambda serve: serve(daemon.report_to_supervisor))
    with contextlib.suppress(SystemExit), ends:
        main(
            [
                *("mount", str(stores.path_of(root, variant)), str(root.parent / _MOUNTED)),
                *(
                    "--foreground",
                    "--read-write",
                    "--metadata-ttl",
                    "0",
                    "--log-file",
                    str(root.parent / "log"),
                ),
            ]
        )


def driven(root: Path, variant: str, order: dict[str, Any]) -> Outcome:
    """Use the mount until its daemon is killed."""
    mounted = root.parent / _MOUNTED
    mounted.mkdir()
    daemon: int = ask({**order, "waits": False})["child"]
    told: list[str] = []
    killed = True
    try:
        _wait(lambda: has_ended(daemon) or _answers(mounted), "the mount answers")
        for step in _steps(variant):
            try:
                _carry_out(mounted, step)
            except OSError:
                _wait(lambda: has_ended(daemon), "the daemon is gone, as an error says")
                break
            told.append("done")
        else:
            killed = has_ended(daemon)
            if not killed:
                os.kill(daemon, signal.SIGTERM)
                _wait(lambda: has_ended(daemon), "the daemon ends")
                calls = Path(f"{root}.calls")
                killed = not calls.exists()  # it was, while it completed its store
                told += [] if killed else [f"calls {calls.read_text()}"]
    finally:
        subprocess.run(["umount", "--lazy", mounted], check=False, capture_output=True)
        with contextlib.suppress(ProcessLookupError):
            os.kill(daemon, signal.SIGKILL)
    log = (root.parent / "log").read_text() if (root.parent / "log").exists() else ""
    assert "Traceback" not in log, log
    return Outcome(told, killed, "")


def _answers(mounted: Path) -> bool:
    try:
        return is_mounted(mounted) and "keys" in os.listdir(mounted)
    except OSError:
        return False


def _wait(condition: Callable[[], bool], what: str) -> None:
    until_s = time.monotonic() + _PATIENCE_S
    while not condition():
        assert time.monotonic() < until_s, f"timed out waiting: {what}"
        time.sleep(0.01)


def _steps(variant: str) -> list[stores.Step]:
    choice = choice_of(variant)
    steps: list[stores.Step] = []
    for number in range(_STEPS):
        what = choice.choice(["set", "set", "patch", "erase", "rename", "element"])
        key, other = choice.sample(stores.CHUNKS, 2)
        steps.append((what, key, other, bytes([number + 1])))
    return steps


def _after(values: stores.Values, step: stores.Step) -> stores.Values:
    what, key, other, value = step
    before = values[key]
    match what:
        case "set":
            return {**values, key: value * stores.CHUNK_NBYTES}
        case "patch" if before is not None:
            return {**values, key: before[:5000] + value * 9 + before[5009:]}
        case "element":
            elements = before or bytes(stores.CHUNK_NBYTES)
            return {**values, key: elements[:-1] + value}
        case "erase":
            return {**values, key: None}
        case "rename" if before is not None:
            return {**values, key: None, other: before}
    return values


def _carry_out(mounted: Path, step: stores.Step) -> None:
    what, key, other, value = step
    path, new = mounted / "keys" / key, mounted / "keys" / other
    if what == "set":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value * stores.CHUNK_NBYTES)
    elif what == "element":
        row, number = map(int, key.split("/")[-2:])
        with open(mounted / "arrays" / "a" / "data.raw", "r+b", buffering=0) as file:
            os.pwrite(file.fileno(), value, (3 * row + number + 1) * stores.CHUNK_NBYTES - 1)
    elif path.exists():
        if what == "patch":
            with open(path, "r+b", buffering=0) as file:
                os.pwrite(file.fileno(), value * 9, 5000)
        elif what == "erase":
            path.unlink()
        else:
            new.parent.mkdir(parents=True, exist_ok=True)
            path.rename(new)
    else:
        os.stat(mounted / "keys" / "zarr.json")  # nothing to do, but an error if the daemon is gone


def check(root: Path, variant: str, told: list[str], killed: bool) -> None:
    """Each value is old or new, what was told done is done, and nothing is left after a day."""
    path = stores.path_of(root, variant)
    stores.check_values(path, stores.first(), _steps(variant), _after, told.count("done"), killed)
    stores.check_clean(root, path)
