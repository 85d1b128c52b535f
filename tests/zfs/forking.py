"""``zarrscope mount`` in a fork of a process that has imported its modules, which takes most of the time of a mount.

Tests of the command itself run `tests.command.run_process`.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections.abc import Mapping, Sequence

from tests.command import Outcome

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["tests.zfs.forking", "zarrfs.cli", "zarrfs.mount.mount", "zarrfs.trees.opening"]
)


def run_forked(
    *arguments: str | os.PathLike[str],
    timeout_s: float = 60.0,
    folder: str | os.PathLike[str] = "",
    environment: Mapping[str, str] = os.environ,
) -> Outcome:
    """Run ``zarrscope ARGUMENTS`` with the working directory and the environment of this process, or others."""
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
        words = [os.fspath(argument) for argument in arguments]
        process = _FORKS.Process(
            target=_run, args=(words, folder or os.getcwd(), {**environment}, out.name, err.name)
        )
        process.start()
        process.join(timeout_s)
        assert process.exitcode is not None, f"no end of {words}"
        return Outcome(process.exitcode, out.read(), err.read().decode())


def _run(words: Sequence[str], folder: str, environment: dict[str, str], *outputs: str) -> None:
    from zarrcore.cli.main import main

    for descriptor, name in enumerate((os.devnull, *outputs)):
        opened = os.open(name, os.O_RDWR)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    raise SystemExit(main(words))
