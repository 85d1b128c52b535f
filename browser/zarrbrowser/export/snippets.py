"""The displayed array as code, as a command, and as a path in a mount."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pprint import pformat
from typing import Any
from urllib.parse import urlsplit

from zarrbrowser.export.viewed_array import Selection, selection_text
from zarrbrowser.nodes.protocols import NodeLike, is_array
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import Source
from zarrcore.stores import ZIP_SUFFIXES

_CLOUDS = ("s3", "gs", "az")


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a node, in terms that other programs understand."""

    url: str
    """The URL of the store."""
    path: str
    """The path of the node in the store, ``/`` for the root."""
    format: str
    """The name of the hierarchy's format."""
    connection: Connection
    told_format: str | None = None
    """The format that the user chose; None if it was detected."""
    is_translated: bool = False
    """Whether the source is something else that only zarrcore shows as Zarr, such as an HDF5 file."""

    @classmethod
    def of(cls, source: Source, node: NodeLike) -> Place:
        """The location of a node; in a collection, within its own hierarchy."""
        hierarchy: Any = getattr(node, "hierarchy", source.hierarchy)
        within = getattr(hierarchy, "within", lambda path: path)
        format_name = source.request.format if hierarchy is source.hierarchy else None
        connection = Connection.of(source.request.options)
        is_translated = bool(getattr(getattr(hierarchy, "store", None), "presents", ""))
        inside = within(node.path)
        return cls(hierarchy.url, inside, hierarchy.format.name, connection, format_name, is_translated)

    @property
    def scheme(self) -> str:
        """The URL's scheme; empty for a path."""
        return urlsplit(self.url).scheme if "://" in self.url else ""

    @property
    def is_zip(self) -> bool:
        """Whether the store is a zip file."""
        return self.location.endswith(ZIP_SUFFIXES)

    @property
    def location(self) -> str:
        """The path of the store on its server or on this machine."""
        return urlsplit(self.url).path if self.scheme else self.url

    @property
    def joined(self) -> str:
        """URL and path as one."""
        return self.url.rstrip("/") + self.path.rstrip("/")


def zarrcore_code(place: Place, selection: Selection | None) -> str:
    """Python that reads with zarrcore."""
    lines = ["import zarrcore", "", *_opened(place)]
    return "\n".join([*lines, *_values("node", selection)]) + "\n"


def xarray_code(place: Place, name: str, selection: Selection | None) -> str:
    """Python that reads with xarray, through zarrscope's own engine; values are decoded as xarray does.

    An array is taken from the dataset of its group: opened alone, it would have no coordinates.

    Args:
        name: that of the array; empty for a root.
    """
    options = {"format": place.told_format} if place.told_format else {}
    options |= _options(place.connection)
    words = f", storage_options={options!r}" if options else ""
    group = place.path if selection is None else place.path.rpartition("/")[0] or "/"
    lines = [
        "import xarray",
        "",
        f"dataset = xarray.open_dataset({place.url!r}, engine='zarrscope', group={group!r}{words})",
    ]
    if selection is not None:
        lines.append(f"values = dataset[{name or 'array'!r}]{_brackets(selection)}.values")
    return "\n".join(lines) + "\n"


def dask_code(place: Place, selection: Selection | None) -> str | None:
    """Python that reads with Dask, one task for each chunk; None for groups."""
    if selection is None:
        return None
    lines = [
        "import dask.array",
        "import zarrcore",
        "",
        *_opened(place),
        "array = dask.array.from_array(node, chunks=node.chunk_shape, name=False)",
        f"values = array{_brackets(selection)}.compute()",
    ]
    return "\n".join(lines) + "\n"


def _opened(place: Place) -> list[str]:
    """Lines that open a node with zarrcore."""
    options = {"format": place.told_format, **_options(place.connection)}
    words = "".join(f", {name}={value!r}" for name, value in options.items() if value)
    return [f"hierarchy = zarrcore.open_hierarchy({place.url!r}{words})", f"node = hierarchy[{place.path!r}]"]


def _options(connection: Connection) -> dict[str, Any]:
    """The store options that differ from the defaults."""
    options = {
        "endpoint_url": connection.endpoint_url,
        "region": connection.region,
        "profile": connection.profile,
        "anonymous": connection.anonymous,
        "requester_pays": connection.requester_pays,
    }
    return {name: value for name, value in options.items() if value}


def zarr_code(place: Place, selection: Selection | None) -> str | None:
    """Python that reads with zarr-python; None if zarr-python cannot read it."""
    if place.format not in ("v2", "v3") or place.is_translated:
        return None
    version = place.format[1]
    inside = place.path.strip("/")
    imports, store = ["import zarr"], repr(place.url)
    if place.is_zip:
        if place.scheme:
            return None
        store = f"zarr.storage.ZipStore({place.url!r}, mode='r')"
    elif place.scheme in (*_CLOUDS, "http", "https"):
        imports = ["import obstore.store", "import zarr"]
        store = f"zarr.storage.ObjectStore(\n    obstore.store.from_url({place.url!r}{_obstore_words(place)}), read_only=True\n)"
    elif place.scheme:
        return None
    lines = [
        *imports,
        "",
        f"store = {store}",
        f"node = zarr.open(store, mode='r', path={inside!r}, zarr_format={version})",
    ]
    return "\n".join([*lines, *_values("node", selection)]) + "\n"


def tensorstore_code(place: Place, selection: Selection | None) -> str | None:
    """Python that reads with TensorStore; None for groups and for arrays that TensorStore cannot read."""
    driver = {"v2": "zarr", "v3": "zarr3", "n5": "n5"}.get(place.format)
    kvstore = _kvstore(place)
    if driver is None or kvstore is None or selection is None or place.is_translated:
        return None
    spec = pformat({"driver": driver, "kvstore": kvstore}, sort_dicts=False, width=96)
    turned = ".T" if driver == "n5" else ""  # axes in the usual order, the slowest first
    lines = [
        "import tensorstore as ts",
        "",
        f"spec = {spec}",
        f"array = ts.open(spec, read=True).result(){turned}",
    ]
    brackets = _brackets(selection)
    return "\n".join([*lines, f"values = array{brackets}.read().result()"]) + "\n"


def command(place: Place, node: NodeLike, selection: Selection | None) -> str:
    """The `zarrscope` command that shows the same: the elements of an array, or the children of a group."""
    words = ["zarrscope", "cat" if is_array(node) else "tree", place.url, place.path]
    if selection and any(part != slice(None) for part in selection):
        words += ["--select", selection_text(selection).replace(" ", "")]
    if is_array(node):
        words += ["--output", f"{node.name or 'array'}.npy"]
    words += ["--format", place.told_format] if place.told_format else []
    words += place.connection.words()
    return shlex.join(words) + "\n"


def _values(name: str, selection: Selection | None) -> list[str]:
    return [] if selection is None else [f"values = {name}{_brackets(selection)}"]


def _brackets(selection: Selection) -> str:
    return f"[{selection_text(selection)}]"


def _obstore_words(place: Place) -> str:
    connection, words = place.connection, {}
    if place.scheme == "s3":
        words = {
            "endpoint": connection.endpoint_url,
            "region": connection.region,
            "request_payer": connection.requester_pays,
        }
    elif place.scheme == "az":
        words = {"endpoint": connection.endpoint_url}
    if place.scheme in _CLOUDS:
        words["skip_signature"] = connection.anonymous
    text = "".join(f", {name}={value!r}" for name, value in words.items() if value)
    plain = connection.endpoint_url.startswith("http://") or place.scheme == "http"
    return text + (", client_options={'allow_http': True}" if plain else "")


def _kvstore(place: Place) -> dict[str, Any] | None:
    inside = place.path.strip("/")
    if place.is_zip:
        file = _kvstore_at(place, place.location)
        return file and {"driver": "zip", "base": file, "path": f"{inside}/" if inside else ""}
    return _kvstore_at(place, "/".join(part for part in (place.location.rstrip("/"), inside) if part) + "/")


def _kvstore_at(place: Place, path: str) -> dict[str, Any] | None:
    """The file or folder at a path of the place's server or machine."""
    parts, connection = urlsplit(place.url), place.connection
    if not place.scheme:
        return {"driver": "file", "path": path}
    if place.scheme == "s3":
        found: dict[str, Any] = {"driver": "s3", "bucket": parts.netloc, "path": path.lstrip("/")}
        named = {
            "endpoint": connection.endpoint_url,
            "aws_region": connection.region,
            "requester_pays": connection.requester_pays,
        }
        found |= {name: value for name, value in named.items() if value}
        if connection.anonymous:
            found["aws_credentials"] = {"type": "anonymous"}
        elif connection.profile:
            found["aws_credentials"] = {"type": "profile", "profile": connection.profile}
        return found
    if place.scheme == "gs":
        return {"driver": "gcs", "bucket": parts.netloc, "path": path.lstrip("/")}
    if place.scheme in ("http", "https"):
        return {"driver": "http", "base_url": f"{parts.scheme}://{parts.netloc}", "path": path}
    return None
