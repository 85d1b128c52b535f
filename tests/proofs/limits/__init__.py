"""The limits of a machine: disk, file size, file numbers, descriptors, memory, interrupts, a process that is stopped.

A step succeeds, or fails with an error of ours, and then each value is the old or the new one. Without the limit, all works
again.
"""
