"""The partitioner agrees with Kafka's Java client, which made partitions.json."""
import json
import pathlib
import unittest

from perigee import partition

PARTITIONS = pathlib.Path(__file__).parents[2] / "partitions.json"


class PartitionTest(unittest.TestCase):
    def test_agrees_with_java(self) -> None:
        for each in json.loads(PARTITIONS.read_text("utf-8")):
            with self.subTest(each):
                self.assertEqual(each["partition"], partition(each["team_id"], each["user_id"], each["partitions"]))


if __name__ == "__main__":
    unittest.main()
