"""Nodes as the browser uses and describes them. Without Qt."""
