"""N5 datasets for tests."""

from __future__ import annotations

DATASET = {
    "dimensions": [7, 5],
    "blockSize": [3, 2],
    "dataType": "int16",
    "compression": {"type": "raw"},
}
