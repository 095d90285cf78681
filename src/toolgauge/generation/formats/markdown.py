"""Dialogues for people to read: Markdown, a section for each dialogue and each task."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from toolgauge.data.session import Session
from toolgauge.generation.dialogue import Dialogue, Entry, Observation, Speaker
from toolgauge.generation.prompts import texts
from toolgauge.generation.pseudo import NAMES, asked_for
from toolgauge.visible import visible

_TICKS = re.compile(r"`+")
_LINK = re.compile(r"\](?=[(:])")
"""Where a link, a picture or a definition has its address."""


def markdown(dialogue: Dialogue, session: Session | None = None) -> Iterator[str]:
    """The lines of one dialogue. session: what it was annotated as, for the tasks' labels; otherwise what was drawn."""
    words = {
        name.removeprefix("page_"): said for name, said in texts(dialogue.language).items() if name.startswith("page_")
    }
    yield f"## {_inline(dialogue.id)}"
    yield ""
    yield f"{words['moment']}{_inline(dialogue.clock)}  "
    if dialogue.scenario:
        yield f"{words['scenario']}{_inline(dialogue.scenario)}  "
    yield f"{words['tools']}{words['comma'].join(_inline(tool.name) for tool in dialogue.tools)}"
    for number, task in enumerate(dialogue.tasks):
        kind = words[f"kind_{task.kind}"]
        reference = (session.tasks[number] if session else task).reference
        about = f"{kind}{words['comma']}{words[f'reference_{reference.value}']}" if number else kind
        yield ""
        yield f"### {words['task'].format(number=number + 1)} · {about}"
        if len(task.candidates) > 1:
            yield ""
            yield words["candidates"]
            yield ""
            yield from (f"- {_inline(one.text).replace('<', '&lt;')}" for one in task.candidates)
        for entry in dialogue.kept:
            if entry.task == number:
                yield ""
                yield from _entry(entry, words)
    yield ""


def _entry(entry: Entry, words: dict[str, str]) -> Iterator[str]:
    match entry.speaker:
        case Speaker.PLANNER:
            yield from _decision(entry, words)
        case Speaker.TOOL:
            for number, observation in enumerate(entry.observations):
                yield from ("",) if number else ()
                yield from _result(observation, words)
        case speaker:
            yield f"**{words[speaker.value]}**"
            yield ""
            yield from _quoted(entry.text)


def _decision(entry: Entry, words: dict[str, str]) -> Iterator[str]:
    """Calls with their arguments; questions and answers in a few words, for they follow in full."""
    yield f"**{words['planner']}** {_inline(entry.decision.plan) if entry.decision else ''}".rstrip()
    for action in entry.decision.actions if entry.decision else ():
        if action.name not in NAMES:
            yield ""
            yield from _block(f"{_one_line(action.name)}({_json(action.arguments)})")
        for tool, missing in asked_for(action.arguments) if action.name in NAMES else ():
            names = words["comma"].join(map(_inline, missing))
            yield ""
            yield words["missing"].format(tool=_inline(tool), names=names)


def _result(observation: Observation, words: dict[str, str]) -> Iterator[str]:
    yield f"**{words['tool']}** {observation.status_code}"
    yield ""
    yield from _block(_json(observation.response), "json")


def _json(value: object) -> str:
    return visible(msgspec.json.format(msgspec.json.encode(value), indent=2).decode(), "\n")


def _block(text: str, kind: str = "") -> Iterator[str]:
    """A fenced block whose fence is longer than any in the text."""
    fence = "`" * max(3, 1 + max((len(found) for found in _TICKS.findall(text)), default=0))
    yield fence + kind
    yield text
    yield fence


def _quoted(text: str) -> Iterator[str]:
    """What was said as a quotation; Markdown in them stays, but HTML, links and pictures are only text."""
    harmless = _LINK.sub(r"]\\", text.replace("\r\n", "\n").replace("<", "&lt;"))
    for line in visible(harmless, "\n\t").splitlines():
        yield f"> {line}".rstrip()


def _inline(text: str) -> str:
    """Text within a line of ours."""
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))
