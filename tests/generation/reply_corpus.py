"""Replies in the manner of many models, and how well they are read (replies.jsonl; table in docs/generation-checks.md).

A line: `reader` (who reads: user, a later task; answer, of the user; agent; tasks, first ones; planner; tool;
checker), `family` (in whose manner), `language`, `reply`, `reading` (what must come out, null: it is refused and asked
for again), `held_out` (written when the rules stood).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from toolgauge.annotation.dialogue import Speaker
from toolgauge.chat import Reply
from toolgauge.generation.agents.checker import read_parallelism
from toolgauge.generation.agents.planner import read_decision
from toolgauge.generation.agents.reading import Unreadable
from toolgauge.generation.agents.speech import read_words
from toolgauge.generation.agents.tool import read_observations
from toolgauge.generation.agents.user import LATER, read_candidates

Read = Callable[[Reply, str], Any]
READERS: dict[str, Read] = {
    "user": lambda reply, language: read_candidates(reply, LATER, language)[0],
    "answer": lambda reply, _: read_words(reply, Speaker.USER),
    "agent": lambda reply, _: read_words(reply, Speaker.AGENT),
    "tasks": lambda reply, language: read_candidates(reply, "user_single_tool", language),
    "planner": lambda reply, _: [[action.name, action.arguments] for action in read_decision(reply).actions],
    "tool": lambda reply, _: [[one.status_code, one.response] for one in read_observations(reply)],
    "checker": lambda reply, _: not read_parallelism(reply),
}
SPOKEN = ("user", "answer", "agent")


class WrittenReply(Struct, frozen=True):
    """A line of the corpus."""

    id: str
    reader: str
    family: str
    language: str
    held_out: bool
    reply: str
    reading: Any

    @property
    def is_clean(self) -> bool:
        return bool(self.reply == self.reading)

    def read(self) -> Any:
        """What its reader makes of it; None where it is refused."""
        try:
            return READERS[self.reader](Reply(self.reply), self.language)
        except Unreadable:
            return None


@cache
def corpus() -> tuple[WrittenReply, ...]:
    lines = Path(__file__).with_name("replies.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(WrittenReply(**json.loads(line)) for line in lines)


def table() -> str:
    """The table of docs/generation-checks.md."""
    seen, unseen = ([one for one in corpus() if one.held_out is part] for part in (False, True))
    spoken, data = ([one for one in seen if (one.reader in SPOKEN) is part] for part in (True, False))
    return "\n".join(
        [
            "| replies | | read rightly | with junk | rightly cleaned or refused | clean | left as they are |",
            "|---|--:|--:|--:|--:|--:|--:|",
            _row("said by users and assistants", spoken),
            _row("JSON of planner, tools, checker, first tasks", data),
            _row("held out", unseen),
        ]
    )


def _row(title: str, rows: list[WrittenReply]) -> str:
    clean = [one for one in rows if one.is_clean]
    junk = [one for one in rows if not one.is_clean]
    numbers = [len(rows), _right(rows), len(junk), _right(junk), len(clean), _right(clean)]
    return f"| {title} | {' | '.join(map(str, numbers))} |"


def _right(rows: list[WrittenReply]) -> int:
    return sum(one.read() == one.reading for one in rows)
