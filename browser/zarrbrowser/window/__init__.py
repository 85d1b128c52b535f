"""The main window and its commands.

A new command is a line in `commands`.
"""
