"""``--read-write``: files of ``keys/`` as programs write them and as others see them."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import mmap
import os
import signal
import sqlite3
import subprocess
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tests.zfs.conftest import NO_FUSE, Mount, Mounter, has_ended
from tests.zfs.forking import run_forked


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory, mounter: Mounter) -> tuple[Path, Mount]:
    """A directory, and its writable mount."""
    path = tmp_path_factory.mktemp("written")
    return path, mounter(path, "--read-write")


@pytest.fixture
def stored(places: tuple[Path, Mount], request: pytest.FixtureRequest) -> Path:
    """A folder of the store for one test."""
    path = places[0] / request.node.name
    path.mkdir()
    return path


@pytest.fixture
def folder(stored: Path, places: tuple[Path, Mount]) -> Path:
    """The same folder in the mount."""
    return places[1].keys / stored.name


def error_of(action: Callable[..., object], *arguments: object) -> int | None:
    with pytest.raises(OSError) as caught:  # noqa: PT011 - its errno is what the caller looks at
        action(*arguments)
    return caught.value.errno


def test_a_value_is_not_visible_before_it_is_closed(stored: Path, folder: Path) -> None:
    (folder / "a").write_bytes(b"old")
    with open(folder / "a", "r+b", buffering=0) as file:
        assert file.write(b"new!") == 4
        assert os.fstat(file.fileno()).st_size == 4
        assert (os.pread(file.fileno(), 9, 0), file.read()) == (b"new!", b"")
        assert ((stored / "a").read_bytes(), (folder / "a").read_bytes()) == (b"old", b"old")
        os.fsync(file.fileno())
        assert ((stored / "a").read_bytes(), (folder / "a").read_bytes()) == (b"new!", b"new!")
        file.write(b"more")
        assert (folder / "a").read_bytes() == b"new!"
    assert ((stored / "a").read_bytes(), (folder / "a").read_bytes()) == (b"new!more", b"new!more")
    assert (folder / "a").stat().st_size == 8


def test_a_new_key_is_not_stored_before_it_is_closed(stored: Path, folder: Path) -> None:
    with open(folder / "a", "wb", buffering=0) as file:
        file.write(b"begun")
        assert os.listdir(folder) == ["a"]
        assert error_of((folder / "a").read_bytes) == errno.ENOENT
        assert error_of(os.open, folder / "a", os.O_CREAT | os.O_EXCL | os.O_WRONLY) == errno.EEXIST
        assert not (stored / "a").exists()
    assert ((stored / "a").read_bytes(), (folder / "a").read_bytes()) == (b"begun", b"begun")


def test_readers_keep_the_version_that_they_opened(stored: Path, folder: Path) -> None:
    (folder / "a").write_bytes(b"first" + bytes(4 << 20))
    with open(folder / "a", "rb", buffering=0) as reader:
        assert reader.read(2) == b"fi"
        with open(folder / "a", "wb") as file:
            file.write(b"second")
            assert reader.read(1) == b"r"
            assert os.fstat(reader.fileno()).st_size == 5 + (4 << 20)
        assert (folder / "a").read_bytes() == b"second"
        os.truncate(folder / "a", 3)
        assert (folder / "a").read_bytes() == (stored / "a").read_bytes() == b"sec"
        assert os.fstat(reader.fileno()).st_size == 5 + (4 << 20)
        assert reader.read(2) == b"st"  # which the kernel has in memory
        assert error_of(os.pread, reader.fileno(), 9, 3 << 20) == errno.ESTALE


def test_changing_a_value_in_place_that_others_changed_is_refused(stored: Path, folder: Path) -> None:
    (folder / "a").write_bytes(b"0123456789")
    descriptor = os.open(folder / "a", os.O_RDWR)
    os.pwrite(descriptor, b"xx", 0)
    (stored / "new").write_bytes(b"by another mount")
    (stored / "new").replace(stored / "a")
    assert error_of(os.fsync, descriptor) == errno.ESTALE
    assert error_of(os.close, descriptor) == errno.ESTALE
    assert (stored / "a").read_bytes() == (folder / "a").read_bytes() == b"by another mount"


def test_all_writers_of_a_key_write_one_value(stored: Path, folder: Path) -> None:
    (folder / "a").write_bytes(b"0123456789")
    first = os.open(folder / "a", os.O_RDWR)
    with open(folder / "a", "rb"):  # which has another inode number from now on
        os.pwrite(first, b"ab", 0)
        second = os.open(folder / "a", os.O_RDWR)
        assert os.path.sameopenfile(first, second)
        os.pwrite(second, b"cd", 4)
        assert os.pread(first, 10, 0) == os.pread(second, 10, 0) == b"ab23cd6789"
        assert (folder / "a").read_bytes() == b"0123456789"
        fcntl.flock(first, fcntl.LOCK_EX)
        assert error_of(fcntl.flock, second, fcntl.LOCK_EX | fcntl.LOCK_NB) == errno.EWOULDBLOCK
    os.close(first)
    assert (stored / "a").read_bytes() == (folder / "a").read_bytes() == b"ab23cd6789"
    os.ftruncate(second, 3)
    os.close(second)
    assert (stored / "a").read_bytes() == (folder / "a").read_bytes() == b"ab2"


def test_files_can_be_resized_appended_and_have_holes(stored: Path, folder: Path) -> None:
    descriptor = os.open(folder / "a", os.O_CREAT | os.O_RDWR)
    os.pwrite(descriptor, b"end", 100)
    os.ftruncate(descriptor, 102)
    os.ftruncate(descriptor, 105)
    assert os.fstat(descriptor).st_size == 105
    os.close(descriptor)
    assert (stored / "a").read_bytes() == bytes(100) + b"en" + bytes(3)
    with open(folder / "a", "ab") as file:
        file.write(b"more")
    assert (stored / "a").read_bytes()[100:] == b"en\0\0\0more"
    os.truncate(folder / "a", 2)
    os.truncate(folder / "a", 4)
    assert (stored / "a").read_bytes() == (folder / "a").read_bytes() == bytes(4)
    (folder / "a").open("wb").close()
    assert (stored / "a").read_bytes() == (folder / "a").read_bytes() == b""


def test_large_values_wait_on_disk(stored: Path, folder: Path) -> None:
    content = os.urandom(1 << 20) * 9
    (folder / "a").write_bytes(content)
    assert (stored / "a").read_bytes() == content
    with open(folder / "a", "r+b", buffering=0) as file:
        os.pwrite(file.fileno(), b"x", 5 << 20)
        assert (
            os.pread(file.fileno(), 3, (5 << 20) - 1)
            == content[(5 << 20) - 1 :][:1] + b"x" + content[(5 << 20) + 1 :][:1]
        )
        file.truncate(6 << 20)
    changed = content[: 5 << 20] + b"x" + content[(5 << 20) + 1 : 6 << 20]
    assert (stored / "a").read_bytes() == (folder / "a").read_bytes() == changed


def test_keys_are_written_through_mappings(stored: Path, folder: Path) -> None:
    (folder / "a").write_bytes(bytes(10_000))
    with open(folder / "a", "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[5000:5003] = b"abc"
        mapped.flush()
        assert (stored / "a").read_bytes()[5000:5003] == b"abc"
        mapped[1] = 7
    wait_until(lambda: (stored / "a").read_bytes()[1] == 7, "the last written data is stored")


def test_renaming_moves_the_value(stored: Path, folder: Path) -> None:
    (folder / "a").write_bytes(b"a")
    (folder / "b").write_bytes(b"b")
    with open(folder / "b", "rb", buffering=0):
        (folder / "a").rename(folder / "b")
    assert (os.listdir(folder), os.listdir(stored)) == (["b"], ["b"])
    assert ((stored / "b").read_bytes(), (folder / "b").read_bytes()) == (b"a", b"a")
    (folder / "sub").mkdir()
    (folder / "b").rename(folder / "sub" / "c")
    assert (stored / "sub" / "c").read_bytes() == (folder / "sub" / "c").read_bytes() == b"a"
    assert os.listdir(folder) == ["sub"]
    assert error_of((folder / "sub").rename, folder / "other") == errno.EXDEV
    (folder / "sub" / "c").unlink()
    (folder / "sub").rename(folder / "other")
    assert (os.listdir(folder), os.listdir(folder / "other")) == (["other"], [])
    (folder / "other" / "x").write_bytes(b"x")
    assert (stored / "other" / "x").read_bytes() == b"x"
    assert error_of((folder / "other" / "x").rename, folder.parent.parent / "arrays" / "x") == errno.EXDEV


def test_open_files_can_be_renamed(stored: Path, folder: Path) -> None:
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        file.write(b"written before")
        file.flush()
        os.replace(file.name, folder / "a")
        assert (stored / "a").read_bytes() == b"written before"
        file.write(b" and after")
    assert os.listdir(stored) == ["a"]
    assert (stored / "a").read_bytes() == (folder / "a").read_bytes() == b"written before and after"


def test_files_in_a_renamed_directory_have_its_new_name(stored: Path, folder: Path) -> None:
    (folder / "untitled").mkdir()
    inside = os.open(folder / "untitled", os.O_RDONLY)
    os.rename(folder / "untitled", folder / "data")
    (folder / "data" / "a").write_text("by its name")
    os.close(os.open("b", os.O_CREAT | os.O_WRONLY, dir_fd=inside))  # like a shell in that directory
    os.close(inside)
    assert sorted(os.listdir(folder / "data")) == ["a", "b"]
    assert sorted(path.relative_to(stored) for path in stored.rglob("?")) == [Path("data/a"), Path("data/b")]
    assert not (stored / "untitled").exists()


def test_renaming_to_the_same_name_does_nothing(
    stored: Path, folder: Path, places: tuple[Path, Mount]
) -> None:
    other_tree = places[1].path / ".zarrscope" / "keys" / folder.name
    (folder / "a").write_bytes(b"old")
    descriptor = os.open(folder / "a", os.O_RDWR)
    os.pwrite(descriptor, b"new", 0)
    os.rename(folder / "a", folder / "a")
    os.close(descriptor)
    os.rename(folder / "a", other_tree / "a")
    assert (folder / "a").read_bytes() == (stored / "a").read_bytes() == b"new"
    (folder / "empty").mkdir()
    os.rename(folder / "empty", other_tree / "empty")
    assert sorted(os.listdir(folder)) == ["a", "empty"]


def test_renames_in_opposite_directions_do_not_wait_for_each_other(
    stored: Path, folder: Path, places: tuple[Path, Mount]
) -> None:
    """In two trees, since the kernel serializes renames within one directory."""
    names = [folder / "a", folder / "b"]
    for name in names:
        name.write_bytes(b"1")
    writers = [os.open(name, os.O_RDWR) for name in names]
    other = [places[1].path / ".zarrscope" / "keys" / folder.name / name.name for name in reversed(names)]

    def back_and_forth(first: Path, second: Path) -> None:
        for _ in range(40):
            with contextlib.suppress(OSError):
                os.rename(first, second)

    threads = [threading.Thread(target=back_and_forth, args=pair, daemon=True) for pair in (names, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    for descriptor in writers:
        os.close(descriptor)


def test_a_removed_file_that_is_open_has_its_attributes(stored: Path, folder: Path) -> None:
    (folder / "a").write_bytes(b"12345")
    with open(folder / "a", "rb") as reader:
        known = os.fstat(reader.fileno())
        (folder / "a").unlink()
        assert os.fstat(reader.fileno()).st_size == 5
        (folder / "a").write_bytes(b"another")
        now = os.fstat(reader.fileno())
        assert (now.st_size, now.st_ino, now.st_mtime) == (5, known.st_ino, known.st_mtime)
        assert (folder / "a").stat().st_size == 7


def test_a_value_of_another_size_has_another_inode_number(stored: Path, folder: Path) -> None:
    """If two replies are in flight, the kernel may keep the older size, and truncate its reads."""
    (folder / "a").write_bytes(b"12345")
    known = (folder / "a").stat()
    for content in (b"by another program", b"123"):
        (stored / "new").write_bytes(content)
        (stored / "new").replace(stored / "a")
        assert (folder / "a").read_bytes() == content
        now = (folder / "a").stat()
        assert now.st_size == len(content)
        assert now.st_ino != known.st_ino
        known = now


def test_a_file_and_its_name_have_one_inode_number_while_it_is_written(stored: Path, folder: Path) -> None:
    (folder / "a").write_bytes(b"12345")
    with open(folder / "a", "r+b", buffering=0) as writer, open(folder / "a", "rb") as reader:
        writer.write(b"more than it was")
        assert os.fstat(writer.fileno()).st_ino == (folder / "a").stat().st_ino
        assert reader.read() == b"12345"
    assert (folder / "a").read_bytes() == b"more than it was"


@pytest.mark.parametrize("journal", ["delete", "truncate", "persist"])
def test_sqlite_works_with_each_journal_mode(stored: Path, folder: Path, journal: str) -> None:
    with contextlib.closing(sqlite3.connect(folder / "a.sqlite", isolation_level=None)) as database:
        assert database.execute(f"pragma journal_mode={journal}").fetchall() == [(journal,)]
        database.execute("create table numbers (number)")
        for number in range(3):
            database.execute("begin")
            database.executemany("insert into numbers values (?)", [(number,)] * 100)
            database.execute("commit")
    with contextlib.closing(sqlite3.connect(stored / "a.sqlite")) as database:
        assert database.execute("select sum(number), count(*) from numbers").fetchall() == [(300, 300)]


def test_removing_erases_the_key(stored: Path, folder: Path) -> None:
    (folder / "a").write_bytes(b"a")
    (folder / "a").unlink()
    assert error_of((folder / "a").read_bytes) == error_of((folder / "a").unlink) == errno.ENOENT
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"nobody's")
        file.seek(0)
        assert file.read() == b"nobody's"
    assert os.listdir(folder) == []


def test_directories_without_keys_exist_in_the_mount(stored: Path, folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    assert (os.listdir(folder), os.listdir(folder / "a"), os.listdir(folder / "a" / "b")) == (
        ["a"],
        ["b"],
        [],
    )
    assert os.listdir(stored) == []
    assert error_of((folder / "a").mkdir) == errno.EEXIST
    (folder / "a" / "b" / "key").write_bytes(b"1")
    assert error_of((folder / "a").rmdir) == errno.ENOTEMPTY
    (folder / "a" / "b" / "key").unlink()
    assert os.listdir(folder / "a") == ["b"]
    (folder / "a" / "b").rmdir()
    (folder / "a").rmdir()
    assert error_of((folder / "a").rmdir) == errno.ENOENT
    assert os.listdir(folder) == []
    (stored / "empty").mkdir(parents=True)
    (folder / "empty").rmdir()
    assert not (stored / "empty").exists()


def test_a_directory_made_here_stays_when_another_program_erases_the_keys_beside_it(
    stored: Path, folder: Path
) -> None:
    """S32: "A directory without keys exists only in the mount, until rmdir or unmounting"."""
    (stored / "a").mkdir()
    (stored / "a" / "key").write_bytes(b"1")
    (folder / "a" / "made").mkdir()
    (stored / "a" / "key").unlink()
    (stored / "a").rmdir()
    assert os.listdir(folder) == ["a"]
    assert os.listdir(folder / "a") == ["made"]
    (folder / "a" / "made").rmdir()
    (folder / "a").rmdir()
    assert os.listdir(folder) == []


def test_links_are_copies_that_need_a_free_name(stored: Path, folder: Path) -> None:
    (folder / "a").write_bytes(b"a")
    os.link(folder / "a", folder / "b")
    assert (stored / "b").read_bytes() == (folder / "b").read_bytes() == b"a"
    assert error_of(os.link, folder / "a", folder / "b") == errno.EEXIST
    assert error_of(os.symlink, "a", folder / "c") == error_of(os.mkfifo, folder / "c") == errno.EPERM


def test_owners_permissions_and_times_are_accepted_but_not_kept(stored: Path, folder: Path) -> None:
    (folder / "a").write_bytes(b"a")
    before = (folder / "a").stat()
    os.utime(folder / "a", (1, 1))
    (folder / "a").chmod(0o600)
    os.chown(folder / "a", before.st_uid, before.st_gid)
    after = (folder / "a").stat()
    assert (after.st_mode & 0o777, after.st_mtime_ns) == (0o644, before.st_mtime_ns)
    assert folder.stat().st_mode & 0o777 == 0o755


def test_names_that_cannot_be_keys_are_refused(folder: Path) -> None:
    assert error_of((folder / ("x" * 300)).write_bytes, b"") == errno.ENAMETOOLONG
    (folder / "50%").write_bytes(b"percent")
    assert (folder / "50%").read_bytes() == b"percent"
    assert error_of((folder / "%00").write_bytes, b"") == errno.EINVAL


def test_names_outside_the_trees_cannot_be_written(places: tuple[Path, Mount]) -> None:
    mounted = places[1]
    assert error_of((mounted.path / "new").write_bytes, b"") == errno.EROFS
    assert error_of((mounted.path / "new").mkdir) == errno.EROFS
    assert error_of((mounted.path / ".zarrscope" / "stats.json").write_bytes, b"") == errno.EROFS
    mounted.refresh()
    free = os.statvfs(mounted.path)
    assert free.f_bavail * free.f_frsize > 1 << 40


@pytest.mark.skipif(bool(NO_FUSE), reason=NO_FUSE or "-")
def test_a_store_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    there = tmp_path / "mnt"
    there.mkdir()
    for arguments in (("http://127.0.0.1:9/x",), ("-o", "ro", tmp_path)):
        done = run_forked("mount", "--read-write", *arguments, there)
        assert (done.status, done.stderr.count("\n")) == (1, 1)
        assert "cannot be written" in done.stderr or "omit one of them" in done.stderr


def test_the_word_rw_alone_has_no_effect(tmp_path: Path, mount: Mounter) -> None:
    (tmp_path / "store").mkdir()
    mounted = mount(tmp_path / "store", "-o", "rw,nodev")
    assert error_of((mounted.keys / "a").write_bytes, b"") == errno.EROFS
    mounted = mount(tmp_path / "store", "-o", "rw,read_write")
    (mounted.keys / "a").write_bytes(b"a")
    assert (tmp_path / "store" / "a").read_bytes() == b"a"


def test_killing_the_daemon_leaves_the_old_value(tmp_path: Path, mount: Mounter) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "a").write_bytes(b"old")
    mounted = mount(tmp_path / "store", "--read-write")
    daemon = mounted.daemon()
    descriptor = os.open(mounted.keys / "a", os.O_WRONLY | os.O_TRUNC)
    os.write(descriptor, b"new" * 1000)
    new = os.open(mounted.keys / "b", os.O_CREAT | os.O_WRONLY)
    os.write(new, b"new")
    os.kill(daemon, signal.SIGKILL)
    wait_until(lambda: has_ended(daemon), "the daemon ends")
    assert error_of(os.close, descriptor) is not None
    assert error_of(os.close, new) is not None
    subprocess.run(["umount", "--lazy", mounted.path], check=True)
    assert os.listdir(tmp_path / "store") == ["a"]
    assert (tmp_path / "store" / "a").read_bytes() == b"old"


def test_readers_never_see_half_of_a_value(stored: Path, folder: Path) -> None:
    """S30: "A reader sees the old value or the new one"; here while others write."""
    (folder / "a").write_bytes(b"0" * 300_000)
    (folder / "b").write_bytes(b"0" * 300_000)
    done, failed = threading.Event(), []

    def write(place: Path, letter: bytes) -> None:
        for number in range(25):
            temporary = place.with_name(f"{place.name}{letter.decode()}")
            temporary.write_bytes(letter * (100_000 + 7919 * number))
            temporary.replace(place)

    def write_over(place: Path, letter: bytes) -> None:
        for number in range(25):
            place.write_bytes(letter * (100_000 + 7919 * number))

    def read(place: Path) -> None:
        while not done.is_set():
            with contextlib.suppress(FileNotFoundError):
                try:
                    content = place.read_bytes()
                except OSError as error:
                    if error.errno != errno.ESTALE:
                        failed.append(error)
                    continue
                if len({*content}) != 1 or len(content) < 100_000:
                    failed.append((len(content), {*content}))

    readers = [
        threading.Thread(target=read, args=(place / name,)) for place in (folder, stored) for name in "ab"
    ]
    writers = [threading.Thread(target=write, args=(folder / "a", letter)) for letter in (b"x", b"y")]
    writers += [threading.Thread(target=write_over, args=(folder / "b", b"z"))]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    assert not failed
    assert {*(folder / "a").read_bytes()} <= {*b"xy"}
    assert (folder / "b").read_bytes() == b"z" * (100_000 + 7919 * 24)
    assert sorted(os.listdir(stored)) == ["a", "b"]
