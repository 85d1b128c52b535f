"""What ``-o`` and the options mean, where logs go, and what nobody else may read."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest
import zarr

from tests.zfs.conftest import Mounter
from zarrcore.cli import copy
from zarrcore.filetypes import SUFFIXES
from zarrfs.cli import _secrets, _take_environment, register_mount
from zarrfs.mount.mountpoints import MountError
from zarrfs.mount.option_values import SHOWABLE


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    register_mount(parser.add_subparsers())
    return parser.parse_args(["mount", *arguments, "--", "source", "/mnt"])


def test_each_option_is_a_word_and_each_word_an_option() -> None:
    """Both ways say the same, with dashes or underscores."""
    taken = {
        "view": "keys", "format": "v2", "cache-size": "8MiB", "metadata-ttl": "forever", "threads": "4", "log-file": "a",
        "log-level": "info", "env-file": "e", "fsname": "x", "uid": "root", "gid": "0", "umask": "027", "region": "r",
        "endpoint-url": "http://host:1", "profile": "p", "header": "A: b", "ca-bundle": "c", "timeout": "3",
        "retries": "1", "cache-dir": "d", "cache-dir-size": "1g", "spill-size": "1g",
    }  # fmt: skip
    flags = ["foreground", "ro", "allow_other", "default_permissions", "auto_unmount", "anonymous",
             "requester-pays", "follow-links", "treat-403-as-missing"]  # fmt: skip
    long = parse(*(f"--{name}={value}" for name, value in taken.items()), *(f"--{name}" for name in flags))
    words = ",".join([*(f"{name}={value}" for name, value in taken.items()), *flags])
    assert parse("-o", words) == long
    assert parse("-o", words.replace("-", "_")) == long
    assert (long.uid, long.gid, long.umask, long.cache_size) == (0, 0, 0o27, 8 << 20)


@pytest.mark.parametrize("text", ["512M", "512MB", "512MiB", "1.5g", "4096"])
def test_a_size_is_the_same_wherever_it_is_written(text: str) -> None:
    parsers = argparse.ArgumentParser()
    copy.register(parsers.add_subparsers())
    expected = parsers.parse_args(["copy", "--memory", text, "a", "b"]).memory
    mounted = parse("--cache-size", text, "--spill-size", text, "--cache-dir-size", text)
    assert (mounted.cache_size, mounted.spill_size, mounted.cache_dir_size) == (expected,) * 3


def test_words_of_mount_are_passed_over() -> None:
    generic = "rw,exec,noexec,suid,dev,auto,noauto,nofail,_netdev,user,users,user=me,owner,group,comment=a b,x-a=1,X-b"
    assert parse("-o", generic) == parse()


def test_commas_in_values() -> None:
    assert parse("-o", 'header="A: 1,2",ro').header == [("A", "1,2")]
    assert parse("-o", "header=A: 1\\,2,fsname=x").header == [("A", "1,2")]


def test_file_types() -> None:
    assert set(SHOWABLE) == {*SUFFIXES, "h5", "nc"}
    assert parse().show == ("raw", "npy", "h5")
    assert parse("--show", "").show == ()
    assert parse("-o", 'show="npy,tiff",ro').show == ("npy", "tiff")


@pytest.mark.parametrize(
    ("words", "said"),
    [("remount,ro", "mount it anew"), ("nonsense", "no such option"), ("uid=nobody-of-this-name", "a user's name"),
     ("show=jpg", "expected some of raw,npy")],
)  # fmt: skip
def test_what_is_no_option_is_told(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse("-o", words)
    assert said in capsys.readouterr().err


def test_sloppy_passes_over_what_is_unknown() -> None:
    assert parse("-o", "sloppy,nonsense,nonsense=1,ro").ro


def test_an_environment_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {})
    file = tmp_path / "env"
    file.write_text("# credentials\n\nAWS_ACCESS_KEY_ID=me\nQUOTED=\"a b\"\nEMPTY=\nWITH='=x='\n")
    _take_environment(str(file))
    assert os.environ == {"AWS_ACCESS_KEY_ID": "me", "QUOTED": "a b", "EMPTY": "", "WITH": "=x="}
    file.write_text("A=1\nSECRET\n")
    with pytest.raises(MountError, match=r"line 2 of .* is not NAME=VALUE") as caught:
        _take_environment(str(file))
    assert "SECRET" not in str(caught.value)
    with pytest.raises(MountError, match="no such file"):
        _take_environment(str(tmp_path / "none"))
    file.write_bytes(b"A=\xff\n")
    with pytest.raises(MountError, match="holds no text"):
        _take_environment(str(file))


def test_secrets_are_not_in_the_process_list(tmp_path: Path, mount: Mounter) -> None:
    zarr.save_group(tmp_path / "a.zarr", x=zarr.zeros(3)[...])
    mounted = mount(
        tmp_path / "a.zarr", "-o", "header=Authorization: Bearer a\\,b\\,c", "--header", "X-Key: hush"
    )
    shown = Path(f"/proc/{mounted.daemon()}/cmdline").read_bytes()
    assert str(tmp_path / "a.zarr").encode() in shown
    assert b"Authorization: *" in shown
    assert not {b"Bearer", b"hush"} & {*shown.replace(b"\0", b" ").split()}
    assert b"Bearer" not in Path("/proc/self/mountinfo").read_bytes()


def test_a_password_in_a_url_is_a_secret() -> None:
    namespace = parse()
    namespace.source = "https://me:pw@host/a"
    assert _secrets(namespace) == ["me:pw"]


def test_the_log_goes_on_in_a_new_file_when_it_was_rotated(tmp_path: Path) -> None:
    """As logrotate does it: no signal is needed; a log that cannot be written loses its line and nothing else."""
    folder = tmp_path / "logs"
    folder.mkdir()
    script = """if True:
        import logging, os, shutil, sys
        from zarrfs.mount import logs
        logs.start("info", sys.argv[1], False)
        logging.info("first")
        os.rename(sys.argv[1], sys.argv[1] + ".1")
        logging.info("second")
        os.rename(os.path.dirname(sys.argv[1]), os.path.dirname(sys.argv[1]) + ".moved")
        logging.info("lost")
        os.mkdir(os.path.dirname(sys.argv[1]))
        logging.info("third")
    """
    subprocess.run([sys.executable, "-c", script, folder / "log"], check=True, stderr=subprocess.DEVNULL)
    moved = tmp_path / "logs.moved"
    assert [path.read_text().split()[-1] for path in (moved / "log.1", moved / "log")] == ["first", "second"]
    assert (folder / "log").read_text().count("\n") == 1
    assert "zarrscope[" in (folder / "log").read_text()


def test_a_mount_logs_to_its_file(tmp_path: Path, mount: Mounter) -> None:
    zarr.save_group(tmp_path / "a.zarr", x=zarr.zeros(3)[...])
    document = tmp_path / "a.zarr" / "x" / "c" / "0"
    document.parent.mkdir(parents=True, exist_ok=True)
    document.write_bytes(b"garbage")
    mounted = mount(tmp_path / "a.zarr")
    mounted.log.rename(tmp_path / "old")
    with pytest.raises(OSError, match="Input/output"):
        (mounted.arrays / "x" / "data.raw").read_bytes()
    assert "x/c/0" in mounted.log.read_text()
