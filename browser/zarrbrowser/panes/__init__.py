"""The tabs of a node, one pane each."""
