"""Tasks that need no tool: small talk near the tools, and questions about what was said."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolgauge.data.session import Reference
from toolgauge.demo.plans import Seed, TaskPlan
from toolgauge.demo.request_builder import RequestBuilder

_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|[.!?](?=\w))+[.!?。！？]*")
_CLAUSE = re.compile(r"(?:[^,，;；]|,(?=\d))+")
_MARKS = re.compile(r"^(?:>|-)\s?", re.MULTILINE)
_QUOTING = "\n\n> "
"""Between an introduction and what is repeated."""
_ID = re.compile(r"[A-Za-z]{0,6}[-.]?\d[\dA-Z.-]*")
LONG = {"en": 60, "zh": 25}
"""Characters from which on a reply can be put more briefly."""


def first_chat(builder: RequestBuilder, replies: Sequence[str] = ()) -> TaskPlan:
    """Something people say near these tools; with a remark that later tasks can lean on. replies: what was said."""
    told = " ".join(replies)
    chat = builder.draw.choice([one for one in builder.fixture.chat if one.reply not in told] or builder.fixture.chat)
    seed = _seed(builder)
    if seed is None:
        return TaskPlan("chat", chat.user, reply=chat.reply)
    utterance = builder.words.joined([builder.words(_remark(builder, seed), words=seed.spoken.words), chat.user])
    return TaskPlan("chat", utterance, reply=chat.reply, seed=seed)


def later_chat(builder: RequestBuilder, reference: Reference, replies: Sequence[str]) -> TaskPlan:
    """A question about what was said before, or the next thing that comes to mind."""
    last = _plain(builder, replies[-1]) if replies else ""
    if reference is Reference.LONG_RANGE and len(replies) > 1 and replies[0]:
        return TaskPlan(
            "chat",
            builder.words("earlier"),
            reply=builder.words("earlier_reply", reply=_quoted(_plain(builder, replies[0]))),
        )
    if reference is Reference.COREFERENCE and last and _QUOTING not in replies[-1]:
        return TaskPlan("chat", builder.words("again"), reply=builder.words("again_reply", reply=_quoted(last)))
    if (brief := _brief(last, LONG[builder.fixture.language])) and builder.draw.random() < 0.7:
        return TaskPlan("chat", builder.words("shorter"), reply=builder.words("shorter_reply", reply=brief))
    plan = first_chat(builder, replies)
    said = builder.words.inside(plan.utterance)
    return TaskPlan("chat", builder.words("speaking_of", task=said), reply=plan.reply, seed=plan.seed)


def _seed(builder: RequestBuilder) -> Seed | None:
    """Something to mention: a value of a tool that others follow, if there is one."""
    feeding = {
        link.tool for tool in builder.fixture.tools for ways in builder.fixture.linked(tool).values() for link in ways
    }
    choices = [
        (
            len(builder.fixture.required(tool)) < 2,
            tool not in feeding,
            nature != "one",
            nature == "text",
            order,
            tool,
            name,
        )
        for order, tool in enumerate(builder.shuffled(builder.fixture.tools))
        for name in builder.fixture.required(tool)
        if (nature := builder.fixture.nature(tool, name)) in ("one", "day", "text")
        and builder.fixture.schema(tool, name).get("type") in ("string", "integer")
    ]
    if not choices:
        return None
    *_, tool, name = min(choices)
    return Seed(name, builder.value(tool, name), tool)


def _remark(builder: RequestBuilder, seed: Seed) -> str:
    """The name of the words for mentioning something in passing."""
    nature = builder.fixture.nature(seed.tool, seed.parameter)
    if nature == "one":
        return "seed_id" if _ID.fullmatch(seed.spoken.words) else "seed"
    return f"seed_{nature}"


def _brief(reply: str, long: int) -> str:
    """The first sentence of a reply, or its first clause; nothing where that is no shorter."""
    if len(reply) <= long:
        return ""
    sentence = next(iter(_SENTENCE.findall(reply)), "").strip()
    if len(sentence) < len(reply) * 0.8:
        return sentence
    clause = next(iter(_CLAUSE.findall(sentence)), "").strip()
    whole = all(clause.count(left) == clause.count(right) for left, right in ("()", "（）", "“”", "《》"))
    return f"{clause}{sentence[-1]}" if whole and long / 5 < len(clause) < len(reply) * 0.8 else ""


def _plain(builder: RequestBuilder, reply: str) -> str:
    """What a reply says, without its marks, and without the words around what it only repeats."""
    introduction, quoting, quoted = reply.partition(_QUOTING)
    for name in ("shorter_reply", "told_list", "told_done", "told_found"):
        for frame in builder.words.every(name):
            before, _, behind = frame.partition(f"{{{'reply' if name == 'shorter_reply' else 'told'}}}")
            introduction = introduction.removeprefix(before).removesuffix(behind)
    return _MARKS.sub("", quoted if quoting else introduction).strip()


def _quoted(text: str) -> str:
    """Every line of a quotation needs its mark."""
    return text.replace("\n", "\n> ")
