"""Credentials for object storage, and the environment that they come from."""
