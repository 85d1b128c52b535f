"""Open sources, the current node, history, search and mounts. Without Qt."""
