"""The left side of the window: the tree and the search."""
