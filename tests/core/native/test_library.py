"""Loading the engine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from zarrcore.native import engine, library

needs_engine = pytest.mark.skipif(engine() is None, reason="the engine is not built")

EVERYTHING = (
    "decodes bitshuffle, blosc, crc32c, differences, fletcher32, gzip, lz4, lz4_blocks, shuffle, zlib, zstd"
)


@pytest.fixture(autouse=True)
def _loaded_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("ZARRSCOPE_ENGINE", raising=False)
    library._loaded.cache_clear()
    yield
    library._loaded.cache_clear()


@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None or os.environ.get("ZARRSCOPE_ENGINE") == "python",
    reason="nothing can compile the engine here, or it is turned off",
)
def test_where_there_is_a_compiler_there_is_an_engine() -> None:
    """All other tests of the engine are skipped without it: a build that fails must not go unseen."""
    assert library.engine_state() == (True, EVERYTHING)


@needs_engine
def test_a_program_that_imports_no_codecs_has_all_of_them() -> None:
    script = "from zarrcore.native import engine_state; print(*engine_state()); import sys; print('numcodecs' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [f"True {EVERYTHING}", "False"]


def test_it_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZARRSCOPE_ENGINE", "python")
    assert library.engine_state() == (False, "ZARRSCOPE_ENGINE=python turns it off")
    assert library.engine() is None


def test_an_installation_without_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_NAME", "none.so")
    is_used, why = library.engine_state()
    assert (is_used, why) == (False, "this installation has none: it was built without a C compiler")
    monkeypatch.setenv("ZARRSCOPE_ENGINE", "native")
    library._loaded.cache_clear()
    with pytest.raises(OSError, match="built without a C compiler"):
        library.engine()


def test_other_systems_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert library.engine_state() == (False, "it is for Linux on little-endian processors")


@needs_engine
def test_a_library_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "ABI", library.ABI + 1)
    is_used, why = library.engine_state()
    assert not is_used
    assert why.endswith("libengine.so belongs to another version of zarrscope: install zarrscope again")


@needs_engine
def test_a_codec_without_its_functions_is_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = {
        "zstd": ("numcodecs", "blosc", ("ZSTD_no_such_function",)),
        "blosc": ("no_such_package", "blosc", ("blosc_decompress_ctx",)),
        "lz4": ("numcodecs", "no_such_module", ("LZ4_decompress_safe",)),
    }
    monkeypatch.setattr(library, "_FUNCTIONS", functions)
    assert library.engine_state() == (True, "decodes crc32c, differences, fletcher32, shuffle")


@needs_engine
def test_a_thread_releases_its_memory() -> None:
    script = """
import os, threading, tempfile, numpy, zarrcore
from tests.memory import forget_peak, peak_nbytes
with tempfile.TemporaryDirectory() as folder:
    array = zarrcore.create(folder + "/a").create_array("a", data=numpy.random.default_rng(0).random(1 << 20), codecs=["zstd"])
    def read():
        array[: 1 << 19]
    def in_threads(count):
        for _ in range(count):
            thread = threading.Thread(target=read); thread.start(); thread.join()
    in_threads(5)
    forget_peak()
    before = peak_nbytes()
    in_threads(40)
    assert peak_nbytes() - before < 40 << 20, peak_nbytes() - before
"""
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "PYTHONPATH": os.getcwd()})


@needs_engine
def test_an_encoder_of_large_chunks_is_not_kept() -> None:
    script = """
import tempfile, numpy, zarrcore
from tests.memory import forget_peak
with tempfile.TemporaryDirectory() as folder:
    values = numpy.arange(1 << 25, dtype="u4").view("u1")[: 1 << 24]
    codecs = [{"name": "zstd", "configuration": {"level": 15}}]
    array = zarrcore.create(folder + "/a").create_array("a", shape=values.shape, dtype="u1", chunks=values.shape, codecs=codecs)
    before = forget_peak()
    array[...] = values
    kept = forget_peak() - before
    assert kept < 40 << 20, kept
"""
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "PYTHONPATH": os.getcwd()})


@needs_engine
@pytest.mark.parametrize("call", ["read", "write"])
def test_memory_that_the_engine_uses_is_not_released(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python forgets the values of running threads when it ends, and in a forked child those of all other threads."""
    found = library.Engine(library._path())
    released: list[int] = []
    free = library._Thread.__del__

    def watched(thread: library._Thread) -> None:
        released.append(thread.address)
        free(thread)

    def forgotten(*_: object) -> None:
        found._threads = threading.local()
        assert not released

    monkeypatch.setattr(library._Thread, "__del__", watched)
    monkeypatch.setattr(found, f"_{call}", forgotten)
    getattr(found, call)(0, 0, 0, 0)
    assert len(released) == 1


@needs_engine
def test_a_program_may_end_while_its_threads_read(tmp_path: Path) -> None:
    script = """
import sys, threading, numpy, zarrcore
path = sys.argv[1]
zarrcore.create(path).create_array("a", data=numpy.arange(1 << 20) % 99, chunks=(1 << 16,), codecs=["zstd"])
begun = threading.Barrier(4)
def read():
    array = zarrcore.open_array(path + "/a")
    array[:10]
    begun.wait()
    while True:
        array[:1 << 16]
for _ in range(3):
    threading.Thread(target=read, daemon=True).start()
begun.wait()
"""
    for number in range(5):
        ran = subprocess.run(
            [sys.executable, "-c", script, tmp_path / f"{number}"], capture_output=True, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, b"")
