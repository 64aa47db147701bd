"""Hands each answer to who waits for it."""
from __future__ import annotations

import json
import threading
import time
from typing import Any, Callable, Mapping, NamedTuple, Optional

from perigee._recent import LateAnswers, RecentIds

_EVENTS = 50_000
_MOST_LATE = 1_000
_MOST_LATE_BYTES = 16 << 20
_LATE_SECONDS = 600.0
_TOOL_RESULT = "perigee.tool.result"

Handler = Callable[[dict[str, Any]], None]


class CallEvent(NamedTuple):
    """What a call may have published while it runs."""

    handler: str  # the argument of call()
    accepts: str  # the word of the request's `accepts`
    type: str


CALL_EVENTS = (
    CallEvent("on_progress", "progress", "perigee.call.progress"),
    CallEvent("on_log", "log", "perigee.call.log"),
    CallEvent("on_input", "input", "perigee.call.input_required"),
    CallEvent("on_task", "task", "perigee.call.task"),
)


class Record(NamedTuple):
    """What the reader hands over of a record."""

    topic: str
    key: Optional[bytes]
    value: Optional[bytes]
    headers: Mapping[str, bytes]

    def header(self, name: str) -> Optional[str]:
        value = self.headers.get(name)
        return None if value is None else value.decode(errors="replace")


class Waiting:
    """One who waits for the answer under an id. Thread-safe."""

    def __init__(self, key: str, handlers: Mapping[str, Handler]) -> None:
        self.key = key
        self.handlers = handlers
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._answer: Optional[dict[str, Any]] = None
        self._failure: Optional[BaseException] = None

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    def complete(self, answer: dict[str, Any]) -> None:
        """Does nothing when it is over."""
        self._end(answer, None)

    def fail(self, failure: BaseException) -> None:
        """Does nothing when it is over."""
        self._end(None, failure)

    def _end(self, answer: Optional[dict[str, Any]], failure: Optional[BaseException]) -> None:
        with self._lock:
            if not self._over.is_set():
                self._answer, self._failure = answer, failure
                self._over.set()

    def result(self, deadline: float) -> Optional[dict[str, Any]]:
        """The answer; None when the deadline, by time.monotonic, passes first."""
        if not self._over.wait(max(0.0, deadline - time.monotonic())):
            return None
        if self._failure is not None:
            raise self._failure
        return self._answer


class Answers:
    """Those who wait, by what they wait for. The first answer counts: repeats, and what nobody waits for, are left out. Thread-safe.

    command_results -- the full name of that topic; what is read besides is of calls
    """

    def __init__(self, command_results: str) -> None:
        self._command_results = command_results
        self._lock = threading.Lock()
        self._waiting: dict[str, Waiting] = {}
        self._late = LateAnswers(_MOST_LATE, _MOST_LATE_BYTES, _LATE_SECONDS)
        self._events = RecentIds(_EVENTS)
        self._failure: Optional[BaseException] = None

    def expect(self, kind: str, ident: str, handlers: Mapping[str, Handler]) -> Waiting:
        """Waits for a command or a call; over at once when the answer came late to one who asked with that id before."""
        key = f"{kind} {ident}"
        waiting = Waiting(key, handlers)
        with self._lock:
            if key in self._waiting:
                raise ValueError(f"Somebody waits for the {key} already")
            late = self._late.take(key)
            if late is not None:
                waiting.complete(late)
            elif self._failure is not None:
                waiting.fail(self._failure)
            self._waiting[key] = waiting
        return waiting

    def forget(self, waiting: Waiting, may_come: bool) -> None:
        """may_come -- whether an answer may still come, for who asks again with the same id"""
        with self._lock:
            del self._waiting[waiting.key]
            if may_come:
                self._late.expect(waiting.key)

    def fail(self, failure: BaseException) -> None:
        """Ends all waits, and those to come."""
        with self._lock:
            self._failure = failure
            waiting = list(self._waiting.values())
        for each in waiting:
            each.fail(failure)

    def fail_one(self, kind: str, ident: str, failure: BaseException) -> None:
        """Ends the wait of one; does nothing where nobody waits."""
        with self._lock:
            waiting = self._waiting.get(f"{kind} {ident}")
        if waiting is not None:
            waiting.fail(failure)

    def take(self, record: Record) -> None:
        """Called on the reading thread, with each record in its partition's order."""
        if record.key is None or record.value is None:
            return
        ident = record.key.decode(errors="replace")
        if record.topic == self._command_results:
            self._complete(f"command {ident}", record.value)
            return
        kind = record.header("ce_type")
        if kind is None or kind == _TOOL_RESULT:
            self._complete(f"call {ident}", record.value)
        else:
            self._tell(f"call {ident}", kind, record)

    def _complete(self, key: str, value: bytes) -> None:
        with self._lock:
            waiting = self._waiting.get(key)
            if waiting is None and not self._late.expects(key):
                return  # Another backend's, or a repeat.
        result = _parsed(value)
        if result is None or not isinstance(result.get("outcome"), str) or result["outcome"] == "acknowledged":
            return
        with self._lock:
            waiting = self._waiting.get(key)
            if waiting is None:
                self._late.offer(key, result, len(value))
        if waiting is not None:
            waiting.complete(result)

    def _tell(self, key: str, kind: str, record: Record) -> None:
        with self._lock:
            waiting = self._waiting.get(key)
        handler = next((waiting.handlers.get(each.handler) for each in CALL_EVENTS if each.type == kind), None) if waiting else None
        if waiting is None or handler is None or waiting.is_over:
            return
        ident = record.header("ce_id")
        if ident is not None and not self._events.add(ident):
            return
        event = _parsed(record.value or b"")
        if event is None:
            return
        try:
            handler(event)
        except Exception as failure:  # What it raises ends the wait, not the reading.
            waiting.fail(failure)


def _parsed(value: bytes) -> Optional[dict[str, Any]]:
    """None for what is no object: it is not Perigee's, and whoever waits goes on waiting."""
    try:
        result = json.loads(value)
    except ValueError:
        return None
    except RecursionError:
        return None
    return result if isinstance(result, dict) else None
