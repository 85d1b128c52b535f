"""Which tests of packages run: those in clean roots only on request."""

from __future__ import annotations

from tests.campaigns import ALL

# They take half an hour, and need root and a network: packaging/test --all.
collect_ignore = [] if ALL else ["clean_roots"]
