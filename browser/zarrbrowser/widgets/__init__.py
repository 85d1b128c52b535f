"""Building blocks of the panes; none of them knows where data comes from."""
