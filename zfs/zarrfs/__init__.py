"""A FUSE daemon that mounts a Zarr hierarchy: keys appear as files, arrays as raw, NumPy and image files."""
