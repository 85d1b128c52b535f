"""Collections: a folder or bucket of several hierarchies, as one tree."""
