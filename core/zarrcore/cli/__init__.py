"""The command line: one command, ``zarrscope``; other packages add sub-commands through entry points."""
