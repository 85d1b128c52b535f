"""A desktop browser for Zarr hierarchies: tree, metadata, pictures of slices; never blocked."""
