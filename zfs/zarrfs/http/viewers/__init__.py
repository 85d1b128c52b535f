"""Viewers on the web that read Zarr v3: the node to open, and the links that open it."""
