"""Export of the displayed data to files, code and commands. Without Qt."""
