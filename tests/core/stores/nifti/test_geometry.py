"""Axes and affines, compared with those of nibabel."""

from __future__ import annotations

from typing import Any

import nibabel
import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from nibabel.eulerangles import euler2mat

from zarrcore.stores.nifti.geometry import affine_of, axes_of
from zarrcore.stores.nifti.header import Header, parse_header

NUMBERS = st.floats(-100, 100, width=32)


def read(header: nibabel.Nifti1Header) -> Header:
    return parse_header(header.binaryblock)


def qform_of(header: nibabel.Nifti1Header) -> Any:
    try:
        return header.get_qform()
    except ValueError:  # nibabel refuses a quaternion of its own that rounding made longer than 1
        reject()


@given(
    angles=st.tuples(*[st.floats(-np.pi, np.pi)] * 3),
    lengths=st.tuples(*[st.floats(0.125, 16)] * 3),
    offset=st.tuples(NUMBERS, NUMBERS, NUMBERS),
    flip=st.booleans(),
    code=st.integers(0, 4),
    version=st.sampled_from([nibabel.Nifti1Header, nibabel.nifti2.Nifti2Header]),
)
def test_the_affine_is_that_of_nibabel(
    angles: tuple[float, ...],
    lengths: tuple[float, ...],
    offset: tuple[float, ...],
    *,
    flip: bool,
    code: int,
    version: Any,
) -> None:
    affine = np.eye(4)
    affine[:3, :3] = euler2mat(*angles) * lengths * [1, 1, -1 if flip else 1]
    affine[:3, 3] = offset
    header = version()
    header.set_data_shape((2, 3, 4))
    header.set_qform(affine, code=code)
    found = affine_of(read(header))
    if code == 0:
        assert found is None
    else:
        assert np.allclose(found, qform_of(header), atol=1e-4)
    header.set_sform(affine, code=2)
    assert np.array_equal(affine_of(read(header)), header.get_sform())


def axes(header: nibabel.Nifti1Header) -> list[tuple[str, str, str, float, float]]:
    found = read(header)
    told = axes_of(found, affine_of(found), has_colours=False)
    return [(axis.name, axis.kind, axis.unit, axis.scale, axis.origin) for axis in told]


def test_axes_have_units_scales_and_origins() -> None:
    header = nibabel.Nifti1Header()
    header.set_data_shape((2, 3, 4, 5, 6, 7, 8))
    header.set_xyzt_units("micron", "msec")
    header["pixdim"] = [1, 0.7, 0, -3, 20, np.nan, 1, 1]
    header["toffset"] = 40
    assert axes(header) == [
        ("x", "space", "micrometer", 0.7, 0),
        ("y", "space", "micrometer", 1, 0),
        ("z", "space", "micrometer", 3, 0),
        ("t", "time", "millisecond", 20, 40),
        ("c", "channel", "", 1, 0),
        ("dim_6", "", "", 1, 0),
        ("dim_7", "", "", 1, 0),
    ]
    header.set_xyzt_units("meter", "hz")
    header.set_data_shape((2, 3, 4, 5))
    assert axes(header)[3] == ("frequency", "", "hertz", 20, 40)


@pytest.mark.parametrize(
    ("changed", "is_told"),
    [((1, 1, 2.0), True), ((0, 0, -2.0), False), ((0, 1, 0.5), False), ((0, 0, 3.0), False)],
)
def test_origins_are_told_only_if_the_affine_says_the_same(
    changed: tuple[int, int, float], *, is_told: bool
) -> None:
    affine = np.diag([2.0, 2, 2, 1])
    affine[:3, 3] = [-90, -126, 72]
    affine[changed[:2]] = changed[2]
    header = nibabel.Nifti1Header()
    header.set_data_shape((2, 3, 4))
    header["pixdim"][1:4] = 2
    header.set_sform(affine, code=1)
    assert [axis[4] for axis in axes(header)] == ([-90, -126, 72] if is_told else [0, 0, 0])


def test_a_broken_affine_is_not_told() -> None:
    header = nibabel.Nifti1Header()
    header.set_data_shape((2, 3, 4))
    header.set_sform(np.full((4, 4), np.nan), code=1)
    assert affine_of(read(header)) is None
    header["sform_code"], header["qform_code"], header["quatern_b"] = 0, 1, np.nan
    assert affine_of(read(header)) is None
