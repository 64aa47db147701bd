import threading
import unittest

from perigee._errors import NoAnswer, Refused, Unreachable
from perigee._questions import Questions
from perigee._room import Room

YES = {"q": {"action": "accept"}}
PATIENCE_SECONDS = 10.0


def question(ident):
    return {"request_id": "r-1", "input_id": ident, "requests": {"q": {"method": "elicitation/create", "params": {"message": "ok?"}}}}


class Asked:
    """Questions whose responses get this answer, or what it raises; all that is sent, refused and raised is kept."""

    def __init__(self, handler, answer=lambda: {"outcome": "success"}, refused=None, most=10):
        self.sent, self.refused, self.failed = [], [], []
        self.answer = answer
        self.room = Room("questions", most)
        self.most = most
        keep = lambda which, told: self.refused.append((which["input_id"], told["error"]["message"]))
        self.questions = Questions(handler, refused or keep, self.respond, self.failed.append, self.room)

    def respond(self, which, responses):
        self.sent.append((which["input_id"], responses))
        return self.answer()

    def settle(self):
        """Waits until nothing is being answered: all places are free."""
        for _ in range(self.most):
            if not self.room._free.acquire(timeout=PATIENCE_SECONDS):
                raise AssertionError("a question is still being answered")
        for _ in range(self.most):
            self.room.leave()


def answering(answer):
    """Raises this instead of an answer."""

    def raising():
        raise answer

    return raising


class QuestionsTest(unittest.TestCase):
    def test_each_question_is_handed_over_once_and_answered_once_also_side_by_side(self) -> None:
        both = threading.Barrier(2)
        seen = []

        def handler(which, _):
            seen.append(which["input_id"])
            both.wait(PATIENCE_SECONDS)  # Neither waits for the other.
            return YES

        asked = Asked(handler)
        for ident in ("i1", "i2", "i1", "i2", None):
            asked.questions.take(question(ident))
        asked.settle()
        asked.questions.take(question("i1"))
        asked.settle()
        self.assertEqual(["i1", "i2"], sorted(seen))
        self.assertEqual([("i1", YES), ("i2", YES)], sorted(asked.sent))
        self.assertEqual(([], []), (asked.refused, asked.failed))

    def test_a_handler_that_has_no_response_leaves_the_question_to_others(self) -> None:
        asked = Asked(lambda which, ended: None)
        asked.questions.take(question("i1"))
        asked.settle()
        self.assertEqual(([], [], []), (asked.sent, asked.refused, asked.failed))

    def test_responses_that_do_not_count_are_told_and_nothing_is_sent_again(self) -> None:
        asked = Asked(lambda which, ended: YES, lambda: {"outcome": "failed", "error": {"code": "invalid_request", "message": "answered before"}})
        asked.questions.take(question("i1"))
        asked.settle()
        self.assertEqual([("i1", "answered before")], asked.refused)
        self.assertEqual(1, len(asked.sent))
        self.assertEqual([], asked.failed)

    def test_what_a_handler_raises_ends_the_wait_and_what_it_is_told(self) -> None:
        def enough(*_):
            raise ArithmeticError("enough")

        yes = lambda which, ended: YES
        for kind, asked in (
            (ArithmeticError, Asked(enough)),
            (ArithmeticError, Asked(yes, lambda: {"outcome": "failed"}, refused=enough)),
            (Unreachable, Asked(yes, answering(Unreachable("No broker", True)))),
        ):
            with self.subTest(kind):
                asked.questions.take(question("i1"))
                asked.settle()
                self.assertEqual([kind], [type(each) for each in asked.failed])

    def test_responses_of_which_nothing_is_heard_leave_the_question_to_its_expiry(self) -> None:
        asked = Asked(lambda which, ended: YES, answering(NoAnswer("No result", True)))
        asked.questions.take(question("i1"))
        asked.settle()
        self.assertEqual((1, [], []), (len(asked.sent), asked.refused, asked.failed))

    def test_the_end_of_the_call_is_told_to_handlers_and_what_they_do_then_does_not_count(self) -> None:
        def handler(which, ended):
            if not ended.wait(PATIENCE_SECONDS):
                raise AssertionError("nobody said so")
            if which["input_id"] == "i1":
                raise ArithmeticError("too late")
            return YES

        asked = Asked(handler)
        asked.questions.take(question("i1"))
        asked.questions.take(question("i2"))
        asked.questions.close()
        asked.questions.take(question("i3"))
        asked.settle()
        self.assertEqual(([], [], []), (asked.sent, asked.refused, asked.failed))

    def test_the_questions_of_a_call_are_bounded_and_those_of_all_calls_together(self) -> None:
        handed = []
        counted = Asked(lambda which, ended: handed.append(which), most=1_000)
        for n in range(200):
            counted.questions.take(question(f"i{n}"))
        counted.settle()
        self.assertEqual(100, len(handed))

        few = Asked(lambda which, ended: ended.wait(PATIENCE_SECONDS) and None, most=2)
        few.questions.take(question("i1"))
        few.questions.take(question("i2"))
        with self.assertRaisesRegex(Refused, "2 questions"):
            few.questions.take(question("i3"))
        few.questions.close()
        few.settle()


if __name__ == "__main__":
    unittest.main()
