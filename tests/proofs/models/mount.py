"""A trial of the model of a mount: random steps with keys and arrays."""

from __future__ import annotations

from tests.proofs.models.engine import run_machine
from tests.proofs.models.mount_arrays import MountModel
from tests.proofs.models.places import mounted_place

RUNS, STEPS = 12, 60
TIMES_TO_LIVE = ("0", "forever", "60")
VARIANTS = [(ttl, is_writable) for is_writable in (True, False) for ttl in TIMES_TO_LIVE]


def trial(seed: int, kind: str, runs: int = RUNS, steps: int = STEPS, *, shrinks: bool = True) -> int:
    """Run the model on a new mount; returns the number of steps."""
    ttl, is_writable = VARIANTS[seed % len(VARIANTS)]
    options = ["--metadata-ttl", ttl, "--cache-size", "1MiB"]
    with mounted_place(kind, *options, is_clocked=ttl == "60", is_writable=is_writable) as place:
        taken = [0]
        members = {"place": place, "ttl_s": float(ttl.replace("forever", "inf")), "taken": taken}
        run_machine(type("Model", (MountModel,), members), seed, runs, steps, shrinks=shrinks)
        errors = {*place.mounted.stats()["errors"]}
        log = place.mounted.log.read_text()
    assert "Traceback" not in log, log
    assert "EIO" not in errors, log
    return taken[0]
