"""The tabs of a node, one pane each.

A new pane is a module with a `Pane`, and a line in `registry`.
"""
