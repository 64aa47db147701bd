"""What bounds how much is open."""
from __future__ import annotations

import threading
from types import TracebackType
from typing import Optional

from perigee._errors import Refused


class Room:
    """Places for what is open at a time, so many of one kind; entered by `with`. Thread-safe.

    what -- for the message of the one that finds no place
    """

    def __init__(self, what: str, most: int) -> None:
        self._what = what
        self._most = most
        self._free = threading.Semaphore(most)

    def enter(self) -> None:
        """Takes a place; raises Refused where there is none."""
        if not self._free.acquire(blocking=False):
            raise Refused(f"{self._most} {self._what} are open already")

    def leave(self) -> None:
        self._free.release()

    def __enter__(self) -> Room:
        self.enter()
        return self

    def __exit__(self, kind: Optional[type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.leave()
