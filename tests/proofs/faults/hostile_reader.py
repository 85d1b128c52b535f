"""Read an array from each place of a hostile server, and report in JSON; a program of its own, so that its memory is its own.

python -m tests.proofs.faults.hostile_reader URL TIMEOUT_S PLACE…
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import zarrcore as zc
from tests.memory import forget_peak, peak_nbytes


def main() -> None:
    """Read from eight places at a time, as most of the time is waiting."""
    url, timeout_s, *places = sys.argv[1:]
    zc.open(f"{url}/none-chunk/h.zarr")["a"].read(...)  # everything is imported
    before = forget_peak()
    with ThreadPoolExecutor(8) as pool:
        for line in pool.map(lambda place: _read(f"{url}/{place}/h.zarr", float(timeout_s)), places):
            print(json.dumps(line), flush=True)
    print(json.dumps(peak_nbytes() - before))


def _read(source: str, timeout_s: float) -> tuple[str, str, float]:
    """The source, what came of it, and the seconds that it took."""
    began_s = time.monotonic()
    try:
        hierarchy = zc.open(source, timeout_s=timeout_s)
        names = sorted(node.name for node in hierarchy["/"].children())
        elements = hierarchy["a"].read(...)
        said = hashlib.sha256(elements.tobytes()).hexdigest() if names == ["a", "b"] else f"{names}"
    except zc.ZarrError as error:
        said = f"{type(error).__name__}: {error}"
    return source, said, time.monotonic() - began_s


if __name__ == "__main__":
    main()
