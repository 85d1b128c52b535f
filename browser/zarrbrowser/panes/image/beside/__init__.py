"""A second image beside the first one."""
