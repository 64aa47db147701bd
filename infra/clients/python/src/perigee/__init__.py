"""Commands and tool calls to a Perigee fleet, over Kafka."""
from perigee._client import Client, NoAnswer, Unreachable
from perigee._partition import partition

__all__ = ["Client", "NoAnswer", "Unreachable", "partition"]
