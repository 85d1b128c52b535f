"""Tools over the picture: chunks, labels, measuring, the pointer."""
