"""Documents made from bytes: valid ones that the bytes change, since bytes alone hardly ever are a valid document."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Final, TypeVar

T = TypeVar("T")

_CONTAINERS: Final = (dict, list, tuple)
_EDITS_MAX: Final = 12
_TOO_LARGE: Final = 200_000
_SCALARS: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 2, 3, 4, 7, 8, 9, 63, 64, 65, 100, 255, 256, 65535, 65536),
    *(2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), 10**25, 10**400),
    *(0.0, -0.0, 0.5, 1.0, 3.0, 1.5, 1e-300, 1e300, -1e300, math.nan, math.inf, -math.inf),
    *("", "0", "1", " ", ".", "..", "/", "\0", "é", "\ud800", "NaN", "Infinity", "-Infinity", "0x7fc00001"),
    *("AAAA", "AA==", "=", "null", "a" * 70, "0x", "0b1", "0x-1", "x\ny"),
    *([], {}, [0], [1, 1], [None], [[1]], ["a"], {"a": 1}, {"": None}, [2, 3], [[2, 3]], [0, 1, 2]),
)


class Choices:
    """Choices that bytes make; when they have run out, the first of what there is."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_over(self) -> bool:
        """Whether the bytes have run out."""
        return self._at >= len(self._data)

    def below(self, count: int) -> int:
        """A number below ``count``, of one byte or two."""
        nbytes = 1 if count <= 256 else 2
        return int.from_bytes(self.take(nbytes), "little") % count

    def pick(self, options: Sequence[T]) -> T:
        """One of them."""
        return options[self.below(len(options))]

    def take(self, nbytes: int) -> bytes:
        """The next bytes, as many as there are."""
        self._at += nbytes
        return self._data[self._at - nbytes : self._at]

    def rest(self) -> bytes:
        """All bytes that are left."""
        return self.take(len(self._data))


def document_of(data: bytes, examples: Sequence[Any], words: Sequence[str] = ()) -> bytes:
    """The text of a document: the data itself if it begins with ``{``, else one of the examples, changed."""
    if data[:1] == b"{":
        return data
    return json.dumps(changed_document(Choices(data), examples, words)).encode()


def changed_document(choices: Choices, examples: Sequence[Any], words: Sequence[str] = ()) -> Any:
    """One of the examples, changed in a few places."""
    document = [copied(choices.pick(examples))]
    for _ in range(_EDITS_MAX):
        if choices.is_over:
            break
        _edit(document, choices, examples, words)
    # A document that holds itself many times is larger than its edits look.
    return document[0] if len(repr(document)) < _TOO_LARGE else choices.pick(examples)


def _edit(document: list[Any], choices: Choices, examples: Sequence[Any], words: Sequence[str]) -> None:
    places = _places(document)
    container, at = choices.pick(places)
    scalars = (*_SCALARS, *words)
    match choices.below(9):
        case 0 | 1:
            container[at] = copied(choices.pick(scalars))
        case 2:
            container[at] = copied(_value(choices.pick(places)))
        case 3:
            container[at] = copied(_value(choices.pick(_places([choices.pick(examples)]))))
        case 4:
            container[at] = [container[at]]
        case 5:
            container[at] = int.from_bytes(choices.take(2), "little", signed=True)
        case 6:
            container[at] = choices.take(choices.below(32)).decode("utf-8", "replace")
        case 7:
            found = container[at]
            if isinstance(found, dict):
                found[choices.pick((*words, "", "a"))] = copied(choices.pick(scalars))
            elif isinstance(found, list):
                found.insert(choices.below(len(found) + 1), copied(choices.pick(scalars)))
            else:
                container[at] = [copied(found)] * choices.below(80)
        case _:
            if container is not document:
                del container[at]


def _places(container: Any) -> list[tuple[Any, Any]]:
    """All places in a document: their container, and their name or index there."""
    found: list[tuple[Any, Any]] = []
    _add_places(container, found)
    return found


def _add_places(container: Any, found: list[tuple[Any, Any]]) -> None:
    # No generator, since changes spend most of their time here.
    for at, value in enumerate(container) if type(container) is list else container.items():
        found.append((container, at))
        if type(value) is list or type(value) is dict:
            _add_places(value, found)


def _value(place: tuple[Any, Any]) -> Any:
    container, at = place
    return container[at]


def copied(value: Any, made: dict[int, Any] | None = None) -> Any:
    """As ``deepcopy``, which takes several times longer for a document: a part that occurs twice is copied once."""
    kind = type(value)
    if kind is not dict and kind is not list:
        return deepcopy(value) if kind is tuple else value
    made = {} if made is None else made
    found = made.get(id(value))
    if found is not None:
        return found
    if kind is dict:
        found = made[id(value)] = {}
        for name, item in value.items():
            found[name] = copied(item, made) if type(item) in _CONTAINERS else item
        return found
    found = made[id(value)] = []
    for item in value:
        found.append(copied(item, made) if type(item) in _CONTAINERS else item)
    return found
