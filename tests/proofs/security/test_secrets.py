"""A day of use: no credential is in any file, log or text that it leaves."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

import zarrcore as zc
from tests.command import run_process
from tests.servers import FaultServer, S3Server, fault_server
from tests.servers.redis import redis_server
from tests.zfs.conftest import NO_FUSE
from tests.zfs.forking import run_forked
from zarrcore.stores import MemoryStore

SECRETS = {
    "secret key": "Hush1SecretAccessKey",
    "session token": "Hush2SessionToken",
    "profile": "Hush3ProfileKey",
    "env file": "Hush4EnvFileKey",
    "header": "Hush5HeaderToken",
    "password": "Hush6Password",
    "query": "Hush7Signature",
    "redis": "Hush8RedisPassword",
    "azure": "Hush9AzureSas",
    "wrong": "Hush10WrongHeader",
}


class Day:
    """A user's directories, their credentials, and all that the programs wrote to standard output and error."""

    def __init__(self, folder: Path, endpoint_url: str) -> None:
        self.left = folder / "left"
        self.given = folder / "given"
        for place in (self.left, self.given / "aws"):
            place.mkdir(parents=True)
        names = (
            "HOME",
            "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "XDG_STATE_HOME",
            "XDG_RUNTIME_DIR",
        )
        places = {name: self.left / name for name in (*names, "TMPDIR")}
        for place in places.values():
            place.mkdir(mode=0o700)
        profile = f"[work]\naws_access_key_id = a\naws_secret_access_key = {SECRETS['profile']}\n"
        (self.given / "aws/credentials").write_text(profile)
        (self.given / "token").write_text(SECRETS["header"])
        (self.given / "environment").write_text(f"AWS_SECRET_ACCESS_KEY={SECRETS['env file']}\n")
        self.environment = {
            **os.environ,
            **{name: str(place) for name, place in places.items()},
            "AWS_ACCESS_KEY_ID": "a",
            "AWS_SECRET_ACCESS_KEY": SECRETS["secret key"],
            "AWS_SESSION_TOKEN": SECRETS["session token"],
            "AWS_SHARED_CREDENTIALS_FILE": str(self.given / "aws/credentials"),
            "AWS_ENDPOINT_URL": endpoint_url,
            "AWS_REGION": "us-east-1",
            "REDISCLI_AUTH": SECRETS["redis"],
            "AZURE_STORAGE_SAS_TOKEN": f"sv=2020&sig={SECRETS['azure']}",
            "QT_QPA_PLATFORM": "offscreen",
        }
        self.output = folder / "left" / "output"

    def run(self, *arguments: str | Path, status: int | None = 0) -> None:
        """Run a command of zarrscope, and keep what it prints."""
        if arguments[0] == "mount":  # whose command line is looked at
            done = run_process(*arguments, env=self.environment, cwd=self.left)
        else:
            done = run_forked(*arguments, environment=self.environment, folder=self.left)
        assert status is None or done.status == status, done.stderr
        with self.output.open("ab") as output:
            output.write(f"$ {arguments}\n".encode() if status is None else b"")
            output.write(done.stdout + done.stderr.encode())

    def leaks(self) -> list[str]:
        """Where a secret is found: in the names and contents of files below `left`, in any encoding."""
        pair = f"me:{SECRETS['password']}"
        forms = {name: {text, text.lower(), quote(text)} for name, text in SECRETS.items()}
        forms["password"].add(base64.b64encode(pair.encode()).decode())
        found = []
        for path in self.left.rglob("*"):
            text = str(path).encode() + (path.read_bytes() if path.is_file() else b"")
            found += [
                f"{name} in {path}"
                for name, spelled in forms.items()
                if any(form.encode() in text for form in spelled)
            ]
        return found


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """The keys and values of a small hierarchy."""
    store = MemoryStore()
    values = np.arange(24, dtype="i2").reshape(4, 6)
    zc.create(store).create_array("x", shape=(4, 6), dtype="int16", chunks=(2, 3))[...] = values
    return {entry.key: store.get(entry.key) or b"" for entry in store.list()}


@pytest.fixture
def web(files: dict[str, bytes]) -> Iterator[FaultServer]:
    """A web server that has the hierarchy in ``a``, and refuses access to ``refused``."""
    with fault_server() as server:
        server.values = {f"a/{key}": value for key, value in files.items()}
        server.values["a/"] = b"<title>Index of /a/</title>" + b"".join(
            f"<a href='{name}'>{name}</a>".encode() for name in ("zarr.json", "x/")
        )
        server.content_types["a/"] = "text/html"
        server.faults["refused/zarr.json"] = 403
        yield server


@pytest.fixture
def day(tmp_path: Path, s3: S3Server, files: dict[str, bytes]) -> Day:
    """A day of a user whose bucket has the hierarchy in ``secrets``."""
    for key, value in files.items():
        s3.put(f"bucket/secrets/{key}", value)
    return Day(tmp_path, s3.endpoint_url)


@pytest.mark.timeout(330)  # some twenty programs, each of which takes seconds on a busy machine
@pytest.mark.skipif(bool(NO_FUSE), reason=NO_FUSE)
def test_a_day_of_use_leaves_no_credentials(day: Day, web: FaultServer, tmp_path: Path) -> None:
    bucket = "s3://bucket/secrets"
    address = web.url.replace("//", f"//me:{SECRETS['password']}@") + f"/a?sig={SECRETS['query']}"
    refused = address.replace("/a", "/refused")
    token = ("--header", f"X-Token: @{day.given / 'token'}")
    cached = ("--cache-dir", day.left / "values")

    day.run("info", bucket, "x", "--profile", "work", *cached)
    day.run("cat", address, "x", *token, *cached)
    day.run("copy", bucket, "copied.zarr")
    day.run("doctor", status=None)
    day.run("--debug", "tree", refused, *token, status=1)
    day.run("--debug", "check", f"http://me:{SECRETS['password']}@127.0.0.1:1/a", status=1)
    day.run("--debug", "tree", "az://container/a", "--endpoint-url", web.url, "--retries", "0", status=1)
    day.run("tree", address, "--header", SECRETS["wrong"], status=2)
    with redis_server(tmp_path, "--requirepass", SECRETS["redis"]) as redis:
        day.run("--debug", "copy", bucket, redis.url, status=None)

    mounted = day.left / "mounted"
    mounted.mkdir()
    logged = ("--log-file", day.left / "log", "--log-level", "debug")
    for options in (("--env-file", day.given / "environment", bucket), (*token, address)):
        day.run("mount", *logged, "--xattr", *cached, *options, mounted)
        try:
            status = (mounted / ".zarrscope/stats.json").read_bytes()
            process = json.loads(status)["pid"]
            shown = [Path(f"/proc/{process}/cmdline"), Path("/proc/self/mountinfo")]
            shown += [mounted / "arrays/x/data.npy", mounted / "hdf5/x.h5"]
            (day.left / f"shown{len(options)}").write_bytes(
                status + b"".join(path.read_bytes() for path in shown)
            )
        finally:
            day.run("umount", mounted)

    program = [
        sys.executable,
        "-m",
        "tests.proofs.security.window_session",
        bucket,
        address,
        refused,
    ]
    environment = {**day.environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(program, env=environment, capture_output=True, timeout=200, check=True)
    assert done.stdout.count(b"zarrcore.open_hierarchy(") == 4, "code for zarrcore and Dask, for two sources"
    assert b"403 Forbidden" in done.stdout
    (day.left / "window").write_bytes(done.stdout + done.stderr)
    assert b"secrets" in b"".join(
        path.read_bytes() for path in (day.left / "XDG_CONFIG_HOME").rglob("*.conf")
    )

    for place, files in (
        ("XDG_CONFIG_HOME", "bookmarks.zarrscope-views.json"),
        ("XDG_CACHE_HOME", "recent-views/*.json"),
        ("HOME", "views.zarrscope-views.json"),
    ):
        assert b'"path": "/x"' in b"".join(path.read_bytes() for path in (day.left / place).rglob(files)), (
            files
        )
    assert done.stdout.count(b"Link to this view zarrscope://view?") == 2

    # The credentials were used, and files were left.
    assert any(f"sig={SECRETS['query']}" in path for _, path, _ in web.requests)
    assert any(headers.get("x-token") == SECRETS["header"] for _, _, headers in web.requests)
    assert len([*day.left.rglob("*")]) > 20
    assert day.leaks() == []
