"""Tasks that need no tool: small talk near the tools, and questions about what was said."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolgauge.data.session import Reference
from toolgauge.generation.whisper.phrases import Pen
from toolgauge.generation.whisper.plans import Seed, TaskPlan

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?。！？]+(?=\s|$|[^\w\s])|[。！？]|$)")
_MARKS = re.compile(r"^(?:>|-)\s?", re.MULTILINE)
LONG = {"en": 60, "zh": 25}
"""Characters from which on a reply can be put more briefly."""


def first_chat(pen: Pen) -> TaskPlan:
    """Something people say near these tools; with a remark that later tasks can lean on."""
    chat = pen.draw.choice(pen.stage.chat)
    seed = _seed(pen)
    if seed is None:
        return TaskPlan("chat", chat.user, reply=chat.reply)
    name = "seed" if pen.stage.nature(seed.tool, seed.parameter) == "thing" else "seed_day"
    utterance = pen.words.joined([pen.words(name, words=seed.spoken.words), chat.user])
    return TaskPlan("chat", utterance, reply=chat.reply, seed=seed)


def later_chat(pen: Pen, reference: Reference, replies: Sequence[str]) -> TaskPlan:
    """A question about what was said before, or the next thing that comes to mind."""
    last = _plain(replies[-1]) if replies else ""
    if reference is Reference.LONG_RANGE and len(replies) > 1 and replies[0]:
        return TaskPlan(
            "chat", pen.words("earlier"), reply=pen.words("earlier_reply", reply=_quoted(_plain(replies[0])))
        )
    if reference is Reference.COREFERENCE and last:
        return TaskPlan("chat", pen.words("again"), reply=pen.words("again_reply", reply=_quoted(last)))
    if len(last) > LONG[pen.stage.language] and pen.draw.random() < 0.7:
        first = _SENTENCE.search(last)
        return TaskPlan(
            "chat", pen.words("shorter"), reply=pen.words("shorter_reply", reply=first[0] if first else last)
        )
    plan = first_chat(pen)
    return TaskPlan("chat", pen.words("speaking_of", task=plan.utterance), reply=plan.reply, seed=plan.seed)


def _seed(pen: Pen) -> Seed | None:
    """Something to mention: a value of a tool that others follow, if there is one."""
    feeding = {link.tool for tool in pen.stage.tools for ways in pen.stage.linked(tool).values() for link in ways}
    choices = [
        (len(pen.stage.required(tool)) < 2, tool not in feeding, nature != "thing", order, tool, name)
        for order, tool in enumerate(pen.shuffled(pen.stage.tools))
        for name in pen.stage.required(tool)
        if (nature := pen.stage.nature(tool, name)) in ("thing", "day")
        and pen.stage.schema(tool, name).get("type") in ("string", "integer")
    ]
    if not choices:
        return None
    *_, tool, name = min(choices)
    return Seed(name, pen.value(tool, name), tool)


def _plain(reply: str) -> str:
    return _MARKS.sub("", reply).strip()


def _quoted(text: str) -> str:
    """Every line of a quotation needs its mark."""
    return text.replace("\n", "\n> ")
