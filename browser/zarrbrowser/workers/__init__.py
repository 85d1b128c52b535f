"""Work in threads: numbered requests, answers as signals, late answers dropped; garbage collection by the thread of the window."""

from zarrbrowser.workers.lane import Lane
from zarrbrowser.workers.workers import Request, Workers

__all__ = ["Lane", "Request", "Workers"]
