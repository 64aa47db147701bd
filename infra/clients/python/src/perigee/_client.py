"""A client that waits for what becomes of its commands and calls."""
from __future__ import annotations

import json
import threading
import time
import uuid
from datetime import datetime, timedelta, timezone
from types import TracebackType
from typing import Any, Mapping, Optional

from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition

_CONNECT_SECONDS = 10.0
_POLL_SECONDS = 0.2
_MOST_OPEN = 10_000


class Unreachable(ConnectionError):
    """No broker answers, or a topic is not there."""


class NoAnswer(TimeoutError):
    """The deadline passed. What was asked may have run, and its result may still come."""


class _Waiting:
    """One who waits for the record under an id."""

    def __init__(self) -> None:
        self._came = threading.Event()
        self._result: Optional[dict[str, Any]] = None
        self._failure: Optional[Exception] = None

    def complete(self, result: dict[str, Any]) -> None:
        self._result = result
        self._came.set()

    def fail(self, failure: Exception) -> None:
        self._failure = failure
        self._came.set()

    def result(self, deadline: float, ident: str) -> dict[str, Any]:
        if not self._came.wait(max(0.0, deadline - time.monotonic())):
            raise NoAnswer(f"No result of {ident} in time")
        if self._failure is not None:
            raise self._failure
        assert self._result is not None
        return self._result


class Client:
    """Sends commands and tool requests and waits for their terminal results.

    Any number of threads may call at once, up to 10,000 open at a time. One for a process: it has a producer, a consumer
    and a thread. A result that is repeated counts once.

    bootstrap -- brokers, HOST:PORT with commas between
    prefix -- what names of topics begin with
    kafka -- settings of librdkafka, such as security.protocol; what the guarantees rest on stays as it is
    """

    def __init__(self, bootstrap: str, prefix: str = "mcp.", kafka: Optional[Mapping[str, Any]] = None) -> None:
        common = {**(kafka or {}), "bootstrap.servers": bootstrap}
        self._prefix = prefix
        self._waiting: dict[str, _Waiting] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        # librdkafka's own default partitioner is another one: records would be misrouted.
        self._producer = Producer({**common, "partitioner": "murmur2_random", "acks": "all", "enable.idempotence": True,
                                   "max.in.flight.requests.per.connection": 1, "linger.ms": 0})
        self._consumer = Consumer({**common, "group.id": f"perigee-client-{uuid.uuid4()}", "enable.auto.commit": False,
                                   "isolation.level": "read_committed", "auto.offset.reset": "latest"})
        try:
            self._consumer.assign(self._ends())
        except KafkaException as failure:
            self._consumer.close()
            raise Unreachable(str(failure)) from failure
        except Unreachable:
            self._consumer.close()
            raise
        self._reader = threading.Thread(target=self._read, name="perigee-client", daemon=True)
        self._reader.start()

    def configure(self, config: Mapping[str, Any], timeout: float = 60.0, command_id: Optional[str] = None) -> dict[str, Any]:
        """Installs a server, or changes it; the result's result.resulting_status says what it is now.

        config -- the fields of an installation, team_id and user_id among them
        """
        payload = {"event": "mcp_installation_created", "config": dict(config)}
        return self.command("configure", config["team_id"], config["user_id"], payload, timeout, command_id)

    def command(self, command_type: str, team_id: str, user_id: str, payload: Mapping[str, Any], timeout: float = 60.0,
                command_id: Optional[str] = None) -> dict[str, Any]:
        """Sends a command and returns its terminal result: completed, failed, expired or rejected.

        timeout -- seconds until it expires, and until NoAnswer
        command_id -- of a command that may have been sent before: it does not run a second time
        """
        ident = command_id or str(uuid.uuid4())
        now = datetime.now(timezone.utc)
        return self._ask("commands", f"{team_id}/{user_id}", ident, timeout, {
            "id": ident,
            "command_type": command_type,
            "issued_at": _timestamp(now),
            "expires_at": _timestamp(now + timedelta(seconds=timeout)),
            "payload": dict(payload),
        })

    def call(self, team_id: str, user_id: str, tool_path: str, arguments: Optional[Mapping[str, Any]] = None, timeout: float = 30.0,
             request_id: Optional[str] = None) -> dict[str, Any]:
        """Calls a tool and returns its one answer, whose outcome is success, tool_error or failed.

        tool_path -- SERVER_SLUG:TOOL
        timeout -- seconds that the fleet has; NoAnswer comes five seconds later
        request_id -- of a call that may have been sent before: it does not run a second time
        """
        ident = request_id or str(uuid.uuid4())
        return self._ask("tool-requests", f"{team_id}/{user_id}", ident, timeout + 5.0, {
            "request_id": ident,
            "team_id": team_id,
            "user_id": user_id,
            "method": "tools/call",
            "tool_path": tool_path,
            "arguments": dict(arguments or {}),
            "timeout_ms": max(1, int(timeout * 1000)),
        })

    def close(self) -> None:
        """Ends it; who still waits gets Unreachable."""
        if not self._closed.is_set():
            self._closed.set()
            self._reader.join()
            self._producer.flush(_CONNECT_SECONDS)
            with self._lock:
                waiting = list(self._waiting.values())
            for each in waiting:
                each.fail(Unreachable("The client was closed"))

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def _ends(self) -> list[TopicPartition]:
        """Results of what is sent from now on are read, and nothing older."""
        ends = []
        for topic in (self._prefix + "command-results", self._prefix + "tool-results"):
            described = self._consumer.list_topics(topic, timeout=_CONNECT_SECONDS).topics[topic]
            if described.error is not None:
                raise Unreachable(f"There is no topic {topic}: {described.error}")
            for number in described.partitions:
                _, end = self._consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=_CONNECT_SECONDS)
                ends.append(TopicPartition(topic, number, end))
        return ends

    def _ask(self, topic: str, key: str, ident: str, timeout: float, value: Mapping[str, Any]) -> dict[str, Any]:
        deadline = time.monotonic() + timeout
        waiting = _Waiting()
        with self._lock:
            if self._closed.is_set():
                raise Unreachable("The client was closed")
            if ident in self._waiting:
                raise ValueError(f"{ident} is waited for already")
            if len(self._waiting) >= _MOST_OPEN:
                raise BlockingIOError(f"{_MOST_OPEN} are open already")
            self._waiting[ident] = waiting
        try:
            self._producer.produce(self._prefix + topic, key=key, value=json.dumps(value),
                                   on_delivery=lambda error, _: waiting.fail(Unreachable(str(error))) if error else None)
            self._producer.poll(0)
            return waiting.result(deadline, ident)
        finally:
            with self._lock:
                del self._waiting[ident]

    def _read(self) -> None:
        try:
            while not self._closed.is_set():
                self._producer.poll(0)
                record = self._consumer.poll(_POLL_SECONDS)
                if record is not None and record.error() is None:
                    self._take(record)
        finally:
            self._consumer.close()

    def _take(self, record: Message) -> None:
        key, value = record.key(), record.value()
        if key is None or value is None:
            return
        with self._lock:
            waiting = self._waiting.get(key.decode(errors="replace"))
        if waiting is None:
            return
        try:
            result = json.loads(value)
        except ValueError:
            return  # No record of Perigee's: whoever waits goes on waiting, until the deadline.
        if isinstance(result, dict) and result.get("outcome") != "acknowledged":
            waiting.complete(result)


def _timestamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
