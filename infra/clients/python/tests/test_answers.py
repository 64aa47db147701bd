import json
import time
import unittest

from perigee._answers import Answers, Record, Waiting

COMMANDS = "mcp.command-results"


def record(topic, key, value, **headers):
    data = value if value is None or isinstance(value, bytes) else json.dumps(value).encode()
    return Record(topic, None if key is None else key.encode(), data, {name: each.encode() for name, each in headers.items()})


def answer(ident, outcome="success"):
    return record("mcp.tool-results", ident, {"request_id": ident, "outcome": outcome}, ce_type="perigee.tool.result", ce_id=f"a-{ident}")


def event(ident, word, ce_id, **body):
    return record("mcp.call-events", ident, body, ce_type=f"perigee.call.{word}", ce_id=ce_id)


def outcome(waiting: Waiting) -> str:
    result = waiting.result(time.monotonic())
    assert result is not None, "nothing came"
    return result["outcome"]


class AnswersTest(unittest.TestCase):
    def setUp(self) -> None:
        self.answers = Answers(COMMANDS)

    def test_the_first_answer_counts(self) -> None:
        waiting = self.answers.expect("call", "r-1", {})
        self.answers.take(answer("r-2", "failed"))
        self.answers.take(answer("r-1", "success"))
        self.answers.take(answer("r-1", "failed"))
        self.assertEqual("success", outcome(waiting))

    def test_what_is_no_record_of_perigee_harms_nobody(self) -> None:
        waiting = self.answers.expect("call", "r-1", {})
        for value in (b"no json", b"\xff", b"[" * 100_000, [], "text", {}, None):
            self.answers.take(record("mcp.tool-results", "r-1", value))
        self.answers.take(record("mcp.tool-results", None, {"outcome": "success"}))
        self.assertIsNone(waiting.result(time.monotonic()))
        self.answers.take(answer("r-1"))
        self.assertEqual("success", outcome(waiting))

    def test_a_command_ends_by_its_terminal_result(self) -> None:
        command = self.answers.expect("command", "x", {})
        call = self.answers.expect("call", "x", {})
        self.answers.take(record(COMMANDS, "x", {"command_id": "x", "outcome": "acknowledged"}))
        self.assertIsNone(command.result(time.monotonic()))
        self.answers.take(record(COMMANDS, "x", {"command_id": "x", "outcome": "completed"}))
        self.answers.take(answer("x", "tool_error"))
        self.assertEqual(["completed", "tool_error"], [outcome(command), outcome(call)])

    def test_who_waits_for_one_can_be_told_that_it_failed_nobody_else(self) -> None:
        one, other = (self.answers.expect("call", ident, {}) for ident in ("r-1", "r-2"))
        self.answers.fail_one("call", "r-1", ArithmeticError("enough"))
        self.answers.fail_one("call", "r-3", ArithmeticError("nobody"))
        self.answers.take(answer("r-1"))
        self.answers.take(answer("r-2"))
        with self.assertRaises(ArithmeticError):
            one.result(time.monotonic())
        self.assertEqual("success", outcome(other))

    def test_events_are_handed_over_once_in_order_until_the_answer(self) -> None:
        told = []
        words = {"on_progress": "progress", "on_log": "data", "on_input": "input_id", "on_task": "status"}
        handlers = {name: lambda each, word=word: told.append(each[word]) for name, word in words.items()}
        waiting = self.answers.expect("call", "r-1", handlers)
        self.answers.take(event("r-1", "progress", "p/1/1", progress=1))
        self.answers.take(event("r-1", "log", "p/1/2", data="hi"))
        self.answers.take(event("r-1", "progress", "p/1/1", progress=1))
        self.answers.take(event("r-1", "dance", "p/1/3"))
        self.answers.take(event("r-1", "input_required", "p/1/5", input_id="i1"))
        self.answers.take(event("r-1", "task", "p/1/6", status="completed"))
        self.answers.take(answer("r-1"))
        self.answers.take(event("r-1", "progress", "p/1/4", progress=2))
        self.assertEqual("success", outcome(waiting))
        self.assertEqual([1, "hi", "i1", "completed"], told)

    def test_what_a_handler_raises_ends_the_wait(self) -> None:
        def enough(_):
            raise ArithmeticError("enough")

        waiting = self.answers.expect("call", "r-1", {"on_progress": enough})
        self.answers.take(event("r-1", "progress", "p/1/1"))
        with self.assertRaises(ArithmeticError):
            waiting.result(time.monotonic())

    def test_an_id_is_waited_for_by_one(self) -> None:
        self.answers.expect("call", "r-1", {})
        with self.assertRaises(ValueError):
            self.answers.expect("call", "r-1", {})

    def test_an_answer_that_comes_late_is_had_by_who_asks_again(self) -> None:
        self.answers.forget(self.answers.expect("call", "r-1", {}), may_come=True)
        self.answers.forget(self.answers.expect("call", "r-2", {}), may_come=False)
        self.answers.take(answer("r-1"))
        self.answers.take(answer("r-2"))
        self.assertEqual("success", outcome(self.answers.expect("call", "r-1", {})))
        self.assertFalse(self.answers.expect("call", "r-2", {}).is_over)

    def test_closing_ends_all_waits_and_those_to_come(self) -> None:
        waiting = self.answers.expect("call", "r-1", {})
        self.answers.fail(ConnectionError("closed"))
        for each in (waiting, self.answers.expect("call", "r-2", {})):
            with self.assertRaises(ConnectionError):
                each.result(time.monotonic())


if __name__ == "__main__":
    unittest.main()
