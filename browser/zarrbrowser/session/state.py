"""The open sources, the current node, and the latest view settings of each array."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.nodes.protocols import ArrayLike, NodeLike
from zarrbrowser.session.history import History
from zarrbrowser.session.sources import RecentSources, Source


@dataclass(slots=True)
class Session:
    """The state of the browser while it runs."""

    sources: list[Source] = field(default_factory=list)
    recent: RecentSources = field(default_factory=RecentSources)
    source: Source | None = None
    """The source of the current node."""
    node: NodeLike | None = None
    colour_map: str = "gray"
    shows_colours: bool = True
    """Whether the panel of colours is beside pictures."""
    history: History = field(default_factory=History)
    tab: str = ""
    """The tab that the user chose last; empty until then."""
    _views: dict[tuple[int, str], ViewSettings] = field(default_factory=dict)
    _stored: set[tuple[int, str]] = field(default_factory=set)
    """Arrays whose stored numbers are shown, not the values that they are unpacked to."""
    _columns: dict[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)
    """The arrays that the tables of groups show."""
    _last: tuple[Source, str, ViewSettings, ArrayLike] | None = None
    """The image shown last: its source, its path, its settings, its array."""

    def add(self, source: Source) -> None:
        """Add an open source."""
        self.sources.append(source)
        # The store's own URL has no credentials, which the typed address may have.
        self.recent.add(replace(source.request, address=source.hierarchy.url, path="/"))

    def remove(self, source: Source) -> None:
        """Remove a closed source and its saved views."""
        self.sources.remove(source)
        self._views = {key: view for key, view in self._views.items() if key[0] != id(source)}
        self._stored = {key for key in self._stored if key[0] != id(source)}
        self._columns = {key: names for key, names in self._columns.items() if key[0] != id(source)}
        if self._last is not None and self._last[0] is source:
            self._last = None
        if self.source is source:
            self.leave()

    def traffic(self) -> tuple[int, int]:
        """Requests to the stores of all sources so far, and bytes received."""
        counts = [source.traffic() for source in self.sources]
        return sum(requests for requests, _ in counts), sum(nbytes for _, nbytes in counts)

    def select(self, source: Source, node: NodeLike) -> None:
        """Make another node the current one."""
        self.source, self.node = source, node

    def leave(self) -> None:
        """Leave the current node."""
        self.source = self.node = None

    @property
    def place(self) -> tuple[int, str]:
        """The current node, by its source and path; an empty path without a node."""
        return id(self.source), "" if self.node is None else self.node.path

    def sibling(self, source: Source, path: str) -> tuple[ViewSettings, ArrayLike] | None:
        """The settings and the array of the image shown last, if it is another one of the same group as this one."""
        last = self._last
        is_sibling = last is not None and last[0] is source and _group(last[1]) == _group(path)
        return last[2:] if last is not None and is_sibling and last[1] != path else None

    def view_of(self, source: Source, path: str) -> ViewSettings | None:
        """The saved view settings of an array."""
        return self._views.get((id(source), path))

    def columns_of(self, source: Source, path: str) -> tuple[str, ...]:
        """The names of the arrays that the table of a group shows; empty for all of them."""
        return self._columns.get((id(source), path), ())

    def choose_columns(self, source: Source, path: str, names: tuple[str, ...]) -> None:
        """Save which arrays the table of a group shows; all of them without names."""
        if names:
            self._columns[id(source), path] = names
        else:
            self._columns.pop((id(source), path), None)

    def remember(self, source: Source, path: str, view: ViewSettings, array: ArrayLike) -> None:
        """Save the view settings of an image, whose finest level is an array."""
        self._views[id(source), path] = view
        self._last = (source, path, view, array)

    def viewed(self) -> list[tuple[Source, str]]:
        """The images that have view settings: their sources and paths."""
        known = {id(source): source for source in self.sources}
        return [(known[number], path) for number, path in self._views if number in known]

    def forget_views(self, source: Source, path: str) -> None:
        """Forget the view settings of a node and of everything below it: what they rest on has changed."""
        below = path.rstrip("/") + "/"
        for key in [key for key in self._views if key[0] == id(source)]:
            if key[1] == path or key[1].startswith(below):
                del self._views[key]

    def is_unpacked(self, source: Source, path: str) -> bool:
        """Whether the numbers of this array are unpacked, in all tabs, unless the user wants them as stored."""
        view = self.view_of(source, path)
        return (id(source), path) not in self._stored if view is None else view.elements.packing is not None

    def unpack(self, source: Source, path: str, *, is_on: bool) -> None:
        """Save whether numbers are unpacked, for arrays without view settings of an image."""
        (self._stored.discard if is_on else self._stored.add)((id(source), path))


def _group(path: str) -> str:
    return path.rpartition("/")[0]
