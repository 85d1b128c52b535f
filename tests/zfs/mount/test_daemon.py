"""Running in the background, and reporting a failure to the command."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import INTERRUPTIBLE
from tests.waiting import wait_until
from tests.zfs.conftest import has_ended
from zarrfs.mount.daemon import report_to_supervisor


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


def in_background(script: str) -> subprocess.CompletedProcess[str]:
    """Run a program that runs ``serve`` of a script in the background."""
    program = f"""
import os, sys
from zarrcore.errors import ZarrError
from zarrfs.mount.daemon import run_in_background
from zarrfs.mount.mountpoints import MountError
{script}
try:
    run_in_background(serve)
except MountError as error:
    print("failed:", error)
else:
    print("ready")
"""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)


def test_the_command_returns_when_the_daemon_is_ready_and_has_left_the_terminal(tmp_path: Path) -> None:
    told = tmp_path / "told"
    done = in_background(f"""
def serve(ready):
    ready()
    ready()  # a second time, it does nothing
    print("not seen")
    streams = [os.readlink(f"/proc/self/fd/{{number}}") for number in (0, 1, 2)]
    with open({str(told) + ".new"!r}, "w") as file:
        file.write(repr((os.getcwd(), streams, os.getsid(0) == os.getpid())))
    os.rename({str(told) + ".new"!r}, {str(told)!r})
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "ready\n", "")
    wait_until(told.exists, "the daemon has told")
    assert told.read_text() == repr(("/", ["/dev/null"] * 3, True))


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("def serve(ready): raise ZarrError('the störe is gone')", "the störe is gone"),
        ("def serve(ready): 1 // 0", "ZeroDivisionError: "),
        ("def serve(ready): sys.exit(3)", "SystemExit: 3"),
        ("def serve(ready): os._exit(0)", "the daemon died before it mounted"),
        ("def serve(ready): pass", "the daemon died before it mounted"),
    ],
)
def test_the_command_reports_why_the_daemon_is_not_ready(script: str, said: str) -> None:
    done = in_background(script)
    assert done.stdout.startswith(f"failed: {said}")
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


@pytest.mark.parametrize("is_abstract", [False, True])
def test_the_supervisor_is_told_that_the_mount_answers(
    is_abstract: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"zarrscope-{tmp_path.name}" if is_abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(f"\0{name}" if is_abstract else name)
        supervisor.settimeout(20)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}" if is_abstract else name)
        report_to_supervisor()
        assert supervisor.recv(99) == b"READY=1"


def test_without_a_supervisor_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    report_to_supervisor()


def test_a_mount_in_the_foreground_does_not_wait_for_threads() -> None:
    code = (
        "import time; from concurrent.futures import ThreadPoolExecutor; "
        "from zarrfs.mount.daemon import run_in_foreground; pool = ThreadPoolExecutor(); "
        "run_in_foreground(lambda ready: (pool.submit(time.sleep, 600), print('served')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    assert done.stdout.splitlines() == [b"served"]
