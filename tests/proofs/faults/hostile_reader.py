"""Read an array from each place of a hostile server, and report in JSON; a program of its own, so that its memory is its own.

    python -m tests.proofs.faults.hostile_reader URL TIMEOUT_S PLACE…
"""

from __future__ import annotations

import hashlib
import json
import sys
import time

import zarrcore as zc
from tests.memory import forget_peak, peak_nbytes


def main() -> None:
    """Read."""
    url, timeout_s, *places = sys.argv[1:]
    zc.open(f"{url}/none-chunk/h.zarr")["a"].read(...)  # everything is imported
    for place in places:
        before = forget_peak()
        began_s = time.monotonic()
        try:
            hierarchy = zc.open(f"{url}/{place}/h.zarr", timeout_s=float(timeout_s))
            names = sorted(node.name for node in hierarchy["/"].children())
            array = hierarchy["a"]
            said = hashlib.sha256(array.read(...).tobytes()).hexdigest() if names == ["a", "b"] else f"{names}"
        except zc.ZarrError as error:
            said = f"{type(error).__name__}: {error}"
        print(
            json.dumps(
                {
                    "place": place,
                    "said": said,
                    "took_s": time.monotonic() - began_s,
                    "grew": peak_nbytes() - before,
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
