"""The entries of the command palette."""
