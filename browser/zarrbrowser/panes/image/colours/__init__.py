"""The colour controls beside the picture."""
