"""Files that can be written: spooled bytes, array elements, new arrays."""
