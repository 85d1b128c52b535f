"""N5: its documents, parsed and written."""
