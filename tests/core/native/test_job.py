"""Jobs that are wrong are refused before anything is touched, and hostile bytes touch nothing but their places."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.campaigns import ALL
from tests.core.native.hdf5_chunks import bitshuffled
from zarrcore.native import Engine, Job, JobAxis, NativeCodec, engine

_ROOT = Path(__file__).resolve().parents[3]
_FOUND = engine()

pytestmark = pytest.mark.skipif(_FOUND is None, reason="the engine is not built")


class Directory:
    """An open directory."""

    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDONLY)

    def __del__(self) -> None:
        os.close(self.descriptor)


@pytest.fixture
def found() -> Engine:
    assert _FOUND is not None
    return _FOUND


def accepts(
    engine: Engine,
    folder: Path,
    row: tuple[int, ...] = (0, 0, 4, 1, 0),
    *,
    array: np.ndarray | None = None,
    length: int = 4,
    stride: int = 2,
    codecs: tuple[NativeCodec, ...] = (),
    swap_nbytes: int = 0,
    most: int = 100,
) -> bool:
    array = np.zeros(4, "u2") if array is None else array
    axis = JobAxis(length, stride, np.array([row], np.int64))
    job = Job(engine, array, [axis], codecs, swap_nbytes, most)
    return job.use_files(Directory(folder), False, "c/", "/", False)


def test_a_job_that_fits_is_accepted(found: Engine, tmp_path: Path) -> None:
    assert accepts(found, tmp_path)
    assert accepts(found, tmp_path, swap_nbytes=2)
    assert accepts(found, tmp_path, array=np.zeros(8, "u2")[::-2])
    assert accepts(found, tmp_path, array=np.broadcast_to(np.zeros((), "u2"), 4))


@pytest.mark.parametrize(
    "row",
    [
        (-1, 0, 4, 1, 0),
        (0, -1, 4, 1, 0),
        (0, 1, 4, 1, 0),
        (0, 0, 5, 1, 0),
        (0, 0, 0, 1, 0),
        (0, 0, 4, 0, 0),
        (0, 0, 4, -1, 0),
        (0, 0, 2, 4, 0),
        (0, 0, 2, 2**62, 0),
        (0, 0, 2**62, 2, 0),
        (0, 2**63 - 1, 2, 1, 0),
        (0, 0, 4, 1, 1),
        (0, 0, 4, 1, -1),
        (0, 0, 1, 1, 2**63 - 1),
    ],
)
def test_a_crossing_outside_the_chunk_or_the_array_is_refused(
    found: Engine, tmp_path: Path, row: tuple[int, ...]
) -> None:
    assert not accepts(found, tmp_path, row)


@pytest.mark.parametrize(
    ("length", "stride"), [(0, 2), (-4, 2), (4, 0), (4, -2), (4, 4), (2**62, 2), (4, 2**62), (5, 2**61)]
)
def test_a_chunk_that_is_not_its_own_size_is_refused(
    found: Engine, tmp_path: Path, length: int, stride: int
) -> None:
    assert not accepts(found, tmp_path, (0, 0, 1, 1, 0), length=length, stride=stride)


@pytest.mark.parametrize(
    "codec",
    [
        NativeCodec(1, 0, 7),
        NativeCodec(1, 0, -1),
        NativeCodec(0, 0, 8),
        NativeCodec(99, 0, 8),
        NativeCodec(7, 0, 8),
        NativeCodec(7, -2, 8),
        NativeCodec(10, 0, 8, 8),
        NativeCodec(10, -1, 8, 8),
        NativeCodec(10, 1, 8, 0),
        NativeCodec(10, 1, 8, -8),
        NativeCodec(10, 1, 8, 8, 5),
        NativeCodec(11, 0, 8, 8, 0, 1),
        NativeCodec(11, 2, 8, 0, 0, 1),
        NativeCodec(11, 2, 8, 8, 0, 0),
        NativeCodec(11, 2, 8, 7, 0, 1),
    ],
)
def test_a_codec_that_is_unknown_or_does_not_fit_is_refused(
    found: Engine, tmp_path: Path, codec: NativeCodec
) -> None:
    assert not accepts(found, tmp_path, codecs=(codec,))


def test_other_numbers_that_make_no_sense_are_refused(found: Engine, tmp_path: Path) -> None:
    assert not accepts(found, tmp_path, swap_nbytes=3)
    assert not accepts(found, tmp_path, swap_nbytes=-2)
    assert not accepts(found, tmp_path, most=-1)
    many = [JobAxis(1, 2, np.array([[0, 0, 1, 1, 0]], np.int64))] * 33
    job = Job(found, np.zeros((1,) * 33, "u2"), many, (), 0, 100)
    assert not job.use_files(Directory(tmp_path), False, "c/", "/", False)


def test_names_are_beneath_the_directory_whatever_they_say(found: Engine, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret0").write_bytes(b"12345678")
    for lead in ("../secret", f"{tmp_path}/secret", "x" * 5000):
        array = np.zeros(4, "u2")
        job = Job(found, array, [JobAxis(4, 2, np.array([[0, 0, 4, 1, 0]], np.int64))], (), 0, 100)
        assert job.use_files(Directory(tmp_path / "inside"), False, lead, "/", False)
        assert job.run(0, 1) == [0]
        assert not array.any()


@pytest.mark.parametrize("mtime_ns", [-1, 2**63 - 1, 10**19, 15_000_000_000 * 10**9])
def test_a_file_may_have_been_changed_at_any_time(found: Engine, tmp_path: Path, mtime_ns: int) -> None:
    file = tmp_path / "shard"
    file.write_bytes(bytes(range(8)))
    os.utime(file, ns=(mtime_ns, mtime_ns))
    facts = file.stat()
    array = np.zeros(4, "u2")
    axis = JobAxis(4, 2, np.array([[0, 0, 4, 1, 0]], np.int64))
    job = Job(found, array, [axis], (), 0, 100)
    version = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
    assert job.read_parts(Directory(tmp_path), False, "shard", np.array([[0, 8]], np.uint64), version)
    assert job.run(0, 1) == []
    assert array.tobytes() == file.read_bytes()


def test_a_part_outside_its_file_is_not_read(found: Engine, tmp_path: Path) -> None:
    file = tmp_path / "shard"
    file.write_bytes(bytes(range(1, 17)))
    facts = file.stat()
    version = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
    most = 2**64 - 1
    parts = np.array(
        [[8, 8], [9, 8], [16, 8], [2**63, 8], [8, 2**63], [most - 8, 16], [most, 8], [0, 8], [most, most]],
        np.uint64,
    )
    array = np.zeros((9, 4), "u2")
    rows = np.array([[i, 0, 1, 1, i] for i in range(9)], np.int64)
    axes = [JobAxis(1, 8, rows), JobAxis(4, 2, np.array([[0, 0, 4, 1, 0]], np.int64))]
    job = Job(found, array, axes, (), 0, 100)
    assert job.read_parts(Directory(tmp_path), False, "shard", parts, version)
    assert sorted(job.run(0, 9)) == [1, 2, 3, 4, 5, 6, 8]
    assert array[0].tobytes() == bytes(range(9, 17))
    assert array[7].tobytes() == bytes(range(1, 9))
    assert not array[1:7].any()
    job = Job(found, array, axes, (), 0, 100)
    assert job.read_parts(Directory(tmp_path), False, "shard", parts, (facts.st_mtime_ns + 1, *version[1:]))
    assert len(job.run(0, 9)) == 9, "it is another version of the file"


def listed(engine: Engine, out: np.ndarray, rows: tuple[int, int] = (9, 9), **options: Any) -> Job:
    """A job for units of four numbers, one below the other in ``out``, or each in an array of its own."""
    first = np.array([[i, 0, 1, 1, 0 if options else i] for i in range(rows[0])], np.int64)
    second = np.array([[0, 0, 4, 1, 0]] * rows[1], np.int64)
    return Job(
        engine, out, [JobAxis(1, 8, first), JobAxis(4, 2, second)], (), 0, 100, is_listed=True, **options
    )


@pytest.mark.parametrize("has_own", [False, True])
def test_a_part_outside_its_memory_is_not_read(found: Engine, has_own: bool) -> None:
    content, most = bytes(range(1, 17)), 2**64 - 1
    parts = np.array(
        [[8, 8], [9, 8], [16, 8], [2**63, 8], [8, 2**63], [most - 8, 16], [most, 8], [0, 8], [most, most]],
        np.uint64,
    )
    out = np.zeros((9, 4), "u2")
    job = listed(found, out[:1], arrays=[out[i : i + 1] for i in range(9)]) if has_own else listed(found, out)
    assert job.read_memory(memoryview(content), parts)
    assert job.run(0, 9) == [1, 2, 3, 4, 5, 6, 8]
    assert out[0].tobytes() == content[8:]
    assert out[7].tobytes() == content[:8]
    assert not out[[1, 2, 3, 4, 5, 6, 8]].any()


@pytest.mark.parametrize("rows", [(9, 8), (8, 9), (9, 1)])
def test_a_list_needs_a_crossing_for_each_unit(found: Engine, rows: tuple[int, int]) -> None:
    job = listed(found, np.zeros((9, 4), "u2"), rows)
    assert not job.read_memory(memoryview(bytes(16)), np.zeros((9, 2), np.uint64))


@pytest.mark.parametrize(
    ("offsets", "bounds", "is_right"),
    [
        ([2, 4, 2], [0, 1, 3], True),
        ([2, 4, 4], [0, 3, 3], True),
        ([0, 4, 2], [0, 1, 3], False),  # before what is crossed
        ([2, 4, 5], [0, 1, 3], False),  # beyond it
        ([2, 4, -2], [0, 1, 3], False),
        ([2, 4, 2**63 - 1], [0, 1, 3], False),
        ([2, 4, 2], [1, 2, 3], False),
        ([2, 4, 2], [0, 2, 1], False),
        ([2, 4, 2], [0, 1, 4], False),
        ([2, 4, 2], [0, -1, 3], False),
        ([2, 4, 2, 4], [0, 2, 4], False),  # more than the array has room for
    ],
)
def test_points_are_within_their_unit_and_have_a_place(
    found: Engine, tmp_path: Path, offsets: list[int], bounds: list[int], is_right: bool
) -> None:
    gathered = np.zeros(3, "u2")
    axis = JobAxis(4, 2, np.array([(0, 1, 2, 1, 0), (1, 1, 2, 1, 0)], np.int64))
    job = Job(found, np.broadcast_to(gathered[:1], 4), [axis], (), 0, 100, is_listed=True)
    job.read_points(gathered, np.array(offsets, np.int64), np.array(bounds, np.int64))
    for number in (0, 1):
        np.arange(10 * number, 10 * number + 4, dtype="u2").tofile(tmp_path / f"c{number}")
    assert job.use_files(Directory(tmp_path), False, "c", "/", False) == is_right
    if is_right:
        assert job.run(0, 2) == []
        units = np.repeat([0, 1], np.diff(bounds))
        assert gathered.tolist() == [
            10 * unit + offset // 2 for unit, offset in zip(units, offsets, strict=True)
        ]


@given(data=st.data())
def test_bits_return_to_their_elements(data: st.DataObject) -> None:
    """Of elements of any size, in blocks of any size, with and without bytes after the last of them."""
    assert _FOUND is not None
    item, block = data.draw(st.integers(1, 9) | st.just(16)), data.draw(st.integers(1, 40))
    nbytes, kind = data.draw(st.integers(1, 4000)), data.draw(st.sampled_from(["none", "lz4", "zstd"]))
    first = data.draw(st.integers(0, nbytes - 1))
    count = data.draw(st.integers(1, nbytes - first))
    plain = data.draw(st.randoms(use_true_random=False)).randbytes(nbytes)
    encoded = bitshuffled(plain, item, 8 * item * block, kind)
    codec = NativeCodec(10, item, nbytes, 8 * item * block, {"none": 0, "lz4": 6, "zstd": 1}[kind])
    array, axis = np.zeros(count, "u1"), JobAxis(nbytes, 1, np.array([(0, first, count, 1, 0)], np.int64))
    job = Job(_FOUND, array, [axis], [codec], 0, 2 * len(encoded))
    assert job.read_memory(memoryview(encoded), np.array([(0, len(encoded))], np.uint64))
    assert job.run(0, 1) == []
    assert array.tobytes() == plain[first : first + count]


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The engine with the compiler's checks of memory and arithmetic, and the library to load before it."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not on the PATH")
    asked = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    checker, library = Path(asked.stdout.strip()), tmp_path_factory.mktemp("sanitized") / "engine.so"
    if not checker.is_absolute():
        pytest.skip("gcc has no address sanitizer")
    options = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-shared", "-fPIC"]
    source = _ROOT / "core/native/engine.c"
    subprocess.run(
        ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", *options, "-o", library, source], check=True
    )
    return library, checker


@pytest.mark.parametrize("seed", [1, *range(2, 102 * ALL)])
def test_mutated_bytes_and_indices_touch_nothing_else(
    sanitized: tuple[Path, Path], tmp_path: Path, seed: int
) -> None:
    library, checker = sanitized
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.core.native.mutate",
            library,
            tmp_path,
            str(seed),
            str(10_000 if ALL else 400),
        ],
        env={
            **os.environ,
            "LD_PRELOAD": str(checker),
            "ASAN_OPTIONS": "detect_leaks=0,allocator_may_return_null=1",
            "PYTHONPATH": str(_ROOT),
        },
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert "read" in ran.stdout


@pytest.mark.campaign
def test_threads_read_and_write_at_once_without_races(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not on the PATH")
    program, folder = tmp_path / "threads", tmp_path / "folder"
    folder.mkdir()
    sources = [_ROOT / "core/native/engine.c", Path(__file__).with_name("threads.c")]
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-pthread", f"-I{sources[0].parent}"]
    built = subprocess.run(
        ["gcc", *options, "-fsanitize=thread", *sources, "-o", program],
        capture_output=True,
        text=True,
        check=False,
    )
    if "tsan" in built.stderr:
        pytest.skip("gcc has no thread sanitizer")
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program, folder], capture_output=True, text=True, check=False)
    if "unexpected memory mapping" in ran.stderr:
        pytest.skip("the thread sanitizer does not know this kernel's memory layout")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert len([*folder.iterdir()]) == 101, "nothing temporary is left"


@pytest.mark.parametrize("has_instruction", [True, False])
def test_checksums_are_the_same_without_an_instruction_for_them(
    tmp_path: Path, has_instruction: bool
) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not on the PATH")
    source, text = tmp_path / "engine.c", (_ROOT / "core/native/engine.c").read_text()
    asked = '__builtin_cpu_supports("sse4.2")'
    assert asked in text
    source.write_text(text if has_instruction else text.replace(asked, "0"))
    library = tmp_path / "engine.so"
    subprocess.run(["gcc", "-shared", "-fPIC", f"-I{_ROOT}/core/native", "-o", library, source], check=True)
    engine, directory = Engine(str(library)), Directory(tmp_path)
    for length in (*range(1, 40), 1000, 4099):
        values = np.random.default_rng(length).integers(0, 256, length, np.uint8)
        axis = JobAxis(length, 1, np.array([[length, 0, length, 1, 0]], np.int64))
        job = Job(engine, values, [axis], [NativeCodec(5, 0, length)], 0, length + 4)
        job.write_elements(b"\0", True)
        assert job.use_files(directory, False, "c", ".", False)
        assert job.write(np.zeros(1, np.uint32)).tolist() == [0]
        stored = (tmp_path / f"c{length}").read_bytes()
        assert stored == values.tobytes() + google_crc32c.value(values.tobytes()).to_bytes(4, "little")
