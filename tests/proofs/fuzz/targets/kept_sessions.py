"""What the window keeps between runs: damaged parts are dropped without an exception, and the others can be used."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from itertools import count
from typing import Any

import numpy as np
from PySide6.QtCore import QByteArray, QSettings

import zarrcore
from tests.proofs.fuzz.documents import Choices, changed_document
from tests.proofs.fuzz.folders import work_folder
from tests.proofs.fuzz.seen import has_passed, passed
from zarrbrowser.image.levels import Image, image_of_array
from zarrbrowser.image.settings_document import apply_document, place_of, settings_document
from zarrbrowser.image.view_settings import ViewSettings, initial_settings
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.request_lines import from_line, to_line
from zarrbrowser.settings import Settings
from zarrbrowser.window.saved_session import saved_requests, saved_session
from zarrcore.errors import StoreError
from zarrcore.stores import MemoryStore

_LINE = '{"address": "s3://bucket/a.zarr", "format": "v3", "path": "/b", "region": "eu-west-1", "anonymous": true}'
MAX_LENGTH = 256
WORDS = (
    *(
        "open",
        "here",
        "tab",
        "look",
        "recent",
        "appearance",
        "dark",
        "geometry",
        "@ByteArray(",
        "@Variant(",
        "@Invalid()",
    ),
    *(
        "rows",
        "columns",
        "index",
        "field",
        "part",
        "is_marked",
        "is_unpacked",
        "contrast",
        "norm",
        "colour_map",
        "flips",
        "blended",
    ),
    *(
        "labels",
        "channels",
        "place",
        "layout",
        "amplitude",
        "phase",
        "linear",
        "log",
        "fixed",
        "viridis",
        "a",
        "real part",
    ),
    *(
        '{"address": "a.zarr"}',
        '{"address": 1}',
        _LINE,
        "[" * 3000,
        "1" * 5000,
        "endpoint_url",
        "http://h",
        "address",
        "path",
    ),
)


@cache
def _images() -> tuple[tuple[Image, ViewSettings], ...]:
    """Images of numbers, of records, and of channels."""
    hierarchy = zarrcore.create(MemoryStore())
    kinds: dict[str, Any] = {
        "i2": np.dtype("<i2"),
        "c8": np.dtype("<c8"),
        "record": np.dtype([("a", "<f4"), ("b", "<i2")]),
    }
    for name, dtype in kinds.items():
        hierarchy.create_array(name, shape=(3, 4, 5), dtype=dtype)
    hierarchy.create_array("channels", shape=(2, 4, 5), dtype="float32", dimension_names=("c", "y", "x"))
    images = [image_of_array(hierarchy[name]) for name in (*kinds, "channels")]  # type: ignore[arg-type]
    return tuple((image, initial_settings(image)) for image in images)


def _example(image: Image, settings: ViewSettings) -> dict[str, Any]:
    look = {**settings_document(settings), "layout": "one", "place": [[0.0, 2.0], [1, 3]]}
    look |= {"is_marked": True, "reduction": [0, "mean"], "projection": "Robinson", "map": [True, False]}
    look["comparison"] = {"operation": "ratio", "axis": 0, "position": 1, "statistic": "sum", "address": ""}
    return {
        "open": [_LINE, '{"address": "a.zarr"}'],
        "here": _LINE,
        "tab": "Image",
        "look": look,
        "recent": [_LINE],
        "appearance": "dark",
    }


class _Kept:
    """Values as QSettings gives them."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def value(self, name: str) -> Any:
        found = self._document.get(name)
        if name == "look" or isinstance(found, dict):
            return json.dumps(found)
        return QByteArray(b"x") if isinstance(found, float) else found


def check(data: bytes) -> None:
    """The first byte says whether the rest is a file, or changes to what is kept."""
    if not data:
        return
    images = _images()
    if data[0] == 0:
        _check_settings(_of_file(data[1:]))
        return
    examples = [_example(*image) for image in images]
    document = changed_document(Choices(bytes([data[0] - 1]) + data[1:]), examples, WORDS)
    if not isinstance(document, dict):
        return
    settings = Settings(fresh=True)
    settings._stored = _Kept(document)  # type: ignore[assignment]
    _check_settings(settings)


_numbers = count()


def _of_file(content: bytes) -> Settings:
    path = work_folder("sessions") / f"{next(_numbers)}.ini"  # Qt remembers the content of a file
    path.write_bytes(content)
    settings = Settings(fresh=True)
    settings._stored = QSettings(str(path), QSettings.Format.IniFormat)
    settings.appearance()
    path.unlink()
    return settings


def _check_settings(settings: Settings) -> None:
    settings.appearance()
    settings.data("geometry")
    requests, visit = saved_session(settings)
    for request in (*requests, *saved_requests(settings, "recent")):
        assert request.address
        assert isinstance(request.place, str)
        kept = from_line(to_line(request))
        assert kept is not None
        assert (kept.address, kept.path, kept.format) == (request.address, request.path, request.format)
        if isinstance(request.options, Connection):
            try:
                request.options.store_options()
            except StoreError:
                continue
    check_look(settings.document("look") if visit is None else visit.view_state)


def check_look(look: dict[str, Any]) -> None:
    """The settings of a view, well-formed or not, can be applied to any image."""
    if has_passed("look", whole := repr(look)):
        return
    place_of(look)
    for number, (image, initial) in enumerate(_images()):
        settings = apply_document(initial, look, image.base)
        # Many documents lead to the same settings.
        if not has_passed("view", told := f"{number} {settings!r}"):
            _check_view(image, settings)
            passed("view", told)
    passed("look", whole)


def _check_view(image: Image, settings: ViewSettings) -> None:
    """The settings can be used to show the image, and are kept again."""
    values = np.zeros((4, 5), image.base.dtype)
    settings.elements.numbers(values)
    settings.elements.known(values)
    settings.describe(image)
    settings.planes(image)
    document = json.loads(json.dumps(settings_document(settings)))
    again = apply_document(settings, document, image.base)
    assert json.dumps(settings_document(again)) == json.dumps(document)


def examples() -> Iterable[bytes]:
    """A file, and what is kept of each kind of image."""
    yield b"\0[General]\nopen=" + json.dumps(_LINE).encode() + b'\ntab=Image\nlook="{}"\nappearance=dark\n'
    yield from (bytes([number + 1]) for number in range(len(_images())))
