"""A JSON document as a tree of names and values; items are created when their parent is expanded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont

from zarrbrowser.nodes.references import References
from zarrbrowser.theme import current_colours
from zarrbrowser.values.quantities import count
from zarrbrowser.widgets.links import link_font
from zarrbrowser.widgets.tooltip import tooltip

Index = QModelIndex | QPersistentModelIndex
_LOOK = (Qt.ItemDataRole.FontRole, Qt.ItemDataRole.ForegroundRole)
_ON_ONE_LINE = 8
_LONGEST = 1000
"""Characters of one value that a row shows."""


class _Member:
    __slots__ = ("children", "name", "parent", "row", "value")

    def __init__(self, parent: _Member | None, row: int, name: str, value: Any) -> None:
        self.parent, self.row, self.name, self.value = parent, row, name, value
        self.children: list[_Member] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the members of objects from the outermost to this one; positions in lists have none."""
        above = self.parent
        if above is None:
            return ()
        return above.names if isinstance(above.value, list | tuple) else (*above.names, self.name)

    def open(self) -> list[_Member]:
        """The members of the item, created on the first call."""
        if self.children is None:
            self.children = [
                _Member(self, row, name, value) for row, (name, value) in enumerate(_parts(self.value))
            ]
        return self.children


class JsonModel(QAbstractItemModel):
    """Members of a JSON object by name, or of an array by position.

    Args:
        document: the object.
        parent: Qt's.
        references: which texts lead to other nodes, if the object is the attributes of a node.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        parent: QObject | None = None,
        references: References | None = None,
    ) -> None:
        super().__init__(parent)
        self._root = _Member(None, 0, "", document)
        self._references = references

    def target(self, index: Index) -> str:
        """The path of the node that a value leads to; empty if it leads nowhere."""
        if self._references is None or not index.isValid():
            return ""
        member = self._member(index)
        return self._references.of_attribute(member.value, member.names)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's signature
        return 2

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's signature
        return len(self._member(parent).open()) if self.hasChildren(parent) else 0

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:  # noqa: B008, N802 - Qt's signature
        return parent.column() <= 0 and self._is_open(self._member(parent))

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008 - Qt's
        members = self._member(parent).open()
        if not 0 <= row < len(members) or not 0 <= column < 2:
            return QModelIndex()
        return self.createIndex(row, column, members[row])

    def parent(self, child: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override] # noqa: B008 - Qt's
        above = self._member(child).parent
        return (
            QModelIndex() if above is None or above is self._root else self.createIndex(above.row, 0, above)
        )

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:  # noqa: N802 - Qt's
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return ("Name", "Value")[section]
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        if not index.isValid():
            return None
        member = self._member(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return member.name if index.column() == 0 else value_text(member.value)
        is_link = role in _LOOK and index.column() == 1 and bool(self.target(index))
        if role == Qt.ItemDataRole.FontRole and is_link:
            return link_font(QFont())
        if role == Qt.ItemDataRole.ForegroundRole and is_link:
            return QColor(current_colours().accent)
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 1 and not _is_nested(member.value):
            return tooltip(value_text(member.value))
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(_colour(member.value) if index.column() == 1 else current_colours().text)
        return None

    def _is_open(self, member: _Member) -> bool:
        """Whether a value has rows of its own; each reference of a list has one, to lead to its node."""
        value = member.value
        references = self._references
        has_links = (
            references is not None
            and isinstance(value, list | tuple)
            and any(references.of_attribute(one, member.names) for one in value)
        )
        return has_links or _is_nested(value)

    def _member(self, index: Index) -> _Member:
        # Members live as long as the model, so the pointer of an index is always valid.
        return index.internalPointer() if index.isValid() else self._root


def value_text(value: Any) -> str:
    """One value on one line.

    >>> value_text({"a": 1}), value_text([1.5, 2]), value_text(None), value_text(True), value_text("mm")
    ('1 member', '[1.5, 2]', 'null', 'true', 'mm')
    """
    if isinstance(value, Mapping):
        return count(len(value), "member")
    if isinstance(value, list | tuple):
        if not _is_nested(value):
            return "[" + ", ".join(value_text(item) for item in value) + "]"
        return count(len(value), "item")
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = str(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def is_small(document: Any, limit: int) -> bool:
    """Whether a document has at most ``limit`` members; stops counting there."""
    found, rest = 0, [document]
    while rest:
        value = rest.pop()
        parts = list(value.values()) if isinstance(value, Mapping) else value
        if isinstance(parts, list | tuple):
            found += len(parts)
            if found > limit:
                return False
            rest.extend(parts)
    return True


def _parts(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(str(name), part) for name, part in value.items()]
    if isinstance(value, list | tuple):
        return [(str(position), part) for position, part in enumerate(value)]
    return []


def _is_nested(value: Any) -> bool:
    """Whether the value needs rows of its own; a short list is shown beside its name."""
    if isinstance(value, list | tuple):
        return len(value) > _ON_ONE_LINE or any(isinstance(item, Mapping | list | tuple) for item in value)
    return isinstance(value, Mapping) and len(value) > 0


def _colour(value: Any) -> str:
    colours = current_colours()
    if isinstance(value, str):
        return colours.string
    if isinstance(value, int | float) and not isinstance(value, bool):
        return colours.number
    return colours.muted
