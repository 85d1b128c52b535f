"""CacheDirectory: budget, damage, faults of the disk, several processes at once."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import logging
import os
import pickle
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.disk import disk
from tests.waiting import PATIENCE_S
from zarrcore.stores.cache import directory as cache_directory
from zarrcore.stores.cache.directory import CacheDirectory

KIB = 1 << 10


def name(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()


def value(number: int, size: int = 10 * KIB) -> bytes:
    return (b"%d," % number * size)[:size]


def files(place: Path) -> list[Path]:
    return [file for file in place.rglob("*") if file.is_file()]


def total(place: Path) -> int:
    return sum(-(-file.stat().st_size // 4096) * 4096 for file in files(place))


@pytest.fixture
def directory(tmp_path: Path) -> CacheDirectory:
    return CacheDirectory(tmp_path / "cache", 1 << 20)


def path_of(tmp_path: Path, number: int) -> Path:
    return tmp_path / "cache" / "zarrscope-cache-2" / name(number)[:3] / name(number)[3:]


def settle(directory: CacheDirectory) -> None:
    """Wait until the background thread has freed space."""
    if directory._sweeper is not None:
        directory._sweeper.join()


def test_an_entry_is_found_by_all_users_of_the_directory(directory: CacheDirectory) -> None:
    directory.put(name(1), b"one")
    directory.put(name(1) + ".0-5", memoryview(b"other"))
    again = pickle.loads(pickle.dumps(directory))
    assert (again.path, again.max_bytes) == (directory.path, directory.max_bytes)
    for each in (directory, again):
        assert each.get(name(1)) == b"one"
        assert each.get(name(1) + ".0-5") == b"other"
        assert each.get(name(2)) is None
        assert sorted(each.endings(name(1) + ".")) == ["0-5"]
        assert each.endings(name(2)) == []
    again.drop(name(1))
    again.drop(name(1))
    assert directory.get(name(1)) is None


def test_it_keeps_to_its_budget_and_drops_unused_entries(directory: CacheDirectory, tmp_path: Path) -> None:
    for number in range(20):
        directory.put(name(number), value(number))
        os.utime(path_of(tmp_path, number), (time.time() - 1000 + number, 0))
    assert directory.get(name(3)) == value(3)  # now recently used
    for number in range(100, 400):
        directory.put(name(number), value(number))
        settle(directory)
        if number % 20 == 0:
            assert total(tmp_path) <= 1 << 20
    assert total(tmp_path) > 1 << 19
    assert [number for number in range(20) if directory.get(name(number)) is not None] in ([3], [])
    assert directory.get(name(399)) == value(399)


def test_the_least_recently_used_entry_is_dropped_first(directory: CacheDirectory, tmp_path: Path) -> None:
    for number in range(100):
        directory._written = 0
        directory.put(name(number), value(number))
        os.utime(path_of(tmp_path, number), (time.time() - 10_000 + number, 0))
    for number in range(10):
        assert directory.get(name(number)) == value(number)
    directory.make_room()
    left = [number for number in range(100) if directory.get(name(number)) is not None]
    kept = (1 << 20) * 6 // 8 // (12 * KIB)
    assert left == [*range(10), *range(100 - kept + 10, 100)]


def test_no_more_entries_of_one_age_are_dropped_than_necessary(
    directory: CacheDirectory, tmp_path: Path
) -> None:
    for number in range(100):
        directory._written = 0
        directory.put(name(number), value(number))
        os.utime(path_of(tmp_path, number), (1, 1))
    directory.make_room()
    assert total(tmp_path) == (1 << 20) * 6 // 8
    directory.make_room()
    assert total(tmp_path) == (1 << 20) * 6 // 8


def test_a_budget_of_less_than_an_entry_keeps_none(tmp_path: Path) -> None:
    directory = CacheDirectory(tmp_path, 4096)
    for number in range(3):
        directory.put(name(number), b"small")
    settle(directory)
    directory.make_room()
    assert files(tmp_path) == []


def test_space_is_freed_for_a_byte_above_the_budget(tmp_path: Path) -> None:
    three_quarters = 10_922 * 6 // 8
    assert three_quarters == 2 * 4096 - 1
    for budget, left in ((10_923, 2), (10_922, 1)):
        directory = CacheDirectory(tmp_path, budget)
        for number in range(2):
            directory._written = 0
            directory.put(name(number), b"small")
            settle(directory)  # a sweep beside the next `put` may count its temporary file too
        directory.make_room()
        assert len(files(tmp_path)) == left


def test_the_budget_is_checked_after_each_eighth_that_is_written(
    directory: CacheDirectory, tmp_path: Path
) -> None:
    directory.put(name(999), b"first")
    directory._written = 0
    for number in range(2 * 32):
        for other in (1000 + 2 * number, 1001 + 2 * number):  # of other processes
            path_of(tmp_path, other).parent.mkdir(exist_ok=True)
            path_of(tmp_path, other).write_bytes(bytes(20 * KIB))
        directory.put(name(number), bytes(4096 - 8))
        settle(directory)
        if number % 32 == 31:
            assert total(tmp_path) <= (1 << 20) * 6 // 8


def test_a_budget_of_no_bytes_keeps_nothing(tmp_path: Path) -> None:
    directory = CacheDirectory(tmp_path, 0)
    directory.put(name(1), b"")
    directory.make_room()
    assert directory.get(name(1)) is None


def test_many_processes_that_write_little_keep_to_the_budget_together(tmp_path: Path) -> None:
    random.seed(1)  # each begins with a part of what is written between two checks
    for number in range(200):
        directory = CacheDirectory(tmp_path, 1 << 20)
        directory.put(name(number), value(number))
        settle(directory)
    assert total(tmp_path) <= (1 << 20) * 10 // 8


def test_the_time_of_use_is_recorded_once_a_minute(
    directory: CacheDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory.put(name(1), b"one")
    place, now_ns = path_of(tmp_path, 1), 10**18
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)
    for age_ns, is_recorded in ((60 * 10**9, False), (60 * 10**9 + 1, True)):
        os.utime(place, ns=(now_ns - age_ns, 5))
        changed_ns = place.stat().st_ctime_ns  # reading alone may change the time of access, but not this one
        time.sleep(0.02)
        assert directory.get(name(1)) == b"one"
        assert (place.stat().st_ctime_ns != changed_ns) == is_recorded
    assert place.stat().st_mtime_ns == 5


def test_other_files_in_the_directory_are_left_alone(directory: CacheDirectory, tmp_path: Path) -> None:
    for number in range(100):
        directory._written = 0
        directory.put(name(number), value(number))
    inner = tmp_path / "cache" / "zarrscope-cache-2"
    notes = [inner / f"notes{number}.txt" for number in range(30)]
    for file in notes:
        file.write_bytes(b"mine")
    directory.make_room()
    assert total(tmp_path) == (1 << 20) * 6 // 8 + len(notes) * 4096
    large = tmp_path / "large"
    large.touch()
    os.truncate(large, 1 << 30)
    for number in range(200, 220):
        path_of(tmp_path, number).parent.mkdir(exist_ok=True)
        path_of(tmp_path, number).symlink_to(large)
    directory.make_room()
    large.unlink()
    assert total(tmp_path) > (1 << 19), "a link takes no more space than its path"


def test_an_entry_that_is_too_large_is_not_kept(directory: CacheDirectory) -> None:
    largest = (1 << 20) // 8 - 8
    directory.put(name(1), bytes(largest + 1))
    assert directory.get(name(1)) is None
    directory.put(name(1), bytes(largest))
    assert directory.get(name(1)) == bytes(largest)


def test_folders_are_open_to_their_user_only(directory: CacheDirectory, tmp_path: Path) -> None:
    directory.put(name(1), b"one")
    folders = [tmp_path / "cache", *(path for path in (tmp_path / "cache").rglob("*") if path.is_dir())]
    assert len(folders) == 3
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}


def damage(file: Path, how: str) -> None:
    content = file.read_bytes()
    if how == "truncated":
        file.write_bytes(content[:-1])
    elif how == "empty":
        file.write_bytes(b"")
    elif how == "flipped":
        file.write_bytes(content[:-2] + bytes([content[-2] ^ 4]) + content[-1:])
    elif how == "exchanged":
        shutil.copy(
            next(other for other in file.parent.parent.rglob("*") if other.is_file() and other != file), file
        )
    elif how == "longer":
        file.write_bytes(content + b"\0")
    else:
        file.unlink()
        os.mkfifo(file)


@pytest.mark.parametrize("how", ["truncated", "empty", "flipped", "exchanged", "longer", "pipe"])
def test_a_damaged_entry_is_not_found_and_dropped(
    directory: CacheDirectory, tmp_path: Path, how: str
) -> None:
    directory.put(name(1), value(1))
    directory.put(name(2), value(2))
    place = path_of(tmp_path, 1)
    damage(place, how)
    assert directory.get(name(1)) is None
    assert not place.exists()
    directory.put(name(1), value(1))
    assert directory.get(name(1)) == value(1)


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_an_unusable_directory_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_bytes(b"")
    directory = CacheDirectory(tmp_path / "file" / "x", 1 << 20)
    for _ in range(3):
        directory.put(name(1), b"one")
        assert directory.get(name(1)) is None
        assert directory.endings(name(1)) == []
        directory.drop(name(1))
        directory.make_room()
    assert messages(caplog) == [f"the cache in {tmp_path}/file/x is skipped: Not a directory"]


@pytest.mark.parametrize("mode", [0o755, 0o701, 0o702, 0o710])
def test_a_directory_of_other_users_is_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: int
) -> None:
    (tmp_path / "zarrscope-cache-2").mkdir()
    (tmp_path / "zarrscope-cache-2").chmod(mode)
    directory = CacheDirectory(tmp_path, 1 << 20)
    directory.put(name(1), b"one")
    assert files(tmp_path) == []
    assert "is open, to other users" in messages(caplog)[0]


def test_a_removed_directory_is_logged_once_and_used_again(
    directory: CacheDirectory,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    directory.put(name(1), b"one")
    shutil.rmtree(tmp_path / "cache")
    for number in range(3):
        assert directory.get(name(1)) is None
        directory.put(name(number), b"two")
    assert messages(caplog) == [f"the cache in {tmp_path}/cache is skipped: No such file or directory"]
    now_s = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now_s + 61)
    directory.put(name(1), b"three")
    assert directory.get(name(1)) == b"three"
    assert len(messages(caplog)) == 1


def test_a_full_disk_is_logged_once_and_entries_are_still_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with disk(tmp_path, "64k"):
        directory = CacheDirectory(tmp_path, 1 << 20)
        for number in range(20):
            directory.put(name(number), value(number))
        there = [number for number in range(20) if directory.get(name(number)) is not None]
        assert there == [*range(len(there))]
        assert 0 < len(there) < 7
        assert messages(caplog) == [f"the cache in {tmp_path} is skipped: No space left on device"]
        assert not [file for file in files(tmp_path) if "partial" in file.name]
        directory._root = None


def test_the_next_writer_removes_what_a_killed_one_left(directory: CacheDirectory, tmp_path: Path) -> None:
    directory.put(name(1), b"one")
    inner = tmp_path / "cache" / "zarrscope-cache-2"
    old, new = (inner / f".zarrscope-{age}.partial" for age in ("old", "new"))
    for file in (old, new):
        file.write_bytes(b"half")
    os.utime(old, (1, 1))
    CacheDirectory(tmp_path / "cache", 1 << 20).put(name(2), b"two")
    assert not old.exists()
    assert new.exists(), "its writer may still be at work"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO])
def test_a_disk_that_cannot_be_written_is_logged_once(
    directory: CacheDirectory,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    directory.put(name(1), value(1))

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as full:
        full.setattr(cache_directory, "put_file", refuse)
        directory.put(name(2), value(2))
        directory.put(name(3), value(3))
    assert len(messages(caplog)) == 1
    assert os.strerror(number) in messages(caplog)[0]
    assert directory.get(name(2)) is None
    if number != errno.EIO:  # a failing disk is not used for a while
        assert directory.get(name(1)) == value(1)
    now_s = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now_s + 61)
    directory.put(name(2), value(2))
    assert [directory.get(name(n)) for n in (1, 2)] == [value(1), value(2)]


def test_an_entry_that_another_machine_removes_is_only_missing(
    directory: CacheDirectory, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NFS has no more bytes of an open file that another client removed."""
    directory.put(name(1), value(1))
    directory.put(name(2), value(2))

    def stale(*_: object) -> None:
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    with monkeypatch.context() as removed:
        removed.setattr(cache_directory, "read_range", stale)
        assert directory.get(name(1)) is None
    assert directory.get(name(2)) == value(2)
    assert messages(caplog) == []


def test_a_claim_is_granted_once_until_it_is_dropped(directory: CacheDirectory) -> None:
    other = CacheDirectory(directory.path, directory.max_bytes)
    assert directory.claim(name(1))
    assert not other.claim(name(1))
    assert other.is_claimed(name(1))
    (file,) = Path(directory.path).rglob(name(1))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    directory.unclaim(name(1))
    assert not file.exists()
    assert not other.is_claimed(name(1))
    assert other.claim(name(1))


def test_several_may_look_at_once_whether_a_claim_of_a_killed_process_is_held(
    directory: CacheDirectory,
) -> None:
    assert directory.claim(name(1))
    (file,) = Path(directory.path).rglob(name(1))
    os.close(directory._claims.pop(name(1)))  # as the system does for a process that is killed
    with file.open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        assert not directory.is_claimed(name(1))


def test_nothing_is_claimed_in_a_directory_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not CacheDirectory(str(tmp_path / "file"), 1 << 20).is_claimed(name(1))


def test_old_claims_of_killed_processes_are_removed(directory: CacheDirectory) -> None:
    assert directory.claim(name(1))
    assert directory.claim(name(2))
    (old,) = Path(directory.path).rglob(name(1))
    os.utime(old, (0, 0))
    directory.make_room()
    assert [directory.is_claimed(name(n)) for n in (1, 2)] == [False, True]


def test_a_directory_that_keeps_nothing_grants_all_claims(
    directory: CacheDirectory, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    directory.put(name(2), b"")  # opens it
    monkeypatch.setattr(os, "open", refuse)
    assert directory.claim(name(1))
    assert directory.claim(name(1))
    assert not directory.is_claimed(name(1))
    assert len(messages(caplog)) == 1


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_writing_pauses_for_a_minute_after_each_failure(
    directory: CacheDirectory, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    now_s = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    for key in map(name, range(3)):
        with monkeypatch.context() as full:
            full.setattr(cache_directory, "put_file", refuse)
            directory.put(key, b"value")
        now_s += 59
        directory.put(key, b"value")
        assert directory.get(key) is None
        now_s += 1
        directory.put(key, b"value")
        assert directory.get(key) == b"value"
    assert len(messages(caplog)) == 1


def test_threads_share_a_directory(directory: CacheDirectory, tmp_path: Path) -> None:
    def work(number: int) -> bool:
        directory.put(name(number % 50), value(number % 50))
        found = directory.get(name((number + 7) % 50))
        return found is None or found == value((number + 7) % 50)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(400)))
    settle(directory)
    directory.make_room()
    assert total(tmp_path) <= 1 << 20


_WORKER = """
import sys
from tests.core.stores.cache.test_directory import name, value
from zarrcore.stores.cache.directory import CacheDirectory

directory = CacheDirectory(sys.argv[1], 1 << 20)
print("ready", flush=True)
number = int(sys.argv[2])
for step in range(int(sys.argv[3])):
    number = (number * 48271 + 1) % 2147483647
    directory.put(name(number % 300), value(number % 300))
    found = directory.get(name(step % 300))
    assert found is None or found == value(step % 300), step
directory.make_room()
print("right", flush=True)
"""


def test_processes_share_a_directory_even_if_one_is_killed(tmp_path: Path) -> None:
    def start(seed: int, steps: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", _WORKER, str(tmp_path), str(seed), str(steps)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    lasting = [start(seed, 400) for seed in (1, 2)]
    killed = start(3, 10**9)
    assert killed.stdout is not None
    assert killed.stdout.readline() == "ready\n"
    while len(files(tmp_path)) < 20:
        time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=PATIENCE_S)
    for process in lasting:
        assert process.communicate(timeout=60)[0] == "ready\nright\n"
    assert total(tmp_path) <= (1 << 20) * 10 // 8
    directory = CacheDirectory(tmp_path, 1 << 20)
    found = [directory.get(name(number)) for number in range(300)]
    assert any(found)
    assert all(content is None or content == value(number) for number, content in enumerate(found))
