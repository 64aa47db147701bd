import pathlib
import re
import socket
import unittest

from confluent_kafka import KafkaError

import perigee
from perigee import Client, EventFeed, Refused, Unreachable
from perigee._client import _checked, _key, _milliseconds
from perigee._errors import explained

README = pathlib.Path(__file__).parents[1] / "README.md"


def nobody() -> str:
    """The address of a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{listener.getsockname()[1]}"


class ClientTest(unittest.TestCase):
    def test_a_broker_that_is_not_there_is_said(self) -> None:
        with self.assertRaises(Unreachable) as raised:
            Client(nobody(), kafka={"sasl.password": "secret"})
        self.assertFalse(raised.exception.may_have_run)
        self.assertNotIn("secret", str(raised.exception))

    def test_events_are_on_six_topics(self) -> None:
        for topics in ([], ["commands"]):
            with self.assertRaises(ValueError):
                EventFeed({"bootstrap.servers": nobody()}, "mcp.", topics, "end")

    def test_ids_make_a_key(self) -> None:
        self.assertEqual(("t/u", "t/*"), (_key("t", "u"), _key("t", "*", maybe_all=True)))
        for team, user in (("", "u"), ("t/x", "u"), ("*", "u"), ("t", "*"), ("t", "x" * 201), (None, "u")):
            with self.subTest(team=team, user=user), self.assertRaises(ValueError):
                _key(team, user)  # type: ignore[arg-type]

    def test_timeouts_are_up_to_a_day(self) -> None:
        for seconds in (0, -1, 86_401, float("nan")):
            with self.subTest(seconds), self.assertRaises(ValueError):
                _checked(seconds)
        self.assertEqual((1, 1_500, None), (_milliseconds(_checked(0.001)), _milliseconds(1.5), _milliseconds(None)))

    def test_errors_are_told_apart(self) -> None:
        refused = (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError._AUTHENTICATION, KafkaError.MSG_SIZE_TOO_LARGE, KafkaError._UNKNOWN_TOPIC)
        for code in refused:
            self.assertIsInstance(explained(KafkaError(code)), Refused)
        for code in (KafkaError._TRANSPORT, KafkaError._MSG_TIMED_OUT):
            self.assertIsInstance(explained(KafkaError(code)), Unreachable)

    def test_the_example_of_the_readme_is_about_ten_lines(self) -> None:
        example = re.search(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
        assert example is not None
        self.assertLessEqual(len(example[1].strip().splitlines()), 10)

    def test_all_that_is_public_says_what_it_is_for(self) -> None:
        for name in perigee.__all__:
            public = getattr(perigee, name)
            self.assertTrue(public.__doc__, name)
            for each, method in vars(public).items() if isinstance(public, type) else ():
                if not each.startswith("_") and callable(method):
                    self.assertTrue(method.__doc__, f"{name}.{each}")


if __name__ == "__main__":
    unittest.main()
