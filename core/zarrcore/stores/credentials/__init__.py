"""Credentials for object storage, and the environment they come from."""
