"""Data types: names, documents, fallbacks, and those of other packages."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import zarr

import zarrcore
from tests.core.metadata.data_types import FIXED, as_json
from tests.other_package import other_package
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata.data_type import data_type_of, parse_data_type
from zarrcore.metadata.data_type.small_numbers import SmallNumberFamily
from zarrcore.metadata.fill_value import fill_value_document, parse_fill_value, undefined, zero


@pytest.mark.parametrize("code", ["|b1", "<i2", ">f8", "<c16", ">M8[us]", "<m8[s]", "<U7", "|S3", "|V9"])
def test_data_types_survive_their_documents(code: str) -> None:
    data_type = data_type_of(np.dtype(code))
    again = parse_data_type(json.loads(json.dumps(data_type.document())))
    assert again.dtype == np.dtype(code).newbyteorder("<")


@pytest.mark.parametrize("document", [*FIXED, "string", "bytes", "variable_length_bytes"], ids=str)
def test_documents_of_encodings_round_trip(document: Any) -> None:
    data_type = parse_data_type(document)
    again = parse_data_type(as_json(data_type.document()))
    assert (again, again.dtype) == (data_type, data_type.dtype)
    element = zero(data_type.dtype)
    assert parse_fill_value(None, data_type).tolist() == undefined(data_type.dtype).tolist()
    assert (
        parse_fill_value(as_json(fill_value_document(element, data_type)), data_type).tolist()
        == element.tolist()
    )


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ({"name": "float128", "fallback": "r128"}, "r128"),
        (
            {"name": "float128", "fallback": ["float96", {"name": "float64", "configuration": {}}, "r8"]},
            "float64",
        ),
        ({"name": "float128", "fallback": {"name": "int256", "fallback": ["r256"]}}, "r256"),
        ({"name": "int8", "fallback": "unknown"}, "int8"),
    ],
)
def test_the_first_known_fallback_wins(document: Any, name: str) -> None:
    assert parse_data_type(document).name == name


@pytest.mark.parametrize("fallback", [None, [], "float96", ["float96", {"name": "float80", "fallback": []}]])
def test_without_a_known_fallback_the_error_names_the_type_itself(fallback: Any) -> None:
    with pytest.raises(UnsupportedError, match="'float128'"):
        parse_data_type({"name": "float128", "fallback": fallback})


def test_an_invalid_fallback_is_refused() -> None:
    with pytest.raises(MetadataError, match="fallback"):
        parse_data_type({"name": "float128", "fallback": [7]})


@pytest.mark.parametrize(
    ("document", "kind", "words"),
    [
        (
            {"name": "subarray", "configuration": {"data_type": "int8", "shape": [2]}},
            UnsupportedError,
            "field",
        ),
        (
            {"name": "struct", "configuration": {"fields": [["a", "bytes"]]}},
            UnsupportedError,
            "no fixed size",
        ),
        (
            {"name": "struct", "configuration": {"fields": [["a", "int8"], ["a", "int8"]]}},
            MetadataError,
            "fields",
        ),
        ({"name": "struct", "configuration": {"fields": [["a", "int3"]]}}, UnsupportedError, "int3"),
        ("r12", MetadataError, "multiple of 8"),
        ("r" + "9" * 30, UnsupportedError, "r999"),
        ("r9999999992", MetadataError, "256 MiB"),
        ("float8_e9m9", UnsupportedError, "float8_e9m9"),
    ],
)
def test_types_that_are_refused(document: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        parse_data_type(document)


@pytest.mark.parametrize("name", [*SmallNumberFamily.names, "string"])
def test_the_name_of_a_numpy_dtype(name: str) -> None:
    data_type = parse_data_type(name)
    if data_type.dtype.names is None:
        assert data_type_of(data_type.dtype).name == name


@pytest.mark.parametrize("dtype", [np.dtype(object), np.dtype(ml_dtypes.int1), np.dtype("g")])
def test_dtypes_without_a_name(dtype: np.dtype[Any]) -> None:
    with pytest.raises(UnsupportedError, match="data type"):
        data_type_of(dtype)


EXTENSION = '''
import math
import numpy as np
from zarrcore.errors import MetadataError
from zarrcore.metadata import DataTypeFamily

class AngleFamily(DataTypeFamily):
    """Angles, a turn in so many parts, which documents spell in degrees."""

    names = ("example.angle",)

    def dtype(self, name, configuration, member):
        if configuration.get("parts") != 256:
            raise MetadataError("expected 256", member=f"{member}.parts")
        return np.dtype("u1")

    def parse(self, value, data_type):
        if not isinstance(value, str) or not value.endswith("°"):
            raise MetadataError("expected degrees", member="fill_value")
        return np.array(round(float(value[:-1]) / 360 * 256) % 256, data_type.dtype)

    def spell(self, element, data_type):
        return f"{int(element) * 360 / 256}°"
'''


@pytest.fixture
def _installed(tmp_path: Path) -> Iterator[None]:
    names = "example.angle = angles:AngleFamily\nint8 = angles:AngleFamily\nexample.wrong = math:pi\n"
    with other_package(tmp_path, {"angles.py": EXTENSION}, "[zarrscope.data_types]\n" + names):
        yield


@pytest.mark.usefixtures("_installed")
def test_a_data_type_of_another_package(tmp_path: Path) -> None:
    path = tmp_path / "a.zarr"
    zarr.create_array(path, data=np.array([64, 128], "u1"), chunks=(1,), zarr_format=3)
    document = json.loads((path / "zarr.json").read_text())
    angle = {"name": "example.angle", "configuration": {"parts": 256}}
    (path / "zarr.json").write_text(json.dumps({**document, "data_type": angle, "fill_value": "180°"}))
    array = zarrcore.open_hierarchy(path)["/"]
    assert array[...].tolist() == [64, 128]
    assert array.fill_value == 128
    assert array.metadata.document()["fill_value"] == "180.0°"
    assert parse_data_type("int8").dtype == np.int8, "ours come first"
    with pytest.raises(UnsupportedError, match="not a data type class"):
        parse_data_type("example.wrong")
    with pytest.raises(MetadataError, match="expected 256"):
        parse_data_type({"name": "example.angle", "configuration": {"parts": 7}})
