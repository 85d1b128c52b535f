"""Running in the background, and reporting a failure to the command."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.command import INTERRUPTIBLE
from tests.zfs.conftest import has_ended, wait_until


def test_interrupting_the_command_leaves_no_child(tmp_path: Path) -> None:
    """Ctrl-C while the command waits: it ends the child and waits for it."""
    script = """if True:
        import os, signal, sys, time
        from zarrfs.mount.daemon import run_in_background
        def serve(ready):
            with open(sys.argv[1], "w") as file:
                file.write(f"{os.getpid()}\\n")
            time.sleep(60)
        run_in_background(serve)
    """
    told = tmp_path / "child"
    command = [*INTERRUPTIBLE, sys.executable, "-c", script, told]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    wait_until(lambda: told.exists() and told.read_text().endswith("\n"), "the child runs")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) != 0
    assert has_ended(int(told.read_text()))
