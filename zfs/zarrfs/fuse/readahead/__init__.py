"""Reading ahead of sequential readers."""
