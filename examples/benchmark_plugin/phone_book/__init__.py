"""A benchmark of ten questions to a phone book: the right call with the right arguments, or no call at all."""

from __future__ import annotations

from pathlib import Path

from toolgauge.benchmarks.simple.benchmark import SimpleBenchmark, Wrong, calls_made
from toolgauge.benchmarks.simple.questions import Question
from toolgauge.chat import Reply


class PhoneBook(SimpleBenchmark):
    name = "phone-book"
    title = "Phone book"
    embedded = Path(__file__).with_name("questions.jsonl")

    def judge(self, question: Question, reply: Reply) -> Wrong | None:
        """Names may be written in any case, numbers with any blanks and hyphens; everything else must be the same."""
        made, due = calls_made(reply), question.expected
        if not due:
            return Wrong("needless_call", f"called {made[0]['name']}") if made or not reply.content else None
        if [call["name"] for call in made] != [call["name"] for call in due]:
            return Wrong("wrong_tool", f"called {', '.join(str(call['name']) for call in made) or 'nothing'}")
        for one, other in zip(made, due, strict=True):
            for name, value in other["arguments"].items():
                said = one["arguments"].get(name) if isinstance(one["arguments"], dict) else None
                if _plain(said) != _plain(value):
                    return Wrong("wrong_argument", f"{name}: {said!r} instead of {value!r}")
        return None

    def perfect(self, question: Question) -> Reply:
        return super().perfect(question) if question.expected else Reply("That is not in a phone book.")


def _plain(value: object) -> str:
    return "".join(str(value).split()).replace("-", "").casefold()
