"""How much memory a copy takes: what it is allowed and a little more, whatever the number and the shape of the chunks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.memory import ROOT

SLACK_MIB = 40
"""Buffers that threads keep, modules that are imported late, and what the C library does not give back."""

# A store that answers by arithmetic, and one that counts: the chunks need not be anywhere.
PROGRAM = """
import json, sys
import zarrcore as zc
from tests.memory import forget_peak, peak_nbytes
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores.interface import ListableStore, ReadableStore, StoreEntry
from zarrcore.stores.memory import MemoryStore

chunks, length, memory_mib = map(int, sys.argv[1:])
made = zc.create(MemoryStore("source"), "v3")
made.create_array(
    "/", shape=(chunks * length,), dtype="uint8", chunks=(length,), codecs=["bytes"], overwrite=True
)
document = bytes(MemoryStore("source").get("zarr.json"))
chunk = bytes([7]) * length

class Arithmetic(ReadableStore, ListableStore):
    url = "arithmetic://"
    def get(self, key, byte_range=None, **options):
        value = document if key == "zarr.json" else chunk if key.startswith("c/") else None
        if value is None or byte_range is None:
            return value
        start, stop = byte_range.resolve(len(value))
        return value[start:stop]
    def list_prefix(self, prefix):
        yield StoreEntry("zarr.json", len(document))
        yield from (StoreEntry(f"c/{number}", length) for number in range(chunks))

class Counting(MemoryStore):
    stored = 0
    def set(self, key, value, *, if_absent=False):
        if not key.startswith("c/"):
            return super().set(key, value, if_absent=if_absent)
        assert bytes(value) == chunk
        self.stored += 1
        return True
    def get(self, key, byte_range=None, **options):
        return chunk if key.startswith("c/") else super().get(key, byte_range)
    def get_into(self, key, buffer, byte_range=None):
        value = self.get(key)
        buffer[: len(value)] = value
        return len(value)

source, target = zc.open_hierarchy(Arithmetic()), Counting()
before = forget_peak()
execute(plan_copy(source, memory_nbytes=memory_mib << 20), source, target)
print(json.dumps([target.stored, peak_nbytes() - before >> 20]))
"""


@pytest.mark.parametrize(("chunks", "length", "memory_mib"), [(25_000, 100, 16), (40, 20_000_000, 256)])
def test_resident_memory(chunks: int, length: int, memory_mib: int) -> None:
    command = [sys.executable, "-c", PROGRAM, str(chunks), str(length), str(memory_mib)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=ROOT)
    assert done.stderr == ""
    stored, taken_mib = json.loads(done.stdout)
    assert stored == chunks
    assert taken_mib <= memory_mib + SLACK_MIB


# Chunks that fit each other badly: what one block needs crosses much of the source.
AWKWARD = """
import sys
from pathlib import Path
import numpy as np
import zarrcore as zc
from tests.memory import forget_peak, peak_nbytes
from zarrcore.operations.copy import Layout, execute, plan_copy
from zarrcore.stores import open_store

root, memory_mib, chunks, new_chunks, new_shards = Path(sys.argv[1]), int(sys.argv[2]), *map(eval, sys.argv[3:])
values = np.arange(4096 * 8192, dtype="u4").reshape(4096, 8192)
array = zc.create(root / "source").create_array(
    "a", shape=values.shape, dtype="uint32", chunks=chunks, codecs=[]
)
array[...] = values
del values
source = zc.open_hierarchy(root / "source")
plan = plan_copy(source, layout=Layout(new_chunks, new_shards), memory_nbytes=memory_mib << 20)
before = forget_peak()
execute(plan, source, open_store(root / "target", create=True))
print(peak_nbytes() - before >> 20)
copied = zc.open_hierarchy(root / "target")["a"]
for row in (0, 1, 2047, 4095):
    assert np.array_equal(copied[row], np.arange(row * 8192, row * 8192 + 8192, dtype="u4"))
"""


@pytest.mark.sampled(2, axes=[])
@pytest.mark.parametrize(
    ("memory_mib", "chunks", "new_chunks", "new_shards"),
    [
        pytest.param(32, (32, 8192), (4096, 64), None, id="rows to columns"),
        pytest.param(32, (77, 8192), (4096, 97), None, id="chunks without a common multiple"),
        pytest.param(256, (64, 64), (64, 64), (4096, 2048), id="small chunks to large shards"),
        pytest.param(
            32, (4096, 1024), None, None, id="chunks larger than half of the memory, copied as they are"
        ),
    ],
)
def test_memory_is_bounded_for_any_shape_of_chunks(
    tmp_path: Path,
    memory_mib: int,
    chunks: tuple[int, ...],
    new_chunks: tuple[int, ...] | None,
    new_shards: tuple[int, ...] | None,
) -> None:
    shapes = map(str, (chunks, new_chunks, new_shards))
    command = [sys.executable, "-c", AWKWARD, str(tmp_path), str(memory_mib), *shapes]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=ROOT)
    assert done.stderr == ""
    assert int(done.stdout) <= memory_mib + SLACK_MIB
