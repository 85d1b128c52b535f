"""Export of the displayed data to files, code and commands. Does not import Qt."""
