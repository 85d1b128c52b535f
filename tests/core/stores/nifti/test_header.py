"""Headers and extensions of NIfTI files, written by nibabel."""

from __future__ import annotations

import gzip
from typing import Any

import nibabel
import numpy as np
import pytest

from zarrcore.stores.nifti.header import header_kind, parse_extensions, parse_header
from zarrcore.stores.nifti.store import is_nifti
from zarrcore.stores.virtual.file_reader import BrokenFileError


def written(version: int = 1, order: str = "<", *, is_single: bool = True, **fields: Any) -> bytes:
    kinds = (
        nibabel.nifti1.Nifti1PairHeader,
        nibabel.Nifti1Header,
        nibabel.nifti2.Nifti2PairHeader,
        nibabel.nifti2.Nifti2Header,
    )
    header = kinds[2 * version - 2 + is_single](endianness=order)
    header.set_data_shape((2, 3, 4))
    for name, value in fields.items():
        header[name] = value
    return header.binaryblock


@pytest.mark.parametrize("is_single", [False, True])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [1, 2])
def test_versions_orders_and_pairs_are_told_apart(version: int, order: str, *, is_single: bool) -> None:
    head = written(version, order, is_single=is_single, descrip=b"a scan", cal_max=0.7)
    assert header_kind(head) == (version, order, not is_single)
    header = parse_header(head)
    assert (header.shape, header.nbytes) == ((2, 3, 4), {1: 352, 2: 544}[version])
    assert header.shown()["descrip"] == "a scan"
    assert header.shown()["cal_max"] == 0.7
    assert is_nifti(head)
    assert is_nifti(gzip.compress(head))


@pytest.mark.parametrize("head", [b"", b"\x1f\x8b", gzip.compress(b"abc"), bytes(400), written()[:300]])
def test_other_files_are_not_recognized(head: bytes) -> None:
    assert not is_nifti(head)
    with pytest.raises(BrokenFileError, match="does not begin with a header"):
        parse_header(head)


@pytest.mark.parametrize(
    ("fields", "member", "why"),
    [
        ({"dim": [0, 1, 1, 1, 1, 1, 1, 1]}, "shape", "it has 0 dimensions; 1 to 7"),
        ({"dim": [9, 1, 1, 1, 1, 1, 1, 1]}, "shape", "it has 9 dimensions"),
        ({"dim": [2, 3, -1, 1, 1, 1, 1, 1]}, "shape", r"lengths \(3, -1\)"),
        ({"datatype": 1}, "element", r"are single bits \(datatype 1\), which zarrscope does not read"),
        ({"datatype": 1536}, "element", "128-bit floats"),
        ({"datatype": 2048}, "element", "256-bit complex"),
        ({"datatype": 77}, "element", "of an unknown type"),
        ({"vox_offset": np.nan}, "data_start", "begin at byte nan"),
        ({"vox_offset": -400}, "data_start", "begin at byte -400"),
    ],
)
def test_broken_and_unknown_fields_say_why(fields: dict[str, Any], member: str, why: str) -> None:
    with pytest.raises(BrokenFileError, match=why):
        getattr(parse_header(written(**fields)), member)


def test_long_vectors_of_freesurfer() -> None:
    header = parse_header(written(dim=[3, -1, 1, 1, 1, 1, 1, 1], glmin=163_842))
    assert header.shape == (163_842, 1, 1)


@pytest.mark.parametrize(
    ("slope", "intercept", "expected"),
    [(2, 1, (2, 1)), (1, 0, None), (0, 5, None), (np.nan, 0, None), (1, 3, (1, 3)), (2, np.inf, None)],
)
def test_scaling(slope: float, intercept: float, expected: Any) -> None:
    assert parse_header(written(scl_slope=slope, scl_inter=intercept)).scaling == expected


def test_extensions_are_text_or_base64_and_broken_ones_end_the_list() -> None:
    data = bytes([1, 0, 0, 0])
    for code, content in ((6, b"a comment"), (2, b"\0\1\2\xff"), (4, "é\n".encode())):
        data += np.array([16 + len(content) // 9 * 16, code], "<i4").tobytes()
        data += content.ljust(8 + len(content) // 9 * 16, b"\0")
    assert parse_extensions(data, "<") == [
        {"code": 6, "text": "a comment"},
        {"code": 2, "base64": "AAEC/wAAAAA="},
        {"code": 4, "text": "é\n"},
    ]
    assert len(parse_extensions(data[:-1], "<")) == 2
    assert parse_extensions(data + np.array([7, 1], "<i4").tobytes(), "<") == parse_extensions(data, "<")
    assert parse_extensions(bytes(4) + data[4:], "<") == []
    assert parse_extensions(b"", "<") == []
