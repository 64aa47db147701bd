"""Follows what servers do."""
from __future__ import annotations

import json
import time
from types import TracebackType
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Optional

from perigee import _kafka
from perigee._recent import RecentIds

_TOPICS = ("status", "lifecycle", "logs", "request-logs", "server-events", "tools", "catalog", "usage")
_REMEMBERED = 50_000
_POLL_SECONDS = 0.5


class Followed(NamedTuple):
    """A record of one of the topics.

    topic -- without the prefix: status, lifecycle, logs, request-logs, server-events, tools, catalog or usage
    event -- None: the instance was uninstalled
    """

    topic: str
    process_id: str
    event: Optional[dict[str, Any]]


class EventFeed:
    """Events of servers, those of one process in order.

    One that is repeated comes once: of the last 50,000 the ids are known. An iterator for one thread; another may close it. What it does not
    read stays at the brokers.
    """

    def __init__(self, settings: Mapping[str, Any], prefix: str, topics: Iterable[str], start: _kafka.Start) -> None:
        wanted = list(topics)
        unknown = next((topic for topic in wanted if topic not in _TOPICS), None)
        if not wanted or unknown is not None:
            raise ValueError(f"Events are on {', '.join(_TOPICS)}, not on {unknown or 'nothing'}")
        self._prefix = prefix
        self._ids = RecentIds(_REMEMBERED)
        self._closed = False
        self._ended = False
        refusal = _kafka.Refusal()
        self._consumer = _kafka.consumer(settings, refusal)
        try:
            places = _kafka.place(self._consumer, refusal, {prefix + topic: None for topic in wanted}, start)
        except BaseException:
            self._consumer.close()
            raise
        self._positions = {f"{each.topic}-{each.partition}": each.offset for each in places}

    @property
    def positions(self) -> dict[str, int]:
        """The next offset of each partition behind what was handed out. Kept by the backend, and given as `start`, they go on where it was."""
        return dict(self._positions)

    def get(self, timeout: float) -> Optional[Followed]:
        """Waits at most so many seconds for the next one; None when there is none. A broker that is away is waited for."""
        until = time.monotonic() + timeout
        while not self._closed:
            message = self._consumer.poll(min(_POLL_SECONDS, max(0.0, until - time.monotonic())))
            if message is not None and message.error() is None:
                followed = self._taken(_kafka.record(message))
                self._positions[f"{message.topic()}-{message.partition()}"] = message.offset() + 1
                if followed is not None:
                    return followed
            elif message is None and time.monotonic() >= until:
                return None
        self._end()
        return None

    def __iter__(self) -> Iterator[Followed]:
        return self

    def __next__(self) -> Followed:
        while not self._closed:
            followed = self.get(_POLL_SECONDS)
            if followed is not None:
                return followed
        self._end()
        raise StopIteration

    def close(self) -> None:
        """Ends the iteration, and the consumer when the iterating thread sees it."""
        self._closed = True

    def __enter__(self) -> EventFeed:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()
        self._end()

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._consumer.close()

    def _taken(self, record: _kafka.Record) -> Optional[Followed]:
        ident = record.header("ce_id")
        if ident is not None and not self._ids.add(ident):
            return None
        process_id = (record.key or b"").decode(errors="replace")
        topic = record.topic[len(self._prefix):]
        if record.value is None:
            return Followed(topic, process_id, None)
        try:
            event = json.loads(record.value)
        except (ValueError, RecursionError):
            return None  # Another program's.
        if not isinstance(event, dict):
            return None
        named = event.get("process_id")
        return Followed(topic, named if isinstance(named, str) else process_id, event)
