"""Writers that are killed at each call that changes a file, before it or in the middle of it.

Afterwards each value is the old or the new one; what was reported stored is stored; ``zarrscope check`` finds nothing wrong;
a later writer leaves no temporary file that is older than a day.

A library in C (``killer.c``) is loaded before the C library, counts the calls, and kills the process at the chosen one. So the
system keeps what was written: this is the end of a process, not of a machine. The kernel ends a write that is killed between two
pages of the file, never within one, and so does this.
"""
