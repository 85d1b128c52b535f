"""How much memory a copy takes: 300 MiB and what it is allowed, whatever the number of chunks."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.memory import ROOT

# A store that answers by arithmetic, and one that counts: 10⁵ chunks need not be anywhere.
PROGRAM = """
import json, sys
import zarrcore as zc
from tests.memory import peak_nbytes
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores.interface import ListableStore, ReadableStore, StoreEntry
from zarrcore.stores.memory import MemoryStore

chunks, length, memory_mib = map(int, sys.argv[1:])
made = zc.create(MemoryStore("source"), "v3")
made.create_array(
    "/", shape=(chunks * length,), data_type="uint8", chunk_shape=(length,), codecs=["bytes"], overwrite=True
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

source, target = zc.open(Arithmetic()), Counting()
execute(plan_copy(source, memory_nbytes=memory_mib << 20), source, target)
print(json.dumps([target.stored, peak_nbytes() >> 20]))
"""


@pytest.mark.parametrize(("chunks", "length", "memory_mib"), [(100_000, 100, 16), (40, 20_000_000, 256)])
def test_resident_memory(chunks: int, length: int, memory_mib: int) -> None:
    command = [sys.executable, "-c", PROGRAM, str(chunks), str(length), str(memory_mib)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=ROOT)
    assert done.stderr == ""
    stored, resident_mib = json.loads(done.stdout)
    assert stored == chunks
    assert resident_mib <= 300 + memory_mib
