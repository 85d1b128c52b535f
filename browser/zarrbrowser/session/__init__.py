"""Open sources, the current node, history, search and mounts. Does not import Qt."""
