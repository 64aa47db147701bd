"""Installs a server and calls its tool, with confluent-kafka (apt-get install python3-confluent-kafka)."""
import json
import sys
import time
import uuid
from datetime import datetime, timedelta, timezone

from confluent_kafka import Consumer, Producer, TopicPartition

TEAM, USER = "examples", "python"
PATIENCE = 60


def reading_from_now_on(bootstrap, topics):
    """A consumer at the end of the topics: results of what is sent later come, and nothing older."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": f"example-{uuid.uuid4()}",
                         "enable.auto.commit": False, "isolation.level": "read_committed"})
    ends = []
    for topic in topics:
        for partition in consumer.list_topics(topic, timeout=10).topics[topic].partitions:
            _, end = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=10)
            ends.append(TopicPartition(topic, partition, end))
    consumer.assign(ends)
    return consumer


def ask(producer, consumer, topic, ident, value):
    """Sends a record and waits for its terminal result. The first counts; a repeat says the same."""
    producer.produce(topic, key=f"{TEAM}/{USER}", value=json.dumps(value))
    producer.flush(10)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        record = consumer.poll(0.5)
        if record is not None and record.error() is None and record.key() == ident.encode():
            result = json.loads(record.value())
            if result["outcome"] != "acknowledged":
                return result
    raise TimeoutError(f"no result of {ident} in time")


def main():
    bootstrap = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9092"
    command, *args = sys.argv[2:] or ["npx", "-y", "@modelcontextprotocol/server-everything"]
    # librdkafka's own default partitioner is another one: records would be misrouted.
    producer = Producer({"bootstrap.servers": bootstrap, "partitioner": "murmur2_random", "linger.ms": 0})
    consumer = reading_from_now_on(bootstrap, ["mcp.command-results", "mcp.tool-results"])
    try:
        ident = str(uuid.uuid4())
        expires = datetime.now(timezone.utc) + timedelta(seconds=PATIENCE)
        installed = ask(producer, consumer, "mcp.commands", ident, {
            "id": ident,
            "command_type": "configure",
            "expires_at": expires.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "payload": {
                "event": "mcp_installation_created",
                "config": {
                    "installation_id": "example-python", "server_slug": "everything",
                    "team_id": TEAM, "team_slug": TEAM, "user_id": USER, "user_slug": USER,
                    "transport_type": "stdio", "command": command, "args": args,
                },
            },
        })
        if (installed.get("result") or {}).get("resulting_status") != "online":
            sys.exit(f"The server is not online: {installed}")

        ident = str(uuid.uuid4())
        answer = ask(producer, consumer, "mcp.tool-requests", ident, {
            "request_id": ident, "team_id": TEAM, "user_id": USER, "method": "tools/call",
            "tool_path": "everything:echo", "arguments": {"message": "Hello from Python"}, "timeout_ms": 30000,
        })
        print(answer["outcome"], json.dumps(answer.get("result") or answer.get("error")))
    finally:
        consumer.close()


if __name__ == "__main__":
    main()
