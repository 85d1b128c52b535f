"""The filters of numcodecs: values that they would lose, byte order, and bits of another type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.core.codecs.cases import spec_of
from zarrcore.codecs import Pipeline
from zarrcore.errors import CodecError
from zarrcore.metadata import NamedConfiguration


@pytest.mark.parametrize(
    ("name", "configuration", "values"),
    [
        ("numcodecs.delta", {"dtype": "<i4", "astype": "|i1"}, [0, 1000]),
        ("numcodecs.astype", {"encode_dtype": "|u1", "decode_dtype": "<i4"}, [0, 256]),
        ("numcodecs.astype", {"encode_dtype": "|u1", "decode_dtype": "<f4"}, [0, np.nan]),
        ("numcodecs.fixedscaleoffset", {"offset": 0, "scale": 10, "dtype": "<f4", "astype": "|i1"}, [0, 20]),
        (
            "numcodecs.fixedscaleoffset",
            {"offset": 0, "scale": 10, "dtype": "<f4", "astype": "<i4"},
            [0, np.inf],
        ),
        ("numcodecs.fixedscaleoffset", {"offset": 9, "scale": 10, "dtype": "<u2", "astype": "<u2"}, [0, 9]),
    ],
)
def test_values_that_a_filter_would_lose_are_refused(
    name: str, configuration: dict[str, Any], values: list[float]
) -> None:
    array = np.array(values, configuration.get("dtype") or configuration["decode_dtype"])
    pipeline = Pipeline(
        [NamedConfiguration(name, configuration), NamedConfiguration("bytes")], spec_of(array)
    )
    with pytest.raises(CodecError, match=name):
        pipeline.encode(array)
