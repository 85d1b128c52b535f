"""Bad hours of a cloud: faults of an S3 service or a web server that last for a while, and what reads through them.

A fault begins in the middle of a read. The law: each reader gets all elements right without a repeat by its user, and a mount
is still the same one afterwards.
"""

from __future__ import annotations

import atexit
import json
import os
import random
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import xarray

import zarrcore as zc
from tests.any_store import AnyStore, open_store
from tests.command import run_inside
from tests.proofs.faults.wire import shared_s3, shared_web
from tests.proofs.trials import ROOT
from tests.servers import environment
from tests.servers.certificates import Authority
from tests.servers.proxy import Change, Proxy, Request, Trouble, proxy
from tests.waiting import PATIENCE_S
from tests.zfs.conftest import mounting

ELEMENTS: Final = np.arange(128 * 128, dtype="i4").reshape(128, 128)
CHUNKS: Final = (16, 16)
_BEGINS: Final = 12
"""The requests of a read before the fault begins."""
_LONGEST_S: Final = 20.0
_SKEW_S: Final = 3600.0
_TOLERATED_S: Final = 900.0
"""As S3 tolerates it."""

Answer = tuple[Trouble, random.Random] | Change | bytes | None


def refusal(status: int, code: str, *headers: str) -> bytes:
    """The answer of an S3 service that refuses."""
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>"
    lines = (
        f"HTTP/1.1 {status} No",
        "Content-Type: application/xml",
        f"Content-Length: {len(body)}",
        *headers,
    )
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


@dataclass
class Cloud:
    """A service behind a proxy, with one hierarchy in it, and its fault.

    Args:
        front: the proxy.
        source: the URL of the hierarchy for readers.
        options: how readers connect: keywords of `open_store`.
        fault: what goes wrong.
        choice: random numbers.
        lasts_s: how long it lasts if it ends by itself.
        folder: for files with credentials.
    """

    front: Proxy
    source: str
    options: dict[str, Any]
    fault: Fault
    choice: random.Random
    lasts_s: float
    folder: Path
    asked: int = 0
    ends_s: float = 0.0
    keys: set[str] = field(default_factory=set)
    """The access keys of requests before the fault."""

    def words(self) -> list[str]:
        """The options for a command line."""
        named = ((name.removesuffix("_s").replace("_", "-"), text) for name, text in self.options.items())
        return [word for name, text in named for word in (f"--{name}", str(text))]

    def open(self, where: str = "") -> AnyStore:
        """The hierarchy, or another place in the service, as readers open it."""
        return open_store(where or self.source, **self.options)

    def begin(self) -> None:
        """Let the fault begin with one of the next requests."""
        self.front.script = lambda request: self.fault(self, request)

    def end(self) -> None:
        """All is well again."""
        self.front.script = self.front.idle_s = None

    def has_begun(self) -> bool:
        """Whether it has begun, counting this request."""
        self.asked += 1
        if self.asked == _BEGINS:
            self.ends_s = time.monotonic() + self.lasts_s
        return self.asked >= _BEGINS

    def goes_on(self) -> bool:
        """Whether it has begun and not ended, counting this request."""
        return self.has_begun() and time.monotonic() < self.ends_s


Fault = Callable[[Cloud, Request], Answer]
"""What a request gets; None for what the service answers."""


def slow_down(place: Cloud, _: Request) -> Answer:
    """503 SlowDown for a fifth of the requests."""
    return refusal(503, "SlowDown") if place.choice.random() < 0.2 else None


def overloaded(place: Cloud, _: Request) -> Answer:
    """503 SlowDown for all requests of a while."""
    return refusal(503, "SlowDown") if place.goes_on() else None


def wait_seconds(place: Cloud, _: Request) -> Answer:
    """429 with the seconds to wait, for all requests of a while."""
    return refusal(429, "TooManyRequests", "Retry-After: 1") if place.goes_on() else None


def wait_until(place: Cloud, _: Request) -> Answer:
    """429 with the date to wait for, for all requests of a while."""
    date = formatdate(time.time() + 2, usegmt=True)
    return refusal(429, "TooManyRequests", f"Retry-After: {date}") if place.goes_on() else None


def failing(place: Cloud, _: Request) -> Answer:
    """500, 502 or 504 for a fifth of the requests."""
    status, code = place.choice.choice([(500, "InternalError"), (502, "BadGateway"), (504, "GatewayTimeout")])
    return refusal(status, code) if place.choice.random() < 0.2 else None


def slow_body(place: Cloud, request: Request) -> Answer:
    """400 RequestTimeout, with which S3 gives up a connection, for a tenth of the requests that have a body or get one."""
    if request.method == "HEAD" or place.choice.random() >= 0.1:
        return None
    return refusal(400, "RequestTimeout")


def resets(place: Cloud, _: Request) -> Answer:
    """A fifth of the connections is reset before, in or after the head of the answer, or ends there."""
    troubles = [Trouble.REFUSED, Trouble.RESET, Trouble.CUT]
    return (place.choice.choice(troubles), place.choice) if place.choice.random() < 0.2 else None


def restart(place: Cloud, _: Request) -> Answer:
    """The server ends, and nothing listens for a while."""
    if place.has_begun() and place.asked == _BEGINS:
        place.front.leave(place.lasts_s)
    return None


def idle(place: Cloud, _: Request) -> Answer:
    """Connections are closed as soon as they are idle."""
    place.front.idle_s = 0.02
    return None


def new_certificate(place: Cloud, _: Request) -> Answer:
    """The server restarts with a renewed certificate, and knows none of the TLS sessions that clients want to resume."""
    if place.has_begun() and place.asked == _BEGINS:
        place.front.tls = _server_tls()
        place.front.leave(0)
    return None


def no_name(place: Cloud, _: Request) -> Answer:
    """The server's name is unknown for a while, and its connections end."""
    if place.has_begun() and place.asked == _BEGINS:
        hosts = Path(os.environ[_HOSTS])
        known = hosts.read_text()
        hosts.write_text("")  # in place: it is mounted
        threading.Timer(place.lasts_s, hosts.write_text, [known]).start()
        place.front.leave(0)
    return None


_HOSTS: Final = "ZARRSCOPE_TEST_HOSTS"
"""The variable with the path of the file that is ``/etc/hosts`` in a mount namespace of its own."""
_NAME: Final = "cloud"
"""Without a dot: moto takes what is before a dot for a bucket."""
_NAMESPACE: Final = """
mount --bind "$ZARRSCOPE_TEST_HOSTS" /etc/hosts && mount --bind "$ZARRSCOPE_TEST_HOSTS.resolver" /etc/resolv.conf && exec "$@"
"""


def _in_namespace(*words: str) -> None:
    """Run `read` in a process whose names of hosts can be changed; no name server is asked."""
    with tempfile.TemporaryDirectory() as folder:
        hosts = Path(folder) / "hosts"
        hosts.write_text(f"127.0.0.1 localhost {_NAME}\n")
        Path(f"{hosts}.resolver").write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        program = (
            "import sys; from tests.proofs.faults.hours import read; "
            "read(*sys.argv[1:4], int(sys.argv[4]), float(sys.argv[5]))"
        )
        done = subprocess.run(
            [
                *("unshare", *own, "--mount", "sh", "-c", _NAMESPACE, "sh"),
                *(sys.executable, "-c", program, *words),
            ],
            env={**os.environ, _HOSTS: str(hosts)},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S + 200,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def skewed(_: Cloud, request: Request) -> Answer:
    """The clock of the service is an hour ahead of this machine's, from the beginning."""
    now_s = time.time() + _SKEW_S
    stated = request.headers.get("x-amz-date")
    if stated is None:
        return None
    then_s = time.mktime(time.strptime(stated, "%Y%m%dT%H%M%SZ")) - time.timezone
    if abs(now_s - then_s) < _TOLERATED_S:
        return None
    answer = refusal(403, "RequestTimeTooSkewed", f"Date: {formatdate(now_s, usegmt=True)}")
    return without_body(request, answer)


def without_body(request: Request, answer: bytes) -> bytes:
    """An answer, without its body if that was not requested."""
    return answer.partition(b"<?xml")[0] if request.method == "HEAD" else answer


def expired(place: Cloud, request: Request) -> Answer:
    """The keys that were used so far expire; newer ones are there."""
    key = request.headers.get("authorization", "").partition("Credential=")[2].partition("/")[0]
    if not place.has_begun():
        place.keys.add(key)
    elif place.asked == _BEGINS:
        give_keys(place.folder, "second")
    return (
        without_body(request, refusal(400, "ExpiredToken"))
        if place.asked >= _BEGINS and key in place.keys
        else None
    )


def give_keys(folder: Path, name: str) -> None:
    """Write keys as a profile's file has them, and as a command prints them."""
    document = {"Version": 1, "AccessKeyId": name, "SecretAccessKey": "s", "SessionToken": "t"}
    for file, text in (
        ("credentials", f"[default]\naws_access_key_id = {name}\naws_secret_access_key = s\n"),
        ("keys.json", json.dumps(document)),
    ):
        (folder / "new").write_text(text)
        (folder / "new").replace(folder / file)  # readers never see a part


def expired_profile(place: Cloud, request: Request) -> Answer:
    """The keys of a profile expire, and its file has new ones."""
    return expired(place, request)


def expired_command(place: Cloud, request: Request) -> Answer:
    """The keys that ``credential_process`` printed expire."""
    return expired(place, request)


def expired_role(place: Cloud, request: Request) -> Answer:
    """The keys of an assumed role expire."""
    return expired(place, request)


def expired_identity(place: Cloud, request: Request) -> Answer:
    """The keys for a web identity expire."""
    return expired(place, request)


def expired_machine(place: Cloud, request: Request) -> Answer:
    """The keys that the metadata address of the machine gave expire."""
    if not request.target.startswith("/latest/"):
        return expired(place, request)
    name = "second" if place.asked >= _BEGINS else "first"
    until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    keys = {"AccessKeyId": name, "SecretAccessKey": "s", "Token": "t", "Expiration": until, "Code": "Success"}
    told = {"token": "a-token", "security-credentials": "reader", "reader": json.dumps(keys)}
    body = told[request.target.rstrip("/").rpartition("/")[2]]
    return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


_ROLE: Final = "arn:aws:iam::123456789012:role/reader"
_CONFIGURATIONS: Final[dict[Fault, str]] = {
    expired_command: "[default]\ncredential_process = cat {folder}/keys.json\n",
    expired_role: "[profile base]\naws_access_key_id = base\naws_secret_access_key = s\n"
    f"[default]\nregion = us-east-1\nsource_profile = base\nrole_arn = {_ROLE}\n",
}
"""The configuration file for faults that need one."""
FAULTS: Final[dict[str, Fault]] = {
    fault.__name__: fault
    for fault in (
        *(
            slow_down,
            overloaded,
            wait_seconds,
            wait_until,
            failing,
            slow_body,
            resets,
            restart,
            idle,
            new_certificate,
            no_name,
        ),
        skewed,
        *(expired_profile, expired_command, expired_role, expired_identity, expired_machine),
    )
}
_OF_S3: Final = frozenset(
    name for name in FAULTS if name.startswith(("expired", "skewed", "slow_body", "no_name"))
)


@contextmanager
def _credentials(fault: Fault, folder: Path, front: Proxy, service: str) -> Iterator[None]:
    """The environment in which keys come from the source that a fault concerns."""
    give_keys(folder, "first")
    (folder / "token").write_text("a.b.c")
    (folder / "config").write_text(_CONFIGURATIONS.get(fault, "").format(folder=folder))
    values = {"AWS_CONFIG_FILE": str(folder / "config"), "NO_PROXY": f"127.0.0.1,{_NAME}"}
    if fault is expired_profile:
        values["AWS_SHARED_CREDENTIALS_FILE"] = str(folder / "credentials")
    if fault in (expired_role, expired_identity):
        values["AWS_ENDPOINT_URL_STS"] = service
    if fault is expired_identity:
        values |= {"AWS_WEB_IDENTITY_TOKEN_FILE": str(folder / "token"), "AWS_ROLE_ARN": _ROLE}
    if fault is expired_machine:
        values |= {"AWS_METADATA_ENDPOINT": front.url, "AWS_EC2_METADATA_DISABLED": "false"}
    unwanted = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY") if fault.__name__.startswith("expired") else ()
    with environment(values, unwanted):
        yield


@cache
def _authority() -> Authority:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    return Authority(Path(folder))


def _server_tls() -> ssl.SSLContext:
    """With a new certificate."""
    tls = _authority().server_context()
    tls.set_alpn_protocols(["h2", "http/1.1"])  # who speaks HTTP/2 would choose it, and fail
    return tls


@contextmanager
def cloud(
    scheme: str, fault: Fault, choice: random.Random, lasts_s: float, write: Callable[[AnyStore], None]
) -> Iterator[Cloud]:
    """A hierarchy, as written, behind a proxy: in S3, or on a web server with TLS."""
    s3, options = shared_s3()
    name = f"hours{os.getpid()}-{random.getrandbits(32)}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if scheme == "s3":
            direct = open_store(f"s3://bucket/{name}", endpoint_url=s3, **options)
            front = stack.enter_context(proxy(s3))
            source = direct.url
            address = front.url if fault is not no_name else front.url.replace("127.0.0.1", _NAME)
            options = {"endpoint_url": address, **options}
        else:
            root, url = shared_web()
            direct = open_store(root / name, create=True)
            front = stack.enter_context(proxy(url, tls=_server_tls()))
            source = f"{front.url}/{name}"
            options = {"ca_bundle": str(_authority().certificate)}
        stack.callback(direct.erase_prefix, "")
        write(direct)
        stack.enter_context(_credentials(fault, folder, front, s3))
        yield Cloud(front, source, options, fault, choice, lasts_s, folder)


def _write(store: AnyStore) -> None:
    """A hierarchy with one array."""
    hierarchy = zc.create(store)
    hierarchy.create_array(
        "n", shape=ELEMENTS.shape, dtype="int32", chunks=CHUNKS, dimension_names=["y", "x"],
        codecs=[{"name": "crc32c"}],
    )[...] = ELEMENTS  # fmt: skip
    hierarchy.consolidate()


def _check(store: AnyStore | Path) -> None:
    with zc.open_hierarchy(store) as found:
        assert np.array_equal(found["n"][...], ELEMENTS)


def library(place: Cloud) -> None:
    """Open and read."""
    _check(place.open())


def with_xarray(place: Cloud) -> None:
    """Open and read as a variable."""
    with xarray.open_dataset(place.source, engine="zarrscope", storage_options=place.options) as dataset:
        assert np.array_equal(dataset["n"].values, ELEMENTS)


def copy(place: Cloud) -> None:
    """``zarrscope copy`` to a directory."""
    with tempfile.TemporaryDirectory() as folder:
        done = run_inside("copy", place.source, f"{folder}/copy.zarr", "--quiet", *place.words())
        assert done.status == 0, done.stderr
        _check(Path(folder) / "copy.zarr")


def copy_to(place: Cloud) -> None:
    """``zarrscope copy`` from a directory."""
    with tempfile.TemporaryDirectory() as folder:
        zc.create(f"{folder}/a.zarr").create_array(
            "n", shape=ELEMENTS.shape, dtype="int32", chunks=CHUNKS, codecs=[{"name": "crc32c"}]
        )[...] = ELEMENTS
        dest = f"{place.source}/copy"
        done = run_inside("copy", f"{folder}/a.zarr", dest, "--quiet", "--overwrite", *place.words())
        assert done.status == 0, done.stderr
        _check(place.open(dest))


def window(place: Cloud) -> None:
    """The window's table shows the last element, without a click."""
    from tests.proofs.faults.windows import application, shown_in_table

    with application():
        shown_in_table(place.source, place.open, "/n", ELEMENTS)


def _keys(path: Path) -> None:
    _check(path / "keys")


def _arrays(path: Path) -> None:
    assert (path / "arrays" / "n" / "data.raw").read_bytes() == ELEMENTS.tobytes()


def _zarr3(path: Path) -> None:
    _check(path / "zarr3")


def _hdf5(path: Path) -> None:
    # In a process of its own: h5py reads with Python's lock, which the proxy of this process needs to answer.
    program = "import h5py, sys; sys.stdout.buffer.write(h5py.File(sys.argv[1])['n'][...].tobytes())"
    done = subprocess.run(
        [sys.executable, "-c", program, path / "hdf5" / "n.h5"],
        capture_output=True,
        timeout=PATIENCE_S + 60,
        check=False,
    )
    assert done.stdout == ELEMENTS.tobytes(), done.stderr.decode()


def _mount(place: Cloud, *trees: Callable[[Path], None]) -> None:
    """Trees of a mount at once, during the fault and after it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        mounting(Path(folder)) as mount,
        ThreadPoolExecutor(len(trees)) as pool,
    ):
        place.begin()
        made = mount(place.source, "--metadata-ttl", "1", *place.words())
        daemon = made.daemon()
        for outcome in [pool.submit(tree, made.path) for tree in trees]:
            outcome.result()
        place.end()
        for tree in trees:
            tree(made.path)
        assert made.daemon() == daemon
        assert "Traceback" not in made.log.read_text()
        ended = made.umount()
        assert ended.status == 0, ended.stderr


def mount_keys(place: Cloud) -> None:
    """The tree ``keys/`` of a mount."""
    _mount(place, _keys)


def mount_arrays(place: Cloud) -> None:
    """The tree ``arrays/`` of a mount."""
    _mount(place, _arrays)


def mount_zarr3(place: Cloud) -> None:
    """The tree ``zarr3/`` of a mount."""
    _mount(place, _zarr3)


def mount_hdf5(place: Cloud) -> None:
    """The tree ``hdf5/`` of a mount."""
    _mount(place, _hdf5)


def mount_all(place: Cloud) -> None:
    """All these trees at once."""
    _mount(place, _keys, _arrays, _zarr3, _hdf5)


READERS: Final = {
    reader.__name__: reader
    for reader in (
        *(library, with_xarray, copy, copy_to, window),
        *(mount_keys, mount_arrays, mount_zarr3, mount_hdf5, mount_all),
    )
}
CASES: Final = [
    (scheme, reader, fault)
    for scheme in ("s3", "https")
    for reader in READERS
    for fault in FAULTS
    if (fault != "new_certificate" if scheme == "s3" else fault not in _OF_S3 and reader != "copy_to")
    if (reader, fault)
    != ("copy_to", "skewed")  # obstore, which writes, has no other clock than this machine's
]


def read(scheme: str, reader: str, fault: str, seed: int, lasts_s: float) -> None:
    """One reader during one fault, and after it."""
    if fault == "no_name" and _HOSTS not in os.environ:
        _in_namespace(scheme, reader, fault, str(seed), str(lasts_s))
        return
    with cloud(scheme, FAULTS[fault], random.Random(seed), lasts_s, _write) as place:
        place.begin()
        READERS[reader](place)
        place.end()
        if fault not in ("skewed", "expired_machine"):  # which are also what the service is
            READERS[reader](place)


def trial(seed: int) -> int:
    """One of the cases."""
    choice = random.Random(seed)
    read(*CASES[seed % len(CASES)], seed, choice.uniform(1.0, _LONGEST_S))
    return 1
