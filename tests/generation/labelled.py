"""Labelled cases of filters, and how well these judge them (corpora/*.jsonl; published in docs/generation-checks.md).

A corpus is a file of cases, its name the filter's (`tool_results`: the rules on simulated results). A case holds only
what the filter looks at; its form makes a dialogue of it. `faulty`: must the filter object? `held_out`: written with
the others, and not looked at while the rules were mended. Another corpus: a file, and its form in `FORMS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec import Struct, field

from tests.annotation.labelled_edges import edge_cases
from tests.annotation.labelled_edges import measure as measured_edges
from tests.generation.dialogues import TOOLS, asks, calls, closes, dialogue, results, user
from tests.generation.reply_corpus import SPOKEN
from tests.generation.reply_corpus import corpus as replies
from toolgauge.annotation.dialogue import Action, Decision, Dialogue, Entry
from toolgauge.annotation.graph import annotate
from toolgauge.chat import Json, Reply, Tool, ToolFacts
from toolgauge.data.session import ASK
from toolgauge.generation.filters import FILTERS
from toolgauge.generation.state import AgentView
from toolgauge.generation.validators.tool import check_tool_reply
from toolgauge.tools.toollist import tool_library

FOLDER = Path(__file__).parent / "corpora"
ANY = "any"
"""The language of cases without words."""
_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
_CLOSING = {"en": "Here you are.", "zh": "好了。"}
Made = list[Any]
"""A call and what came back: tool, arguments, result and, where it is not 200, the status."""


class Labelled(Protocol):
    """What is counted of a case."""

    @property
    def language(self) -> str: ...
    @property
    def held_out(self) -> bool: ...
    def is_faulty(self, name: str, /) -> bool: ...
    def objected(self, name: str, /) -> bool: ...


class HasDialogue(Protocol):
    """A case that says which dialogue it is about."""

    def dialogue(self) -> Dialogue: ...


class Case(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A labelled case. why: for readers."""

    language: str
    faulty: bool = False
    held_out: bool = False
    why: str = ""

    def is_faulty(self, _name: str) -> bool:
        """Is it something to which this filter must object?"""
        return self.faulty

    def objected(self: HasDialogue, name: str) -> bool:
        """Does it?"""
        one = self.dialogue()
        return not FILTERS[name](annotate(one), one).passed


class ChatCase(Case, frozen=True, kw_only=True):
    """Small talk beside a list of the tool library."""

    say: str
    tools: str

    def dialogue(self) -> Dialogue:
        offered = next(one.tools for one in tool_library(self.language) if one.id == self.tools)
        said = [user(self.say), closes(_CLOSING[self.language], "chat")]
        return dialogue(said, kinds=["chat"], language=self.language, tools=offered)


class ClarifyCase(Case, frozen=True, kw_only=True):
    """A question and the call after it. before: what the user said in earlier tasks; asked: the parameters."""

    say: str
    asked: list[str]
    answer: str
    arguments: Json
    before: list[str] = []
    tool: str = "run_tool"

    def dialogue(self) -> Dialogue:
        call = [self.tool, self.arguments, {"ok": True}]
        earlier = [[user(said), closes(_CLOSING[self.language], "chat")] for said in self.before]
        question = asks("?", self.answer, self.tool, *self.asked)
        last = [user(self.say), question, *turns([call]), closes(_CLOSING[self.language])]
        kinds = [*["chat"] * len(earlier), "clarify"]
        return dialogue(*earlier, last, kinds=kinds, language=self.language, tools=tools_of([call]))


class TaskOfCalls(Struct, frozen=True, array_like=True):
    """What the user says, and the calls, one after the other."""

    say: str
    calls: list[Made]


class CallsCase(Case, frozen=True, kw_only=True):
    """Tasks with calls."""

    tasks: list[TaskOfCalls]

    def dialogue(self) -> Dialogue:
        made = [[user(one.say), *turns(one.calls), closes(_CLOSING[self.language])] for one in self.tasks]
        kinds = ["single" if len(one.calls) == 1 else "multi" for one in self.tasks]
        offered = tools_of(call for one in self.tasks for call in one.calls)
        return dialogue(*made, kinds=kinds, language=self.language, tools=offered)


class TextCase(Case, frozen=True, kw_only=True):
    """What somebody says: user, agent, thought, plan, or a tool's response. call: made in the task; times: how often
    the text stands there."""

    text: Any
    speaker: str = "user"
    call: Made = field(default_factory=lambda: ["get_weather", {"city": "Oslo"}, {"sky": "grey"}])
    times: int = 1

    def dialogue(self) -> Dialogue:
        name, arguments, result = self.call
        text = self.text * self.times if isinstance(self.text, str) else self.text
        said = {"user": "?", "agent": "…", "thought": "", "plan": "", "response": result} | {self.speaker: text}
        return dialogue(
            [user(said["user"]), calls(Action(name, arguments), thought=said["thought"], plan=said["plan"]),
             results(said["response"]), closes(said["agent"])],
            language=self.language, tools=tools_of([self.call]),
        )  # fmt: skip


class CountCase(Case, frozen=True, kw_only=True):
    """A task of so many calls (together in `steps`) and questions."""

    calls: int
    steps: int = 1
    questions: int = 0

    def dialogue(self) -> Dialogue:
        asked = [asks("?", "!", "get_weather", "city") for _ in range(self.questions)]
        made: list[Any] = []
        for step in range(self.steps):
            share = range(step, self.calls, self.steps)
            made += [
                calls(*(Action("get_weather", {"city": f"c{one}"}) for one in share)),
                results(*({} for _ in share)),
            ]
        return dialogue([user("?"), *asked, *made, closes("…")], tools=TOOLS)


class ArgumentCase(Case, frozen=True, kw_only=True):
    """A call of one of the tools in tools.json (a list: several; a name with "?": a question). faults: the filters that
    must object."""

    call: list[Any]
    faults: list[str] = []

    def is_faulty(self, name: str) -> bool:
        return name in self.faults

    def dialogue(self) -> Dialogue:
        name, given = self.call
        offered = msgspec.json.decode((FOLDER / "tools.json").read_bytes(), type=dict[str, Json])
        tools = tuple(Tool(key, "", value) for key, value in offered.items())
        if name.endswith("?"):
            made = asks("?", "!", name[:-1], *given)
        else:
            made = [calls(Action(name, given)), results({"ok": True})]
        return dialogue([user("?"), *made, closes("…")], language=self.language, tools=tools)


class PathCase(Case, frozen=True, kw_only=True):
    """A task that was to be of a kind. turns: what happened in it: "ask", or how many calls were made together."""

    wanted: str
    turns: list[str | int]
    shape: str | None = None

    def dialogue(self) -> Dialogue:
        made: list[Any] = [user("?")]
        for number, turn in enumerate(self.turns):
            if isinstance(turn, str):
                made += asks("?", "!", "get_weather", "city")
            else:
                actions = [Action("get_weather", {"city": f"c{number}-{one}"}) for one in range(turn)]
                made += [calls(*actions), results(*({"n": f"{number}-{one}"} for one in range(turn)))]
        whole = dialogue([*made, closes("…", "tool" if any(t != ASK for t in self.turns) else "chat")])
        planned = msgspec.structs.replace(whole.tasks[0], kind=self.wanted, shape=self.shape)
        return msgspec.structs.replace(whole, tasks=(planned,))


class ResultCase(Case, frozen=True, kw_only=True):
    """Results of simulated tools. earlier: calls before, with results; calls: (tool, arguments); results: (status,
    response); fault: which rule must object; tools: what is declared of them (`out`: the schema of results)."""

    say: str
    calls: list[tuple[str, Json]]
    results: list[tuple[int, Any]]
    earlier: list[Made] = []
    fault: str | None = None
    tools: dict[str, Json] = {}

    def is_faulty(self, _name: str) -> bool:
        return self.fault is not None

    def objections(self) -> tuple[str, ...]:
        """The names of the rules that object."""
        offered = tuple(
            one.noting(ToolFacts(known["out"])) if (known := self.tools.get(one.name)) else one
            for one in tools_of([*self.earlier, *([*call, None] for call in self.calls)])
        )
        made = Decision(False, "", "", tuple(Action(*call) for call in self.calls))
        view = AgentView(self.language, offered, "", (user(self.say), *turns(self.earlier)), 0, "multi")
        observations = [{"status_code": status, "response": response} for status, response in self.results]
        reply = Reply(msgspec.json.encode({"Observation_List": observations}).decode())
        return tuple(found.rule for found in check_tool_reply(view, made, reply)[2])

    def objected(self, _name: str) -> bool:
        return bool(self.objections())


FORMS: dict[str, tuple[type[Labelled], ...]] = {
    "path": (PathCase,),
    "arguments": (ArgumentCase,),
    "redundant_calls": (CallsCase,),
    "clarify_lacks": (ClarifyCase,),
    "chat_needs_no_tool": (ChatCase,),
    "language": (TextCase,),
    "length": (TextCase, CountCase),
    "clean_text": (TextCase,),
    "tool_results": (ResultCase,),
}
"""The forms of the cases in each file; of several the first that fits."""
FILES = dict.fromkeys(("hallucinated_function", "hallucinated_parameter", "types", "schema"), "arguments")
"""Of filters that share a file."""


def turns(made: Iterable[Made]) -> list[Entry]:
    """Calls one after the other, each with its result."""
    entries = []
    for name, arguments, result, *status in made:
        entries += [calls(Action(name, arguments)), results(result, status=status[0] if status else 200)]
    return entries


def tools_of(made: Iterable[Made]) -> tuple[Tool, ...]:
    """Definitions that admit these calls."""
    properties: dict[str, Json] = {}
    for name, arguments, *_ in made:
        kinds = {key: {"type": _JSON_TYPES[type(value)]} for key, value in arguments.items() if value is not None}
        properties[name] = properties.get(name, {}) | kinds
    return tuple(Tool(name, "", {"type": "object", "properties": kinds}) for name, kinds in properties.items())


@cache
def cases(name: str) -> tuple[Labelled, ...]:
    """The labelled cases of a filter."""
    file = FILES.get(name, name)
    lines = (FOLDER / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()
    read = tuple(_read(line, FORMS[file]) for line in lines)
    return read + _written_replies() if name == "clean_text" else read


def _read(line: str, forms: Sequence[type[Labelled]]) -> Labelled:
    for form in forms[:-1]:
        try:
            return msgspec.json.decode(line, type=form)
        except msgspec.ValidationError:
            continue
    return msgspec.json.decode(line, type=forms[-1])


def _written_replies() -> tuple[Labelled, ...]:
    """What users and assistants said in replies.jsonl, clean or not."""
    spoken = [one for one in replies() if one.reader in SPOKEN and one.reply.strip()]
    return tuple(
        TextCase(language=one.language, faulty=not one.is_clean, held_out=one.held_out, text=one.reply,
                 speaker="agent" if one.reader == "agent" else "user")
        for one in spoken
    )  # fmt: skip


class Measured(Struct):
    """cases, and how many of them are `faulty`, got an objection (`found`), and both (`right`)."""

    cases: int = 0
    faulty: int = 0
    found: int = 0
    right: int = 0

    def add(self, is_faulty: bool, is_found: bool) -> None:
        self.cases += 1
        self.faulty += is_faulty
        self.found += is_found
        self.right += is_faulty and is_found

    @property
    def cells(self) -> str:
        return f"{self.cases} | {self.faulty} | {share(self.right, self.found)} | {share(self.right, self.faulty)}"


def share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def measured(name: str, language: str, held_out: bool) -> Measured:
    total = Measured()
    for one in cases(name):
        if one.language == language and one.held_out is held_out:
            total.add(one.is_faulty(name), one.objected(name))
    return total


def wrong(name: str, held_out: bool = False) -> list[Labelled]:
    """The cases that are judged wrongly."""
    return [one for one in cases(name) if one.held_out is held_out and one.is_faulty(name) is not one.objected(name)]


def corpora() -> list[str]:
    """What there are cases for, in the order of the filters."""
    there = {path.stem for path in FOLDER.glob("*.jsonl")}
    known = [name for name in FILTERS if FILES.get(name, name) in there]
    return [*known, *sorted(there - set(FILES.values()) - set(known))]


def table() -> str:
    """The table of docs/generation-checks.md."""
    lines = [
        "| | language | cases | faulty | precision | recall | held out | faulty | precision | recall |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name in corpora():
        for language in sorted({one.language for one in cases(name)}):
            parts = [measured(name, language, held_out).cells for held_out in (False, True)]
            lines.append(f"| `{name}` | {language} | {' | '.join(parts)} |")
    for language in ("en", "zh"):
        found = measured_edges([one for one in edge_cases() if one.language == language])
        numbers = f"{found.pairs} | {found.labelled} | {found.precision:.3f} | {found.recall:.3f}"
        lines.append(f"| edges | {language} | {numbers} | 0 | 0 | - | - |")
    return "\n".join(lines)
