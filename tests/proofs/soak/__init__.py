"""A mount and a window in use for hours beside a store that changes: what they take must not grow."""
