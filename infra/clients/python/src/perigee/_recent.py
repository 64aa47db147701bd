"""What is known of ids that came."""
from __future__ import annotations

import time
from collections import OrderedDict
from typing import Any, Callable, Optional


class RecentIds:
    """The last so many ids that came, so that a repeat is known. For one thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._ids: OrderedDict[str, None] = OrderedDict()

    def add(self, ident: str) -> bool:
        """True the first time."""
        if ident in self._ids:
            return False
        self._ids[ident] = None
        if len(self._ids) > self._most:
            self._ids.popitem(last=False)
        return True


class _Kept:
    def __init__(self, until: float) -> None:
        self.until = until
        self.size = 0
        self.answer: Optional[dict[str, Any]] = None


class LateAnswers:
    """Answers to those who stopped waiting: a request with the id of one that was answered is not answered again.

    Bounded by count, bytes and seconds; the oldest goes first. For one thread at a time.
    """

    def __init__(self, most: int, most_bytes: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._clock = clock
        self._bytes = 0
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def expect(self, key: str) -> None:
        """Keeps the answer under that key when it comes."""
        self._drop(key)
        self._kept[key] = _Kept(self._clock() + self._seconds)
        self._trim()

    def expects(self, key: str) -> bool:
        return key in self._kept

    def offer(self, key: str, answer: dict[str, Any], size: int) -> None:
        """Has an answer of so many bytes."""
        kept = self._kept.get(key)
        if kept is not None and kept.answer is None:
            kept.answer, kept.size = answer, size
            self._bytes += size
            self._trim()

    def take(self, key: str) -> Optional[dict[str, Any]]:
        """The answer, which is forgotten; None when there is none."""
        self._trim()
        kept = self._kept.get(key)
        self._drop(key)
        return None if kept is None else kept.answer

    def _drop(self, key: str) -> None:
        kept = self._kept.pop(key, None)
        self._bytes -= 0 if kept is None else kept.size

    def _trim(self) -> None:
        while self._kept:
            key, oldest = next(iter(self._kept.items()))
            if len(self._kept) <= self._most and self._bytes <= self._most_bytes and oldest.until > self._clock():
                return
            self._drop(key)
