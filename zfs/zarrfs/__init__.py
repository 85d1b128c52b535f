"""A FUSE daemon that mounts a hierarchy: keys as files, arrays as raw, NumPy and image files."""
