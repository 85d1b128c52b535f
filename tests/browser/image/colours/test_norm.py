"""How values between two bounds are spread, compared with plain NumPy formulas."""

from __future__ import annotations

import numpy as np
import pytest

from zarrbrowser.image.colours.norm import Norm, spread


@pytest.mark.parametrize(
    ("norm", "formula"),
    [
        (Norm.LINEAR, lambda x: (x - 1) / 99),
        (Norm.LOG, lambda x: np.log10(x) / 2),
        (Norm.SQRT, lambda x: np.sqrt((x - 1) / 99)),
        (
            Norm.SYMLOG,
            lambda x: (np.log1p(x / 0.1) - np.log1p(1 / 0.1)) / (np.log1p(100 / 0.1) - np.log1p(1 / 0.1)),
        ),
    ],
)
def test_norms_follow_their_formulas(norm: Norm, formula: object) -> None:
    numbers = np.linspace(1, 100, 500)
    assert spread(numbers, norm, (1.0, 100.0)) == pytest.approx(formula(numbers))
    assert spread(numbers.astype(np.float32), norm, (1.0, 100.0)).dtype == np.float32


def test_large_integers_outside_the_bounds_are_clipped() -> None:
    info = np.iinfo(np.int64)
    numbers = np.array([info.min, 2**60, 2**60 + 5, 2**60 + 10, info.max])
    scaled = spread(numbers, Norm.LINEAR, (2**60, 2**60 + 10))
    assert scaled[1:4] == pytest.approx([0, 0.5, 1])
    assert scaled[0] < 0
    assert scaled[4] > 1
    for norm in Norm:
        assert np.isfinite(spread(numbers, norm, (float(info.min), float(info.max)))).all()


def test_a_logarithm_without_a_positive_bound_ends_at_the_upper_one() -> None:
    scaled = spread(np.array([0.0, 1e-6, 1.0]), Norm.LOG, (0.0, 1.0))
    assert scaled[1:] == pytest.approx([0, 1])
    assert np.isfinite(scaled).all()
