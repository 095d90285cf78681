"""What small models said on mini, labelled by hand (tests/fixtures/small_models), and what `exact` says of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from record_corpus import MINI, Recorded, start
from toolgauge.chat import Reply, Request
from toolgauge.data.session import Dataset
from toolgauge.episode import drive
from toolgauge.judge.verdict import CORRECT, EXACT, Verdict
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.text_calls import parse_reply

FILES = Path(__file__).parents[1] / "fixtures" / "small_models"


class Labelled(Recorded, frozen=True, omit_defaults=True, kw_only=True):
    """label: the class of the mistake, or "correct"; kind: of a text where a call was due (`TextKind`).

    first, first_kind: the labels before the program's were seen, where they were others.
    """

    label: str
    kind: str = ""
    first: str = ""
    first_kind: str = ""

    def __str__(self) -> str:
        after = f", after {self.after}" if self.after else ""
        said = " | ".join(repr((reply.content or "")[:90]) for reply in self.replies)
        return f"{self.task} {self.language} {self.way} t{self.temperature:g}{after}: {said}"


@cache
def examples() -> tuple[Labelled, ...]:
    read = msgspec.json.Decoder(Labelled).decode
    return tuple(read(line) for file in sorted(FILES.glob("*.jsonl")) for line in file.read_bytes().splitlines())


@cache
def dataset(language: str) -> Dataset:
    assert MINI.embedded is not None
    return MINI.load(MINI.embedded, language)


def verdict(example: Recorded) -> Verdict:
    """What `exact` says: the replies take the way that they take in a run, through the dialect and the episode."""
    said = iter(example.replies)

    def answer(request: Request) -> Reply:
        assert request.gold_hint is not None
        if request.step < example.after:
            return request.gold_hint.reply
        reply = next(said, Reply())  # one more than was recorded: it has nothing to say
        if example.way == "native":
            return reply
        return parse_reply(
            reply, DIALECTS[example.way], request.tools, sum(len(one.tool_calls) for one in request.messages)
        )

    data = dataset(example.language)
    (score,) = MINI.scores(data, drive(start(data, example.task), answer))
    return score.scorings[EXACT]


def told(example: Recorded) -> tuple[str, str]:
    """The class, and the kind of a text where a call was due ("" of all else)."""
    found = verdict(example)
    kind = str((found.parameters or {}).get("kind", "")) if found.mistake in ("refusal", "early_termination") else ""
    return found.mistake or CORRECT, kind
