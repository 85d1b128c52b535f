"""The command ``zarrscope serve``, in its own process: what it prints, how it ends, and that it keeps its token."""

from __future__ import annotations

import contextlib
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from urllib.parse import quote

import httpx
import pytest

import zarrcore as zc
from tests.command import INTERRUPTIBLE
from tests.waiting import PATIENCE_S
from tests.zfs.forking import run_forked
from tests.zfs.http.raw import connected
from tests.zfs.http.serving import get
from zarrfs.http.listening import listen

ZARRSCOPE = Path(sys.executable).with_name("zarrscope")


class Process:
    """A running command, with what it prints."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self.child = child
        self.lines: list[str] = []
        self.url = re.sub(r"/(\?.*)?$", "", self.read_line().rpartition(" is at ")[2].strip())

    def read_line(self) -> str:
        stream: IO[str] | None = self.child.stdout
        assert stream is not None
        self.lines.append(stream.readline())
        return self.lines[-1]


@contextlib.contextmanager
def serve(*arguments: str | Path) -> Iterator[Process]:
    command = [*INTERRUPTIBLE, ZARRSCOPE, "serve", "--port", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            yield Process(child)
        finally:
            child.kill()


def ended(process: Process) -> tuple[int, str, str]:
    out, err = process.child.communicate(timeout=PATIENCE_S)
    return process.child.returncode, "".join(process.lines) + out, err


@pytest.fixture
def image(tmp_path: Path) -> Path:
    zc.create(tmp_path / "a.zarr").create_array("x", shape=(4, 4), dtype="int8")[...] = 1
    return tmp_path / "a.zarr"


def test_it_prints_where_it_is_and_links_to_viewers_and_ends_with_an_interrupt(image: Path) -> None:
    with serve(image, "--allow-origin", "vizarr") as process:
        assert get(f"{process.url}/arrays/x/data.raw").content == b"\1" * 16
        view, neuroglancer, vizarr = (process.read_line() for _ in range(3))
        assert view == f"view         {process.url}/view/\n"
        assert neuroglancer.endswith("  (needs --allow-origin neuroglancer)\n")
        assert vizarr.endswith("%2Fzarr3%2Fx%2F\n")
        process.child.send_signal(signal.SIGINT)
        status, out, err = ended(process)
    assert (status, err) == (0, "")
    assert out.startswith(f"{image} is at http://127.0.0.1:")


def test_it_ends_with_a_signal_while_a_client_reads_and_forgets_at_another(image: Path) -> None:
    with serve(image, "--metadata-ttl", "forever") as process, httpx.Client(timeout=PATIENCE_S) as client:
        assert client.get(f"{process.url}/arrays/new/metadata.json").status_code == 404
        zc.open_hierarchy(image, "r+").create_group("new")
        assert client.get(f"{process.url}/arrays/new/metadata.json").status_code == 404
        process.child.send_signal(signal.SIGHUP)
        while client.get(f"{process.url}/arrays/new/metadata.json").status_code == 404:
            pass  # the deadline of the test ends this
        with client.stream("GET", f"{process.url}/arrays/x/data.raw"):
            process.child.terminate()
            assert ended(process)[0] == 0


TOKEN = "s3cret-T0ken"


def test_the_token_is_nowhere_but_in_the_address_of_one_that_was_made(image: Path) -> None:
    with serve(image, "--token", TOKEN, "--log-level", "debug") as process:
        assert TOKEN.encode() not in Path(f"/proc/{process.child.pid}/cmdline").read_bytes()
        for query in (f"?token={TOKEN}", "?token=wrong"):
            get(f"{process.url}/keys/zarr.json{query}")
        bearer = {"authorization": f"Bearer {TOKEN}"}
        assert get(f"{process.url}/keys/zarr.json", headers=bearer).status_code == 200
        assert get(f"{process.url}/none?token={TOKEN}").status_code == 404
        process.child.terminate()
        status, out, err = ended(process)
    assert status == 0
    assert TOKEN not in out + err
    assert "GET /keys/zarr.json 200" in err
    assert "?token=TOKEN" in out
    with serve(image, "--token", "auto") as process:
        made = process.lines[0].strip().partition("?token=")[2]
        assert get(f"{process.url}/keys/zarr.json?token={made}").status_code == 200
        assert get(f"{process.url}/keys/zarr.json").status_code == 401


def test_what_cannot_be_served_is_told_in_one_line(image: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        refusals = (
            (
                (image, "--port", str(port)),
                f"port {port}: another program uses the port; choose another with --port",
            ),
            ((image, "--host", "0.0.0.0"), "other machines can reach 0.0.0.0"),
            ((tmp_path / "empty", "--port", "0", "--view", "zarr3"), "holds no"),
        )
        for arguments, said in refusals:
            refused = run_forked("serve", *arguments)
            assert (refused.status, refused.stderr.count("\n")) == (1, 1), refused.stderr
            assert said in refused.stderr


def test_a_part_of_a_source_and_one_tree_can_be_served(image: Path) -> None:
    with serve(f"{image}#/x", "--view", "zarr3") as process:
        assert get(f"{process.url}/zarr.json").json()["shape"] == [4, 4]
        assert "%2Fzarr3" not in process.read_line()


def test_more_half_open_connections_than_open_files_block_nobody(image: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2048:
        pytest.skip("this user may not open 2,048 files")
    with contextlib.ExitStack() as opened:
        opened.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
        process = opened.enter_context(serve(image))
        resource.setrlimit(resource.RLIMIT_NOFILE, (2048, hard))
        port = int(process.url.rpartition(":")[2])
        for _ in range(1500):
            half = opened.enter_context(connected(port))
            half.sendall(b"GET / HTTP/1.1\r\n")
        assert get(f"{process.url}/arrays/x/data.raw").content == b"\1" * 16
        process.child.terminate()
        assert ended(process)[2] == ""


def test_names_control_no_terminal_through_the_log(tmp_path: Path) -> None:
    name = "a\x1b[31m\u202e"
    array = zc.create(tmp_path / "a.zarr").create_array(
        name, shape=(4,), dtype="int32", codecs=["bytes", "crc32c"]
    )
    array[...] = 1
    (tmp_path / "a.zarr" / name / "c" / "0").write_bytes(bytes(20))
    with serve(tmp_path / "a.zarr", "--log-level", "info") as process:
        path = f"{process.url}/zarr3/{quote(name)}"
        assert get(f"{path}/c/0").status_code == 500
        assert get(f"{path}/none%1b").status_code == 404
        process.child.terminate()
        out, err = ended(process)[1:]
    assert "a\\x1b[31m\\u202e" in err
    assert (out + err).replace("\n", "").isprintable()
