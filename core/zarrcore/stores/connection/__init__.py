"""Connections of all remote stores: clients, failures, and when a request is repeated."""
