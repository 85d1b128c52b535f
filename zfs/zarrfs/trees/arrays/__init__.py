"""`arrays/`: groups and arrays as directories of virtual files."""
