"""The elements of the array that tests export."""

from __future__ import annotations

import numpy as np

VALUES = np.random.default_rng(7).integers(-3000, 3000, (3, 40, 50)).astype(np.int16)
PLANE = (1, slice(5, 30), slice(None))
