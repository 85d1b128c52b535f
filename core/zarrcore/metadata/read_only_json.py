"""JSON values that cannot be changed.

Nodes are cached, and callers share their metadata. A change that is not stored must fail, not look as if it were stored. These
values are still dicts and lists, so that ``json.dumps``, ``isinstance`` and comparisons work; their copies can be changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from zarrcore.metadata.json_document import MAX_DEPTH


def _refuse(value: object, *_args: object, **_options: object) -> NoReturn:
    kind = "object" if isinstance(value, dict) else "list"
    raise TypeError(
        f"this {kind} of a node's metadata cannot be changed in place: change a copy.deepcopy of it, "
        "and assign that to the node's attributes"
    )


class ReadOnlyObject(dict[str, Any]):
    """A JSON object that cannot be changed.

    >>> ReadOnlyObject(unit="nm") | {"scale": 2}
    {'unit': 'nm', 'scale': 2}
    """

    __slots__ = ()

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = setdefault = pop = popitem = clear = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    def __deepcopy__(self, _memo: object) -> dict[str, Any]:
        return changeable(self)  # type: ignore[no-any-return]


class ReadOnlyList(list[Any]):
    """A JSON array that cannot be changed."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    def __deepcopy__(self, _memo: object) -> list[Any]:
        return changeable(self)  # type: ignore[no-any-return]


def read_only(value: Any, depth: int = MAX_DEPTH) -> Any:
    """A JSON value with all that is in it, read-only. A value that already is read-only is not copied.

    What lies deeper than a document may be nested stays as it is: such a value is refused when it is written.
    """
    match value:
        case (
            str() | int() | float() | None | ReadOnlyObject() | ReadOnlyList()
        ):  # first, because most values are these
            return value
        case Mapping() if depth:
            return ReadOnlyObject({name: read_only(item, depth - 1) for name, item in value.items()})
        case list() if depth:
            return ReadOnlyList([read_only(item, depth - 1) for item in value])
    return value


def changeable(value: Any) -> Any:
    """A JSON value that may be changed, copied with all that is in it."""
    match value:
        case Mapping():
            return {name: changeable(item) for name, item in value.items()}
        case list():
            return list(map(changeable, value))
    return value
