"""Answers: the bytes of files, listings of directories, and the properties of both."""
