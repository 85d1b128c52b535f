"""``--read-write`` on a machine with several users: permissions to write."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.zfs.namespace import Namespace, entered, needs_root

USER = 65534
PREPARE = f"""
mount -t tmpfs none /mnt
mkdir /mnt/here /mnt/store
mknod -m 666 /mnt/fuse c 10 229
mount --bind /mnt/fuse /dev/fuse
chown {USER} /mnt/here /mnt/store
chmod 755 /mnt
"""
HERE = Path("/mnt/here")
AS_USER = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
MAY_READ = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
ZARRSCOPE = Path(sys.executable).with_name("zarrscope")
WRITE = "echo written > /mnt/here/keys/a && mkdir /mnt/here/keys/b && mv /mnt/here/keys/a /mnt/here/keys/b/c"


@pytest.fixture
def namespace(tmp_path: Path) -> Iterator[Namespace]:
    with entered(tmp_path, PREPARE) as made:
        yield made
        made.run(ZARRSCOPE, "umount", HERE)


@needs_root
def test_an_ordinary_user_writes_to_their_store(namespace: Namespace) -> None:
    namespace.done(*AS_USER, *MAY_READ, ZARRSCOPE, "mount", "--read-write", "/mnt/store", HERE)
    namespace.done(*AS_USER, "sh", "-c", WRITE)
    assert namespace.done("cat", "/mnt/store/b/c") == "written\n"
    assert namespace.done("stat", "-c%u", "/mnt/store/b/c") == f"{USER}\n"


@needs_root
@pytest.mark.parametrize("owner", ["", f",uid={USER},gid={USER}"])
def test_other_users_write_if_permissions_allow_it(namespace: Namespace, owner: str) -> None:
    namespace.done(ZARRSCOPE, "mount", "/mnt/store", HERE, "-o", f"read_write,allow_other{owner}")
    done = namespace.run(*AS_USER, "sh", "-c", WRITE)
    if owner:
        assert done.returncode == 0, done
        assert namespace.done("cat", "/mnt/store/b/c") == "written\n"
    else:
        assert "Permission denied" in done.stderr
        assert namespace.done("ls", "/mnt/store") == ""
        namespace.done("sh", "-c", WRITE)
        assert namespace.done(*AS_USER, "cat", "/mnt/here/keys/b/c") == "written\n"
