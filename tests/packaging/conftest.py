"""Which tests of packages run: those in clean roots only on request."""

from __future__ import annotations

import os

# They take half an hour, and need root and a network: packaging/test --packages.
collect_ignore = [] if os.environ.get("ZARRSCOPE_PACKAGES") else ["clean_roots"]
