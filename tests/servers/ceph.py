"""A real S3 service: Ceph's gateway over one monitor and one object store that keeps everything in memory.

It takes a quarter of a minute to start, and needs extra packages, so only ``packaging/test --all`` uses it.
"""

from __future__ import annotations

import contextlib
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

from tests.servers.processes import free_port, running
from tests.servers.s3 import S3_ENVIRONMENT, S3Server

_CONFIGURATION = """
[global]
fsid = {fsid}
mon host = {monitor}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
mon allow pool size one = true
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 2147483648
keyring = {work}/keyring
run dir = {work}
crash dir = {work}
admin socket =
pid file =
log file = {work}/$name.log
mon data = {work}/mon
osd data = {work}/osd
[client.rgw]
rgw data = {work}/rgw
rgw frontends = beast endpoint=127.0.0.1:{port} tcp_nodelay=1
"""

_RIGHTS = {
    "mon.": ["mon", "allow *"],
    "client.admin": ["mon", "allow *", "osd", "allow *"],
    "osd.0": ["mon", "allow profile osd", "osd", "allow *"],
    "client.rgw": ["mon", "allow rw", "osd", "allow rwx"],
}
"""The users, and their rights at monitors and object stores."""


@contextlib.contextmanager
def ceph_server(work: Path) -> Iterator[S3Server]:
    """A Ceph gateway with the bucket ``bucket``, and the same keys as the moto service."""
    fsid, ports = str(uuid.uuid4()), [free_port() for _ in range(3)]
    monitor = f"[v2:127.0.0.1:{ports[0]}/0,v1:127.0.0.1:{ports[1]}/0]"
    configuration = work / "ceph.conf"
    configuration.write_text(_CONFIGURATION.format(work=work, fsid=fsid, monitor=monitor, port=ports[2]))

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [program, "-c", configuration, *arguments], check=True, capture_output=True, timeout=90
        )

    _write_keyring(work / "keyring")
    for name in ("mon", "osd", "rgw"):
        (work / name).mkdir()
    monmap = str(work / "monmap")
    run("monmaptool", "--create", "--fsid", fsid, "--addv", "a", monitor.replace("/0", ""), monmap)
    run("ceph-mon", "-i", "a", "--mkfs", "--monmap", monmap)
    options = ["-c", str(configuration), "-f"]
    with running(["ceph-mon", *options, "-i", "a"], tuple(ports[:2])):
        run("ceph", "osd", "new", fsid)
        run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", fsid)
        with running(["ceph-osd", *options, "-i", "0"], ()):
            key, secret = S3_ENVIRONMENT["AWS_ACCESS_KEY_ID"], S3_ENVIRONMENT["AWS_SECRET_ACCESS_KEY"]
            user = ("user", "create", "--uid=tests", "--display-name=tests")
            run("radosgw-admin", *user, f"--access-key={key}", f"--secret-key={secret}")
            with running(["radosgw", *options, "-n", "client.rgw"], tuple(ports[2:])):
                server = S3Server(f"http://127.0.0.1:{ports[2]}")
                _create_bucket(server, key, secret)
                yield server


def _write_keyring(path: Path) -> None:
    for name, rights in _RIGHTS.items():
        created = [] if path.exists() else ["--create-keyring"]
        allowed = [
            word
            for kind, what in zip(rights[::2], rights[1::2], strict=True)
            for word in ("--cap", kind, what)
        ]
        subprocess.run(
            ["ceph-authtool", *created, path, "--gen-key", "-n", name, *allowed],
            check=True,
            capture_output=True,
        )


def _create_bucket(server: S3Server, key: str, secret: str) -> None:
    import boto3

    client = boto3.client(
        "s3",
        endpoint_url=server.endpoint_url,
        region_name="us-east-1",
        aws_access_key_id=key,
        aws_secret_access_key=secret,
    )
    client.create_bucket(Bucket="bucket")
    client.close()
