"""The documentation site: the repository's documents as they are, and the library's reference from its docstrings."""

from __future__ import annotations

import ast
from importlib.metadata import version as distribution_version
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx

project = "zarrscope"
release = distribution_version("zarrscope")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
include_patterns = [
    "README.md",
    "core/docs/**",
    "zfs/*.md",
    "zfs/docs/**",
    "browser/docs/**",
    "packaging/site/*.md",
]
html_theme = "furo"
html_title = "zarrscope"
html_extra_path = ["index.html"]
html_copy_source = False

# Anchors are those of GitHub, where the documents are read as well.
myst_heading_anchors = 4
default_role = "literal"
highlight_language = "text"

autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    "undoc-members": True,
    # What zarrcore's classes inherit from one another is described with each of them; what others give them is not.
    "inherited-members": "Exception, OSError, Enum, str, object, BackendEntrypoint",
}
autodoc_typehints = "description"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # an attribute that a class describes in its docstring is also a member

# Many classes have attributes of the same name. Sphinx warns that it cannot choose one; no link is broken.
suppress_warnings = ["ref.python"]

_ROOT: Final = Path(__file__).parents[2]
_PACKAGES: Final = ("core/zarrcore", "core/zarrscope", "zfs/zarrfs", "browser/zarrbrowser")
_ARCHITECTURE: Final = "core/docs/architecture"

_CONTENTS: Final = """
```{toctree}
:hidden:
:caption: Start

core/docs/install
core/docs/getting_started
core/docs/other_tools
core/docs/troubleshooting
```

```{toctree}
:hidden:
:caption: How to mount

zfs/MOUNT
zfs/SERVE
zfs/FSSPEC
core/docs/clusters
```

```{toctree}
:hidden:
:caption: How to look

browser/docs/gallery
browser/docs/guide
browser/docs/tables
browser/docs/maps
browser/docs/volume
browser/docs/beside
browser/docs/calculations
browser/docs/editing
browser/docs/bookmarks
```

```{toctree}
:hidden:
:caption: How to read and write

core/docs/library
core/docs/changing
core/docs/comparing
core/docs/collections
core/docs/zip
core/docs/xarray
core/docs/zarr_python
core/docs/jupyter
core/docs/napari
core/docs/gis
core/docs/pytorch
core/docs/catalogues
```

```{toctree}
:hidden:
:caption: How to open

core/docs/sources
core/docs/hdf5_sources
core/docs/tiff_sources
core/docs/medical_images
core/docs/icechunk
core/docs/precomputed
core/docs/references
core/docs/conventions
```

```{toctree}
:hidden:
:caption: Reference

core/docs/commands
core/docs/json
packaging/site/api
core/docs/store_options
core/docs/formats
core/docs/filetypes
zfs/SEMANTICS
core/docs/performance
core/docs/distance
core/docs/reliability
core/docs/security
```

```{toctree}
:hidden:
:caption: Develop

core/docs/development
core/docs/architecture
core/docs/threads
core/docs/extending
core/docs/decisions/README
core/docs/decisions/asyncio
core/docs/decisions/compiled_extension
core/docs/decisions/disk_cache
core/docs/decisions/fuse_transports
core/docs/decisions/hdf5_reader
core/docs/decisions/hdf5_writer
core/docs/decisions/http_reader
core/docs/decisions/png_writer
core/docs/decisions/tiff_writer
core/docs/decisions/zip
core/docs/records/README
core/docs/records/benchmarks
core/docs/records/clusters
core/docs/records/corpora
core/docs/records/harnesses
core/docs/records/proofs
core/docs/changelog
```
"""


def setup(app: Sphinx) -> None:
    """Add what only the site has: the table of contents, which GitHub would show as a block of code, and that of the folders."""
    app.connect("source-read", _add_contents)


def _add_contents(_: Sphinx, document: str, source: list[str]) -> None:
    if document == root_doc:
        source[0] += _CONTENTS
    if document == _ARCHITECTURE:
        source[0] += f"\n## Folders\n\n{_folders()}"


def _folders() -> str:
    """One table for each package, one line for each folder: the first line of its docstring."""
    tables = []
    for top in _PACKAGES:
        rows = ["| Folder | What is in it |", "|---|---|"]
        for module in sorted((_ROOT / top).rglob("__init__.py")):
            docstring = ast.get_docstring(ast.parse(module.read_text("utf-8"))) or ""
            name = module.parent.relative_to((_ROOT / top).parent).as_posix()
            rows.append(f"| `{name}/` | {docstring.partition(chr(10))[0]} |")
        tables.append("\n".join(rows) + "\n")
    return "\n".join(tables)
