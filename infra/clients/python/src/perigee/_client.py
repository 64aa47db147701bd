"""A client that waits for what becomes of its commands and calls."""
from __future__ import annotations

import json
import threading
import time
import uuid
from datetime import datetime, timedelta, timezone
from types import TracebackType
from typing import Any, Iterable, Mapping, NamedTuple, Optional

from confluent_kafka import KafkaError, KafkaException, Message

from perigee import _kafka
from perigee._answers import CALL_EVENTS, Answers, Handler, Waiting
from perigee._errors import NoAnswer, Refused, Unreachable, explained, of_exception
from perigee._feed import EventFeed
from perigee._questions import InputHandler, Questions, RefusalHandler, Responses
from perigee._room import Room

_POLL_SECONDS = 0.2
_MARGIN_SECONDS = 5.0
_CLOSE_SECONDS = 5.0
_EXTENDED_SECONDS = 3_600.0
_LONGEST_INPUT_SECONDS = 3_600.0
_LONGEST_SECONDS = 86_400.0
_MOST_OPEN = 10_000
_LONGEST_ID = 200


class ReplyTopic(NamedTuple):
    """A topic of the backend's own for the answers to its calls. It must exist and match the gateways' replies.allowed-topics.

    topic -- full name, with its prefix
    partition -- of this instance of the backend, where several share the topic; None reads all
    """

    topic: str
    partition: Optional[int] = None


class _Sending:
    """A record on its way; sent again while the broker does not acknowledge it and somebody waits."""

    def __init__(self, waiting: Waiting, deadline: float) -> None:
        self.waiting = waiting
        self.deadline = deadline
        self.began = False


class Client:
    """Sends commands and tool requests and waits for their terminal results.

    Any number of threads may call at once, up to 10,000 open at a time, and as many questions of servers that are being answered. One for a
    program: it has a producer, a consumer and a thread, and one more for each such question. It needs no consumer group.

    The first answer to a request counts; repeats of it, and events that come twice, are left out. A broker that is away is waited for until the
    deadline, and what it did not acknowledge is sent again, under the same id, so that it runs once.
    """

    def __init__(self, bootstrap: str, prefix: str = "mcp.", replies: Optional[ReplyTopic] = None, call_events: bool = False,
                 kafka: Optional[Mapping[str, Any]] = None) -> None:
        """Connects, and reads answers from then on. Raises Unreachable when no broker answers within ten seconds, Refused when a topic is missing.

        bootstrap -- brokers, HOST:PORT with commas between
        prefix -- what names of topics begin with
        replies -- where answers to calls come, instead of tool-results with everybody's
        call_events -- reads events of calls, for on_progress, on_log, on_input and on_task; not needed with replies, since they come there, too
        kafka -- settings of librdkafka, such as security.protocol; what the guarantees rest on stays as it is
        """
        self._settings = {**(kafka or {}), "bootstrap.servers": bootstrap}
        self._prefix = prefix
        self._replies = replies
        self._has_events = call_events or replies is not None
        self._answers = Answers(prefix + "command-results")
        self._closed = threading.Event()
        self._room = Room("commands and calls", _MOST_OPEN)
        self._question_room = Room("questions", _MOST_OPEN)
        # Of responses: all other room may be of the calls that wait for them.
        self._response_room = Room("responses", _MOST_OPEN)
        refusal = _kafka.Refusal()
        self._consumer = _kafka.consumer(self._settings, refusal)
        read: dict[str, Optional[int]] = {prefix + "command-results": None}
        read.update({prefix + "tool-results": None} if replies is None else {replies.topic: replies.partition})
        if call_events and replies is None:
            read[prefix + "call-events"] = None
        try:
            _kafka.place(self._consumer, refusal, read, "end", [prefix + "commands", prefix + "tool-requests"])
        except BaseException:
            self._consumer.close()
            raise
        self._producer = _kafka.producer(self._settings)
        self._reader = threading.Thread(target=self._read, name="perigee-client", daemon=True)
        self._reader.start()

    def configure(self, config: Mapping[str, Any], timeout: float = 60.0, command_id: Optional[str] = None) -> dict[str, Any]:
        """Installs a server, or changes it, and waits; the result's result.resulting_status says what it is then. Raises what command raises.

        config -- the fields of an installation, team_id and user_id among them
        """
        payload = {"event": "mcp_installation_created", "config": dict(config)}
        return self.command("configure", config["team_id"], config["user_id"], payload, timeout, command_id)

    def command(self, command_type: str, team_id: str, user_id: str, payload: Mapping[str, Any], timeout: float = 60.0,
                command_id: Optional[str] = None, priority: Optional[str] = None, correlation_id: Optional[str] = None) -> dict[str, Any]:
        """Sends a command and returns its terminal result: completed, failed, expired or rejected.

        Raises NoAnswer, Unreachable, Refused; ValueError for an id that is none or that another thread waits for.

        user_id -- "*" for every user of the team: one result comes for all
        timeout -- seconds until it expires, and until NoAnswer, a day at most
        command_id -- of a command that may have been sent before, within 24 hours: it does not run a second time
        """
        ident = command_id or str(uuid.uuid4())
        key = _key(team_id, user_id, maybe_all=True)
        now = datetime.now(timezone.utc)
        user = {} if user_id == "*" else {"user_id": user_id}
        return self._ask("command", "commands", key, ident, _checked(timeout), {
            "id": ident,
            "command_type": command_type,
            "priority": priority,
            "correlation_id": correlation_id,
            "issued_at": _timestamp(now),
            "expires_at": _timestamp(now + timedelta(seconds=timeout)),
            "payload": {"team_id": team_id, **user, **payload},
        })

    def call(self, team_id: str, user_id: str, tool_path: str, arguments: Optional[Mapping[str, Any]] = None, timeout: float = 30.0,
             request_id: Optional[str] = None, **options: Any) -> dict[str, Any]:
        """Calls a tool and returns its one answer, whose outcome is success, tool_error or failed. Raises what request raises.

        tool_path -- SERVER_SLUG:TOOL
        timeout, request_id, options -- as of request
        """
        fields = {"tool_path": tool_path, "arguments": dict(arguments or {})}
        return self.request("tools/call", team_id, user_id, fields, timeout, request_id, **options)

    def tools(self, team_id: str, user_id: str, timeout: float = 30.0) -> dict[str, Any]:
        """The user's tools, in `result`; timeout and errors as of request."""
        return self.request("tools/list", team_id, user_id, {}, timeout)

    def request(self, method: str, team_id: str, user_id: str, fields: Optional[Mapping[str, Any]] = None, timeout: float = 30.0,
                request_id: Optional[str] = None, *, installation_id: Optional[str] = None, on_progress: Optional[Handler] = None,
                on_log: Optional[Handler] = None, log_level: Optional[str] = None, extend_on_progress: Optional[float] = None,
                max_timeout: Optional[float] = None, on_input: Optional[InputHandler] = None, on_input_refused: Optional[RefusalHandler] = None,
                input_timeout: Optional[float] = None, longest_input: float = _LONGEST_INPUT_SECONDS, on_task: Optional[Handler] = None,
                meta: Optional[Mapping[str, Any]] = None, traceparent: Optional[str] = None) -> dict[str, Any]:
        """Sends any request but a cancellation and returns its one terminal answer, whatever it is.

        Raises NoAnswer, Unreachable, Refused; ValueError for an id that is none or that another thread waits for.

        method -- tools/call, tools/list, tools/search, resources/list, resources/templates/list,
            resources/read, resources/subscribe, resources/unsubscribe, prompts/list,
            prompts/get, completion/complete, tasks/get, tasks/list or tasks/cancel
        fields -- tool_path, arguments, query, limit
        timeout -- seconds that the fleet has from the record's append, a day at most; NoAnswer comes five seconds later, and with on_input by longest_input
        request_id -- of a request that may have been sent before, within ten minutes: it does not run a second time
        installation_id -- where the user has two installations of one server
        on_progress -- gets the progress of the running call, each event once, until the answer, in the server's order, which a reply topic may
                       not keep; called on the reading thread, so it must not wait; what it raises ends the wait and comes out of here
        on_log -- the same of what the server logs meanwhile
        on_task -- has the call run as a task where its server can, and gets the task's states (the event perigee.call.task) like progress
        log_level -- the least level of messages; all that the server sends without it
        extend_on_progress -- each progress moves the deadline to so many seconds from then
        max_timeout -- seconds from the record's append that the deadline moves at most, an hour unless it is given
        on_input -- called with each question of the server (the event perigee.call.input_required) and a threading.Event, once, on a thread of its own;
                    several at a time and 100 in all. Returns one response for each of the question's requests, under the same name, 1 MiB at most;
                    None leaves the question to another's respond, or to its expiry, by which the call ends with input_timeout. It may take its
                    time, since the call's deadline stands still. The Event is set when the call has its answer or is not waited for any more: it
                    should return then, and what it returns is not sent. What it raises ends the wait and comes out of here
        on_input_refused -- called on that thread with the question and the answer to responses that do not count, such as because others were
                            sooner, or because they are not what was asked for; nothing is sent again; what it raises ends the wait, too
        input_timeout -- seconds that a question may wait, five minutes unless it is given; needs on_input
        longest_input -- seconds that all questions of the call may wait together, which is what the gateways' request.longest-input allows
        meta -- becomes part of _meta of the MCP request, 16 KiB at most
        traceparent -- W3C trace context, which is passed through
        """
        ident = request_id or str(uuid.uuid4())
        questions = None if on_input is None else self._questions(ident, on_input, on_input_refused)
        given = {"on_progress": on_progress, "on_log": on_log, "on_input": None if questions is None else questions.take, "on_task": on_task}
        handlers = {name: each for name, each in given.items() if each is not None}
        if handlers and not self._has_events:
            raise ValueError("Events of calls are read by a client that was made with call_events or replies")
        accepts = [each.accepts for each in CALL_EVENTS if each.handler in handlers]
        if extend_on_progress is not None and "progress" not in accepts:
            accepts.append("progress")
        longest = timeout if extend_on_progress is None else max(timeout, max_timeout or _EXTENDED_SECONDS)
        wait = _checked(longest) + (0.0 if questions is None else _checked(longest_input)) + _MARGIN_SECONDS
        value = {
            "request_id": ident,
            "team_id": team_id,
            "user_id": user_id,
            "method": method,
            "installation_id": installation_id,
            **(fields or {}),
            "timeout_ms": _milliseconds(_checked(timeout)),
            "accepts": accepts or None,
            "log_level": log_level,
            "extend_on_progress_ms": _milliseconds(extend_on_progress),
            "max_timeout_ms": _milliseconds(max_timeout),
            "input_timeout_ms": _milliseconds(input_timeout),
            "meta": meta,
        }
        try:
            return self._ask("call", "tool-requests", _key(team_id, user_id), ident, wait, value, handlers, self._reply_headers(traceparent))
        finally:
            if questions is not None:
                questions.close()

    def respond(self, question: Mapping[str, Any], responses: Responses, timeout: float = 30.0, request_id: Optional[str] = None) -> dict[str, Any]:
        """Answers a question of a running call, whoever waits for that; a call with on_input does it by itself.

        Returns the responses' own answer: success, or failed with invalid_request and the reason, such as that it was answered before. Raises NoAnswer,
        Unreachable, Refused; ValueError for a question that is none.

        question -- the event perigee.call.input_required
        responses -- one for each of the question's requests, under the same name; 1 MiB at most
        timeout -- seconds that they may be on their way, a day at most; NoAnswer comes five seconds later
        request_id -- of responses that may have been sent before, within ten minutes
        """
        ident = request_id or f"input-{uuid.uuid4()}"
        team_id, user_id, call, input_id = (question.get(name, "") for name in ("team_id", "user_id", "request_id", "input_id"))
        return self._ask("call", "tool-requests", _key(team_id, user_id), ident, _checked(timeout) + _MARGIN_SECONDS, {
            "request_id": ident,
            "team_id": team_id,
            "user_id": user_id,
            "method": "call/respond",
            "in_reply_to": call,
            "input_id": input_id,
            "responses": responses,
            "timeout_ms": _milliseconds(timeout),
        }, None, self._reply_headers(None), self._response_room)

    def cancel(self, team_id: str, user_id: str, request_id: str) -> None:
        """Asks for the end of a call, whoever sent it; returns before the broker has that. The call's own answer says what became of it."""
        value = {"request_id": request_id, "team_id": team_id, "user_id": user_id, "method": "cancel"}
        self._produce("tool-requests", _key(team_id, user_id), value, {}, None)

    def follow(self, topics: Iterable[str], start: _kafka.Start = "end") -> EventFeed:
        """Events of servers, each once. Raises Unreachable and Refused; the feed is closed by itself.

        topics -- of status, lifecycle, logs, request-logs, server-events, tools, catalog and usage
        start -- "end": what comes from now on; "beginning": all that is kept; a datetime: from then on; or a feed's positions
        """
        return EventFeed(self._settings, self._prefix, topics, start)

    def close(self) -> None:
        """Ends it, after what is being sent, five seconds at most. Who still waits gets Unreachable."""
        if not self._closed.is_set():
            self._closed.set()
            self._answers.fail(Unreachable("The client was closed", may_have_run=True))
            self._producer.flush(_CLOSE_SECONDS)
            self._reader.join(_CLOSE_SECONDS)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def _questions(self, ident: str, handler: InputHandler, refused: Optional[RefusalHandler]) -> Questions:
        return Questions(handler, refused, self.respond, lambda failure: self._answers.fail_one("call", ident, failure), self._question_room)

    def _reply_headers(self, traceparent: Optional[str]) -> dict[str, bytes]:
        headers = {} if traceparent is None else {"traceparent": traceparent.encode()}
        if self._replies is not None:
            headers["kafka_replyTopic"] = self._replies.topic.encode()
            if self._replies.partition is not None:
                headers["kafka_replyPartition"] = self._replies.partition.to_bytes(4, "big")
        return headers

    def _ask(self, kind: str, topic: str, key: str, ident: str, timeout: float, value: Mapping[str, Any],
             handlers: Optional[Mapping[str, Handler]] = None, headers: Optional[Mapping[str, bytes]] = None,
             room: Optional[Room] = None) -> dict[str, Any]:
        if self._closed.is_set():
            raise Unreachable("The client was closed")
        with room or self._room:
            return self._answer(topic, key, self._answers.expect(kind, ident, handlers or {}), timeout, value, headers or {})

    def _answer(self, topic: str, key: str, waiting: Waiting, timeout: float, value: Mapping[str, Any], headers: Mapping[str, bytes]) -> dict[str, Any]:
        sending = _Sending(waiting, time.monotonic() + timeout)
        may_come = True
        try:
            if not waiting.is_over:
                self._produce(topic, key, value, headers, sending)
            answer = waiting.result(sending.deadline)
            if answer is None:
                missing = self._missing(waiting.key, sending)
                answer = waiting.result(time.monotonic())  # It may have come meanwhile.
                if answer is None:
                    raise missing
            may_come = False
            return answer
        finally:
            self._answers.forget(waiting, may_come and sending.began)

    def _produce(self, topic: str, key: str, value: Mapping[str, Any], headers: Mapping[str, bytes], sending: Optional[_Sending]) -> None:
        data = json.dumps({name: each for name, each in value.items() if each is not None}).encode()

        def send() -> None:
            if sending is not None:
                sending.began = True
            self._producer.produce(self._prefix + topic, key=key, value=data, headers=list(headers.items()), on_delivery=acknowledged)

        def acknowledged(error: Optional[KafkaError], _: Message) -> None:
            if error is None or sending is None:
                return
            why = explained(error, may_have_run=True)
            if isinstance(why, Refused) or sending.waiting.is_over or time.monotonic() > sending.deadline or self._closed.is_set():
                sending.waiting.fail(why)
            else:
                try:
                    send()
                except (BufferError, KafkaException):
                    sending.waiting.fail(why)

        try:
            send()
        except BufferError:
            raise Refused("Too much waits for the broker already") from None
        except KafkaException as failure:
            raise of_exception(failure) from None
        self._producer.poll(0)

    def _missing(self, what: str, sending: _Sending) -> Exception:
        """Whether a broker answers decides what it is called."""
        try:
            self._producer.list_topics(self._prefix + "tool-requests", timeout=_kafka.PATIENCE_SECONDS)
        except KafkaException as failure:
            return explained(failure.args[0], may_have_run=sending.began)
        return NoAnswer(f"No result of {what} in time", sending.began)

    def _read(self) -> None:
        try:
            while not self._closed.is_set():
                self._producer.poll(0)
                message = self._consumer.poll(_POLL_SECONDS)
                # Errors are of brokers that are away, which the library waits for.
                if message is not None and message.error() is None:
                    self._answers.take(_kafka.record(message))
        except Exception as failure:
            self._answers.fail(failure)
        finally:
            self._consumer.close()


def _key(team_id: str, user_id: str, maybe_all: bool = False) -> str:
    for what, ident in (("team", team_id), ("user", user_id)):
        if not isinstance(ident, str) or not 1 <= len(ident) <= _LONGEST_ID or "/" in ident:
            raise ValueError(f"The id of a {what} has 1 to {_LONGEST_ID} characters and no \"/\"")
        if ident == "*" and not (maybe_all and what == "user"):
            raise ValueError(f"\"*\" is no id of a {what} here")
    return f"{team_id}/{user_id}"


def _checked(seconds: float) -> float:
    if not 0.001 <= seconds <= _LONGEST_SECONDS:
        raise ValueError(f"A timeout is 0.001 to {_LONGEST_SECONDS:.0f} seconds, not {seconds}")
    return seconds


def _milliseconds(seconds: Optional[float]) -> Optional[int]:
    return None if seconds is None else max(1, int(seconds * 1_000))


def _timestamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
