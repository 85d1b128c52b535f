"""Work off the window's thread: requests with numbers, answers by queued signal, late ones dropped."""

from zarrbrowser.workers.lane import Lane
from zarrbrowser.workers.workers import Request, Workers

__all__ = ["Lane", "Request", "Workers"]
