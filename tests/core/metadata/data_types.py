"""Every data type, as documents name it."""

from __future__ import annotations

import json
from typing import Any

from zarrcore.metadata.data_type.numbers import NumberFamily
from zarrcore.metadata.data_type.small_numbers import SmallNumberFamily

RECORD = {
    "name": "struct",
    "configuration": {
        "fields": [
            {"name": "a", "data_type": "float32"},
            {"name": "b", "data_type": "bfloat16"},
            {
                "name": "c",
                "data_type": {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}},
            },
            {"name": "d", "data_type": "complex_float8_e5m2"},
            {
                "name": "e",
                "data_type": {
                    "name": "struct",
                    "configuration": {"fields": [{"name": "x", "data_type": "r24"}]},
                },
            },
        ]
    },
}


FIXED: list[Any] = [
    *NumberFamily.names,
    *SmallNumberFamily.names,
    "r8",
    "r24",
    {"name": "raw_bytes", "configuration": {"length_bytes": 5}},
    {"name": "null_terminated_bytes", "configuration": {"length_bytes": 4}},
    {"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 10}},
    {"name": "numpy.timedelta64", "configuration": {"unit": "generic", "scale_factor": 1}},
    RECORD,
    {"name": "structured", "configuration": {"fields": [["a", "int16"], ["b", "float64"]]}},
]


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value, allow_nan=False))
