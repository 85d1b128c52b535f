"""napari's reader, a plug-in that napari finds by the manifest ``napari.yaml``, and its layers for programs.

A reader returns layers as tuples of data, keywords and a kind. So napari itself is not imported here.
npe2's manifest: https://napari.org/stable/plugins/technical_references/manifest.html
"""

from zarrcore.interop.napari.reader import get_reader, read_layers

__all__ = ["get_reader", "read_layers"]
