"""The panes of the window, one per tab, and the frame around them."""
