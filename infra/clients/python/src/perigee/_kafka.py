"""Consumers and producers as this package needs them."""
from __future__ import annotations

import logging
import time
import uuid
from datetime import datetime
from typing import Any, Iterable, Mapping, Optional, Union

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from perigee._answers import Record
from perigee._errors import Refused, Unreachable, explained, of_exception

PATIENCE_SECONDS = 5.0
LARGEST_BYTES = 17 << 20
LOG = logging.getLogger("perigee.kafka")
LOG.addHandler(logging.NullHandler())

#: The end, the beginning, a time, or the next offset to read of each partition, by "TOPIC-PARTITION".
Start = Union[str, datetime, Mapping[str, int]]


def producer(settings: Mapping[str, Any]) -> Producer:
    """Writes what all replicas have, those of a partition in order. A repeat may be there twice: the fleet runs one id once."""
    return Producer(
        {
            **settings,
            # librdkafka's own default partitioner is another one: records would be misrouted.
            "partitioner": "murmur2_random",
            "acks": "all",
            "max.in.flight.requests.per.connection": 1,
            "linger.ms": 0,
            "message.max.bytes": LARGEST_BYTES + (1 << 20),
            "message.timeout.ms": 10_000,
            "queue.buffering.max.kbytes": 64 << 10,
        },
        logger=LOG,
    )


class Refusal:
    """Why the broker does not let a client in: the library says it beside what it raises. Given to one client as its error_cb."""

    def __init__(self) -> None:
        self._why: Optional[Exception] = None

    def __call__(self, error: KafkaError) -> None:
        why = explained(error)
        if isinstance(why, Refused):
            self._why = why

    def or_of(self, failure: KafkaException) -> Exception:
        return self._why or of_exception(failure)


def consumer(settings: Mapping[str, Any], refusal: Refusal) -> Consumer:
    """Reads committed records of partitions that it is assigned. It joins no group, though the library wants a name of one."""
    return Consumer(
        {
            **settings,
            "error_cb": refusal,
            "group.id": f"perigee-client-{uuid.uuid4()}",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            # What retention has removed is passed over.
            "auto.offset.reset": "earliest",
            "allow.auto.create.topics": False,
        },
        logger=LOG,
    )


def partitions(reader: Consumer, topic: str) -> list[int]:
    """Those of a topic; raises Refused or KafkaException when it is not there."""
    described = reader.list_topics(topic, timeout=PATIENCE_SECONDS).topics[topic]
    if described.error is not None:
        raise KafkaException(described.error)
    if not described.partitions:
        raise Refused(f"There is no topic {topic}. Create it with \"perigee topics\".")
    return sorted(described.partitions)


def place(reader: Consumer, refusal: Refusal, topics: Mapping[str, Optional[int]], start: Start, written: Iterable[str] = ()) -> list[TopicPartition]:
    """Assigns partitions to a consumer, from a point on; that is fixed when this returns.

    A topic that was just made has no leaders at first: it is tried again for some seconds.

    topics -- names, each with the one partition to read, or None for all
    written -- names of others that must be there
    """
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            for topic in written:
                partitions(reader, topic)
            places = [each for topic, only in topics.items() for each in _places(reader, topic, only, start)]
            reader.assign(places)
            return places
        except KafkaException as failure:
            reader.poll(0)  # Which hands the refusal over.
            why = refusal.or_of(failure)
            if not isinstance(why, Unreachable) or time.monotonic() > until:
                raise why from None
        time.sleep(0.25)


def _places(reader: Consumer, topic: str, only: Optional[int], start: Start) -> Iterable[TopicPartition]:
    for number in partitions(reader, topic) if only is None else [only]:
        first, end = reader.get_watermark_offsets(TopicPartition(topic, number), timeout=PATIENCE_SECONDS)
        if isinstance(start, datetime):
            at = TopicPartition(topic, number, int(start.timestamp() * 1_000))
            offset = reader.offsets_for_times([at], timeout=PATIENCE_SECONDS)[0].offset
            yield TopicPartition(topic, number, end if offset < 0 else offset)
        elif isinstance(start, str):
            yield TopicPartition(topic, number, end if start == "end" else first)
        else:
            yield TopicPartition(topic, number, start.get(f"{topic}-{number}", first))


def record(message: Message) -> Record:
    headers = {name: value for name, value in message.headers() or [] if isinstance(value, bytes)}
    return Record(message.topic(), message.key(), message.value(), headers)
