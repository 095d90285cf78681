"""A benchmark of ten questions to a phone book: the right call with the right arguments, or no call at all."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from toolgauge.benchmarks.conversation import Question, SimpleBenchmark, Wrong, calls_made
from toolgauge.benchmarks.options import BenchmarkOptions, option
from toolgauge.chat import Json, Message, Reply

TEXTS = {
    "en": {
        "called": "called {names}",
        "silent": "called nothing",
        "differs": "{name}: {given} instead of {expected}",
    },
    "zh": {"called": "调用了 {names}", "silent": "没有调用", "differs": "{name}：给出 {given}，应为 {expected}"},
}
"""Why a reply is wrong, in both languages."""


class Options(BenchmarkOptions, frozen=True):
    manner: Annotated[
        Literal["plain", "helpful"],
        option("Ask as it is, or tell the model first what it is for."),
    ] = "plain"


class PhoneBook(SimpleBenchmark):
    name = "phone-book"
    Options = Options
    title = "Phone book"
    embedded = Path(__file__).with_name("questions.jsonl")
    texts = TEXTS

    def messages(self, question: Question, options: Options) -> tuple[Message, ...]:
        about = Message("system", "You look after a phone book. Use it where the question is about a number in it.")
        return (about, *question.messages) if options.manner == "helpful" else question.messages

    def judge(self, question: Question, reply: Reply) -> Wrong | None:
        """Names may be written in any case, numbers with any blanks and hyphens; everything else must be the same."""
        made, due = calls_made(reply), question.expected
        if not due:
            return _calls("needless_call", made) if made or not reply.content else None
        if [call["name"] for call in made] != [call["name"] for call in due]:
            return _calls("wrong_tool", made)
        for one, other in zip(made, due, strict=True):
            for name, value in other["arguments"].items():
                said = one["arguments"].get(name) if isinstance(one["arguments"], dict) else None
                if _plain(said) != _plain(value):
                    about = {"name": name, "given": repr(said), "expected": repr(value)}
                    return Wrong("wrong_argument", code="differs", parameters=about)
        return None

    def perfect(self, question: Question) -> Reply:
        return super().perfect(question) if question.expected else Reply("That is not in a phone book.")


def _calls(mistake: str, made: list[Json]) -> Wrong:
    names = tuple(str(call["name"]) for call in made)
    return Wrong(mistake, code="called", parameters={"names": names}) if names else Wrong(mistake, code="silent")


def _plain(value: object) -> str:
    return "".join(str(value).split()).replace("-", "").casefold()
