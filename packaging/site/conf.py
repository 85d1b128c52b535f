"""The documentation site: the repository's documents as they are, and the library's reference from its docstrings."""

from __future__ import annotations

from importlib.metadata import version as distribution_version
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
autodoc_typehints = "description"
napoleon_google_docstring = True
napoleon_numpy_docstring = False

_CONTENTS: Final = """
```{toctree}
:hidden:
:caption: Use

core/docs/commands
zfs/MOUNT
zfs/SERVE
zfs/FSSPEC
browser/docs/guide
browser/docs/maps
browser/docs/volume
browser/docs/calculations
browser/docs/editing
browser/docs/bookmarks
core/docs/changing
core/docs/comparing
core/docs/library
core/docs/collections
core/docs/sources
core/docs/conventions
core/docs/zip
core/docs/hdf5_sources
core/docs/icechunk
core/docs/precomputed
core/docs/medical_images
core/docs/tiff_sources
core/docs/references
core/docs/xarray
core/docs/gis
core/docs/zarr_python
core/docs/jupyter
core/docs/napari
core/docs/clusters
core/docs/troubleshooting
```

```{toctree}
:hidden:
:caption: Reference

packaging/site/api
core/docs/formats
core/docs/filetypes
core/docs/store_options
zfs/SEMANTICS
zfs/HARNESS
core/docs/performance
core/docs/reliability
core/docs/security
core/docs/distance
```

```{toctree}
:hidden:
:caption: Develop

core/docs/development
core/docs/architecture
core/docs/extending
core/docs/decisions/README
core/docs/decisions/compiled_extension
core/docs/decisions/disk_cache
core/docs/decisions/fuse_transports
core/docs/decisions/hdf5_reader
core/docs/decisions/hdf5_writer
core/docs/decisions/png_writer
core/docs/decisions/tiff_writer
core/docs/decisions/zip
core/docs/changelog
```
"""


def setup(app: Sphinx) -> None:
    """Give the README a table of contents: GitHub would show it as a block of code."""
    app.connect("source-read", _add_contents)


def _add_contents(_: Sphinx, document: str, source: list[str]) -> None:
    if document == root_doc:
        source[0] += _CONTENTS
