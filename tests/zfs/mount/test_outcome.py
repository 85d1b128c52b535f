"""The report of a daemon's end to another process."""

from __future__ import annotations

from zarrfs.mount.outcome import AwaitedOutcome, Outcome


def test_the_end_of_a_killed_daemon_is_reported() -> None:
    outcome = Outcome()
    awaited = AwaitedOutcome(outcome.path)
    assert awaited.failure() == "it was killed"
    outcome.completing()
    assert awaited.failure() == "it was killed while it completed the store"
    with outcome:
        pass
    assert awaited.failure() == ""
