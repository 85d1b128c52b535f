"""Work in threads: numbered requests, answers as signals, late answers dropped; garbage collection in the thread of Qt."""

from zarrbrowser.workers.lane import Lane
from zarrbrowser.workers.workers import Request, Workers

__all__ = ["Lane", "Request", "Workers"]
