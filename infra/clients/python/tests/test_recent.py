import unittest

from perigee._recent import LateAnswers, RecentIds


class RecentTest(unittest.TestCase):
    def test_an_id_is_new_once_until_so_many_others_came(self) -> None:
        ids = RecentIds(2)
        self.assertEqual([True, False, True, True, True], [ids.add(each) for each in "aabca"])

    def test_late_answers_are_bounded_by_count(self) -> None:
        late = LateAnswers(2, 10, 60)
        for key in "abc":
            late.expect(key)
        for key in "abc":
            late.offer(key, {"key": key}, 4)
        self.assertEqual([None, {"key": "b"}, {"key": "c"}], [late.take(key) for key in "abc"])

    def test_late_answers_are_bounded_by_bytes(self) -> None:
        late = LateAnswers(9, 10, 60)
        for key in "ab":
            late.expect(key)
            late.offer(key, {"key": key}, 6)
        self.assertEqual([None, {"key": "b"}], [late.take(key) for key in "ab"])

    def test_late_answers_are_bounded_by_time(self) -> None:
        now = 0.0
        late = LateAnswers(9, 10, 60, lambda: now)
        late.expect("a")
        late.offer("a", {}, 1)
        now = 61.0
        self.assertIsNone(late.take("a"))

    def test_a_late_answer_is_taken_once_and_its_bytes_are_free_again(self) -> None:
        late = LateAnswers(9, 10, 60)
        for _ in range(2):
            late.expect("a")
            late.offer("a", {"key": "a"}, 10)
            self.assertEqual({"key": "a"}, late.take("a"))
            self.assertIsNone(late.take("a"))


if __name__ == "__main__":
    unittest.main()
