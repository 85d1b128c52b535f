"""Programs that other projects test file systems with, run on a mount. They are taken from the PATH, never from here.

`packaging/prove harness-…` says so if a program is not there. ``core/docs/records/harnesses.md`` publishes what they said.
"""
