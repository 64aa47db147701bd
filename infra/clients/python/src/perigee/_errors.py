"""Why there is no answer."""
from __future__ import annotations

from confluent_kafka import KafkaError, KafkaException


class NoAnswer(TimeoutError):
    """The deadline passed without an answer.

    The answer may still come: who asks again with the same id, within ten minutes, gets it.

    may_have_run -- false where the request was never sent: it surely did not and will not run
    """

    def __init__(self, message: str, may_have_run: bool) -> None:
        super().__init__(message)
        self.may_have_run = may_have_run


class Unreachable(ConnectionError):
    """No broker answered until the deadline, or the client was closed.

    may_have_run -- false where the request was never sent: it surely did not and will not run
    """

    def __init__(self, message: str, may_have_run: bool = False) -> None:
        super().__init__(message)
        self.may_have_run = may_have_run


class Refused(RuntimeError):
    """The broker or the client says no: a topic is missing, a right or a credential, a record is too large, or 10,000 are open or 64 MiB wait."""


_NOT_ALLOWED = {
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.SASL_AUTHENTICATION_FAILED,
    KafkaError._AUTHENTICATION,
}
_MISSING = {KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC}


def explained(error: KafkaError, may_have_run: bool = False) -> Exception:
    """The same error as one of these."""
    if error.code() in _NOT_ALLOWED:
        return Refused(f"Kafka does not let us: {error.str()} Check the credentials and their rights.")
    if error.code() == KafkaError.MSG_SIZE_TOO_LARGE:
        return Refused("The record is larger than the topic takes, which is 17 MiB.")
    if error.code() in _MISSING:
        return Refused(f"A topic is missing: {error.str()}. Create it with \"perigee topics\".")
    return Unreachable(f"No Kafka broker answers: {error.str()}", may_have_run)


def of_exception(exception: KafkaException) -> Exception:
    """The same of what a call of the library raised."""
    return explained(exception.args[0])
