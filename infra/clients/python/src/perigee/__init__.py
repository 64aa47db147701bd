"""Commands, tool calls and events of a Perigee fleet, over Kafka."""
from perigee._client import Client, ReplyTopic
from perigee._errors import NoAnswer, Refused, Unreachable
from perigee._feed import EventFeed, Followed
from perigee._partition import partition

__all__ = ["Client", "EventFeed", "Followed", "NoAnswer", "Refused", "ReplyTopic", "Unreachable", "partition"]
