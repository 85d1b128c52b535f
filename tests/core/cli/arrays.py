"""The content of the hierarchies that the tests of commands use."""

from __future__ import annotations

import numpy as np

DATA = np.arange(4 * 30 * 40, dtype="i4").reshape(4, 30, 40)
NUMBERS = np.arange(1, 4 * 30 * 40 + 1, dtype="i4").reshape(4, 30, 40)
