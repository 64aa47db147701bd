"""Answers what a server asks during a call."""
from __future__ import annotations

import threading
from typing import Any, Callable, Mapping, Optional

from perigee._errors import NoAnswer
from perigee._room import Room

#: A fleet publishes no more of one call.
_MOST = 100

Responses = Mapping[str, Any]
InputHandler = Callable[[dict[str, Any], threading.Event], Optional[Responses]]
RefusalHandler = Callable[[dict[str, Any], dict[str, Any]], None]


class Questions:
    """Questions of one call, repeats left out: each is the handler's on a daemon thread of its own, and what it responds is sent once. Thread-safe.

    handler, refused -- as on_input and on_input_refused of a request
    respond -- sends responses and returns their own answer
    failed -- is told on the question's thread what any of them raises before the end
    room -- has a place for each thread
    """

    def __init__(self, handler: InputHandler, refused: Optional[RefusalHandler], respond: Callable[[dict[str, Any], Responses], dict[str, Any]],
                 failed: Callable[[Exception], None], room: Room) -> None:
        self._handler = handler
        self._refused = refused
        self._respond = respond
        self._failed = failed
        self._room = room
        self._lock = threading.Lock()
        self._known: set[str] = set()
        self._ended = threading.Event()

    def take(self, question: dict[str, Any]) -> None:
        """Does not wait. Raises Refused where there is no room, RuntimeError where the system has no thread."""
        ident = question.get("input_id")
        with self._lock:
            if self._ended.is_set() or not isinstance(ident, str) or ident in self._known or len(self._known) >= _MOST:
                return
            self._room.enter()
            self._known.add(ident)
        try:
            threading.Thread(target=self._run, args=(question,), name="perigee-input", daemon=True).start()
        except RuntimeError:
            self._room.leave()
            raise

    def close(self) -> None:
        """The call has its answer, or is not waited for any more: handlers are told, and what they do from then on does not count."""
        self._ended.set()

    def _run(self, question: dict[str, Any]) -> None:
        try:
            self._answer(question)
        except Exception as failure:
            if not self._ended.is_set():
                self._failed(failure)
        finally:
            self._room.leave()

    def _answer(self, question: dict[str, Any]) -> None:
        responses = self._handler(question, self._ended)
        if responses is None or self._ended.is_set():
            return
        try:
            answer = self._respond(question, responses)
        except NoAnswer:
            return  # The question expires, and its call says so.
        if answer["outcome"] != "success" and self._refused is not None and not self._ended.is_set():
            self._refused(question, answer)
