"""One mount: its options, mount point, daemon and end."""
