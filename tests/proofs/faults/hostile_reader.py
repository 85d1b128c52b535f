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
from tests.servers.hostile import is_large


def main() -> None:
    """Read from many places at a time, as most of the time is waiting, but from one at a time that sends much."""
    url, timeout_s, *places = sys.argv[1:]
    zc.open_hierarchy(f"{url}/none-chunk/h.zarr")["a"].read(...)  # everything is imported
    before = forget_peak()
    for threads, chosen in (
        (24, [place for place in places if not is_large(place)]),
        (1, filter(is_large, places)),
    ):
        with ThreadPoolExecutor(threads) as pool:
            for line in pool.map(
                lambda place: (place, *_read(f"{url}/{place}/h.zarr", float(timeout_s))), chosen
            ):
                print(json.dumps(line), flush=True)
    print(json.dumps(peak_nbytes() - before))


def _read(source: str, timeout_s: float) -> tuple[str, float]:
    """What came of it, and the seconds that it took."""
    began_s = time.monotonic()
    try:
        hierarchy = zc.open_hierarchy(source, timeout_s=timeout_s)
        names = sorted(node.name for node in hierarchy["/"].children())
        elements = hierarchy["a"].read(...)
        said = hashlib.sha256(elements.tobytes()).hexdigest() if names == ["a", "b"] else f"{names}"
    except zc.ZarrError as error:
        said = f"{type(error).__name__}: {error}"
    return said, time.monotonic() - began_s


if __name__ == "__main__":
    main()
