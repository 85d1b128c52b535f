"""The trees of a mount as a file system of fsspec, without FUSE."""
