"""What the scripted user wants in a task, and how it is done: both follow from the dialogue and seeded draws alone.

A later task takes up an earlier one (its `base`): the same tool with one value changed, so that everything else stands
in what was said before. Calls in sequence pass a value of a result on where a parameter takes one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from toolgauge.chat import Json, Tool
from toolgauge.data.leaves import leaves
from toolgauge.data.session import Reference
from toolgauge.data.toolnames import name_words
from toolgauge.demo.values import Values, is_id, scalars
from toolgauge.errors import UsageError
from toolgauge.generation.checks import misfits
from toolgauge.generation.dialogue import IntendedCall, actions_of
from toolgauge.generation.literal import is_telling
from toolgauge.generation.pseudo import askable
from toolgauge.generation.state import DialogueState, seeded_random
from toolgauge.languages import has_han

STYLES = 5
_ENDS = re.compile(r"[.:;(。：；（]|，(?=.{8})")
_CLOSING = " .?!。？！"
Arguments = dict[str, Any]


class Said(Struct, frozen=True):
    """What the user says, means and withholds. base: the task that it takes up, None for none."""

    text: str
    calls: tuple[IntendedCall, ...] = ()
    withheld: tuple[str, ...] = ()


class Link(Struct, frozen=True):
    """A call needs an earlier one. source: its place among the task's calls; parameter: the one that takes a value of
    the result, None where only the order counts."""

    source: int
    parameter: str | None


@cache
def words_of(language: str) -> dict[str, str]:
    content = files("toolgauge.demo").joinpath(f"words.{language}.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, str])


class Scene:
    """A dialogue as scripted agents see it. usable: the tools for which all required values can be made."""

    def __init__(self, state: DialogueState) -> None:
        self.state, self.words = state, words_of(state.language)
        self.tools = {tool.name: tool for tool in state.tools}
        self.usable = [tool for tool in state.tools if self.values(0, "usable", tool.name).arguments(tool) is not None]
        if not self.usable:
            raise UsageError(
                f"scripted agents cannot make up values for any tool of the list {state.tool_list}; give its "
                "parameters examples, or choose a model with -m"
            )

    def draw(self, task: int, *purpose: object) -> random.Random:
        state = self.state
        return seeded_random(0, state.record.key, state.tool_list, state.clock, task, *purpose)

    def values(self, task: int, *purpose: object) -> Values:
        return Values(self.draw(task, *purpose), self.words, self.state.clock)

    # What the user says.

    def proposals(self, count: int) -> list[Said]:
        """Several first tasks, or one later one; with all candidates several of these, too."""
        made = (self.first(number) if not self.state.task else self.later(number) for number in range(count))
        return list({one.text: one for one in made}.values())

    def first(self, number: int) -> Said:
        task = self.state.tasks[-1]
        values = self.values(0, "first", number)
        style = self.words[f"style_{number % STYLES + 1}"]
        if task.kind == "chat":
            tool, arguments = self.topic(0)
            facts = self.facts(tool, arguments)
            name = f"chat_{number % 3 + 1}" if facts else "chat_bare"
            return Said(fill(self.words[name], clause=self.clause(tool), facts=facts))
        if task.kind == "clarify":
            wish, calls, withheld = self._lacking(values, task.chosen, task.missing)
        else:
            wish, calls = self._wish(values, task.kind, task.shape, task.chosen)
            withheld = ()
        return Said(fill(style, wish=wish), calls, withheld)

    def later(self, number: int) -> Said:
        task, values = self.state.tasks[-1], self.values(self.state.task, "later", number)
        how = task.reference.value
        base = self.mention(self.base_of(self.state.task))
        if task.kind == "chat":
            return Said(self.words[f"{how}_chat"])
        if task.kind == "clarify":
            return self._unclear(values, how, base)
        changed = [one for one in (_change(values, *base) for _ in range(2)) if one] if base else []
        if not changed or base is None or (task.shape in ("parallel_tools", "mixed_tools") and not _differ(changed)):
            wish, calls = self._wish(values, task.kind, task.shape, None)
            return Said(fill(self.words[f"{how}_new"], wish=wish), calls)
        tool, called = base[0], [IntendedCall(base[0].name, arguments) for arguments, _name in changed]
        facts = [self.facts(tool, {name: arguments[name]}) for arguments, name in changed]
        if task.shape in ("parallel_tools", "mixed_tools"):
            said = fill(self.words[how], facts=fill(self.words["each"], one=facts[0], two=facts[1]))
        else:
            said, called = fill(self.words[how], facts=facts[0]), called[:1]
        if task.shape in ("sequential_tools", "mixed_tools"):
            said, called = self._then(values, said.rstrip(_CLOSING), called)
            said = fill(self.words["style_1"], wish=said)
        return Said(said, tuple(called))

    def _unclear(self, values: Values, how: str, base: tuple[Tool, Arguments] | None) -> Said:
        """Something with another value, which is not said."""
        if base is not None and (open_ := askable(self.state.tools).get(base[0].name)):
            missing = values.draw.choice(open_)
            rest = {name: value for name, value in base[1].items() if name != missing}
            text = fill(self.words[f"{how}_clarify"], names=self.name(base[0], missing))
            return Said(text, (IntendedCall(base[0].name, rest),), (missing,))
        wish, calls, withheld = self._lacking(values, None, ())
        return Said(fill(self.words[f"{how}_new"], wish=wish), calls, withheld)

    def _lacking(
        self, values: Values, chosen: str | None, missing: tuple[str, ...]
    ) -> tuple[str, tuple[IntendedCall, ...], tuple[str, ...]]:
        own = {name: names for name, names in askable(self.state.tools).items() if self._is_usable(name)}
        if chosen not in own:
            chosen, missing = values.draw.choice(sorted(own)), ()
        tool = self.tools[chosen]
        withheld = missing or own[chosen][:1]
        arguments = values.arguments(tool) or {}
        stated = {name: value for name, value in arguments.items() if name not in withheld}
        return self.wish(tool, stated), (IntendedCall(chosen, stated),), withheld

    def _wish(
        self, values: Values, kind: str, shape: str | None, chosen: str | None
    ) -> tuple[str, tuple[IntendedCall, ...]]:
        """A wish of its own, without anything left out."""
        tool = self.tools[chosen] if chosen and self._is_usable(chosen) else values.draw.choice(self.usable)
        arguments = values.arguments(tool) or {}
        if kind == "single":
            return self.wish(tool, arguments), (IntendedCall(tool.name, arguments),)
        calls = [IntendedCall(tool.name, arguments)]
        said = self.wish(tool, arguments)
        if shape != "sequential_tools":
            said, calls = self._beside(values, tool, arguments)
        if shape != "parallel_tools":
            said, calls = self._then(values, said, calls)
        return said, tuple(calls)

    def _beside(self, values: Values, tool: Tool, arguments: Arguments) -> tuple[str, list[IntendedCall]]:
        """Two calls that need nothing of each other: one tool twice, or two tools."""
        others = [one for one in self.usable if one.name != tool.name]
        changed = _change(values, tool, arguments)
        if changed is not None and (not others or values.draw.random() < 0.5):
            facts = [self.facts(tool, one) for one in (arguments, changed[0])]
            said = fill(self.words["twice"], clause=self.clause(tool), one=facts[0], two=facts[1])
            return said, [IntendedCall(tool.name, arguments), IntendedCall(tool.name, changed[0])]
        other = values.draw.choice(others or self.usable)
        more = values.arguments(other) or {}
        said = fill(self.words["also"], one=self.wish(tool, arguments), two=self.wish(other, more))
        return said, [IntendedCall(tool.name, arguments), IntendedCall(other.name, more)]

    def _then(self, values: Values, said: str, calls: list[IntendedCall]) -> tuple[str, list[IntendedCall]]:
        """One more call, which needs the first of those before: a value of its result if a tool takes one."""
        source = calls[0]
        result = observe(self, source.name, source.arguments)
        made = [(tool, name) for tool in self.usable for name in tool.required
                if carried(result, tool, name) is not None]  # fmt: skip
        if made:
            fitting = [(tool, name) for tool, name in made if is_id(name)]
            tool, name = values.draw.choice(fitting or made)
            arguments = values.arguments(tool, {name: carried(result, tool, name)}) or {}
            stated = {key: value for key, value in arguments.items() if key != name}
            text = fill(self.words["then_value"], one=said, name=self.name(tool, name), two=self.wish(tool, stated))
            return text, [*calls, IntendedCall(tool.name, stated)]
        known = [(call.name, call.arguments) for call in calls]
        for tool in values.draw.sample(self.usable, len(self.usable)):
            arguments = values.arguments(tool) or {}
            if (tool.name, arguments) not in known:
                break
        text = fill(self.words["then_order"], one=said, two=self.wish(tool, arguments))
        return text, [*calls, IntendedCall(tool.name, arguments)]

    def _is_usable(self, name: str) -> bool:
        return any(tool.name == name for tool in self.usable)

    # What a later task takes up.

    def base_of(self, task: int) -> int:
        """The task that a later one takes up: the last one, or the first one."""
        return 0 if self.state.tasks[task].reference is Reference.LONG_RANGE else task - 1

    def mention(self, task: int) -> tuple[Tool, Arguments] | None:
        """The tool and the arguments that a task was about; None where they are not known."""
        entries = [entry for entry in self.state.entries if entry.task == task and entry.accepted]
        calls = [action for entry in entries for action in actions_of(entry) if action.is_tool]
        known = [call for call in calls if call.name in self.tools]
        if known:
            return self.tools[known[0].name], known[0].arguments
        if task < self.state.earlier:
            return None
        return self.mention(self.base_of(task)) if task else self.topic(0)

    def topic(self, task: int) -> tuple[Tool, Arguments]:
        """What small talk is about."""
        values = self.values(task, "topic")
        tool = values.draw.choice(self.usable)
        return tool, values.arguments(tool) or {}

    # Words.

    def wish(self, tool: Tool, arguments: Arguments) -> str:
        facts = self.facts(tool, arguments)
        return fill(self.words["wish" if facts else "wish_bare"], clause=self.clause(tool), facts=facts)

    def facts(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """Values with the names of their parameters."""
        listed = [
            fill(self.words["fact"], name=self.name(tool, name), value=self.say(value))
            for name, value in arguments.items()
        ]
        return self.words["comma"].join(listed)

    def say(self, value: object) -> str:
        if isinstance(value, bool):
            return self.words["yes" if value else "no"]
        if isinstance(value, dict):
            return self.words["and"].join(
                f"{' '.join(name_words(key))} {self.say(part)}" for key, part in value.items()
            )
        if isinstance(value, list):
            return self.words["and"].join(self.say(part) for part in value)
        return str(value)

    def clause(self, tool: Tool) -> str:
        """What a tool is for, in a few words: how its description begins."""
        begun = _ENDS.split(tool.description.strip(), 1)[0].strip()
        if not begun or len(begun) > 120 or tool.name in begun:
            begun = " ".join(name_words(tool.name))
        return begun if begun[:2].isupper() else begun[:1].lower() + begun[1:]

    def name(self, tool: Tool, parameter: str) -> str:
        """A parameter as people call it."""
        schema = tool.properties.get(parameter)
        said = str(schema.get("description", "")) if isinstance(schema, dict) else ""
        begun = re.split(r"[,.;:，。；：（(]", said.strip(), maxsplit=1)[0].strip()
        if self.state.language == "zh" and has_han(begun) and len(begun) <= 14:
            return begun
        return " ".join(name_words(parameter))

    def names(self, tool: str, parameters: tuple[str, ...]) -> str:
        known = self.tools.get(tool)
        return self.words["and"].join(self.name(known, one) if known else one for one in parameters)

    # What is to be done.

    def links(self) -> dict[int, Link]:
        """By the place of a call among the task's, the earlier one that it needs."""
        task = self.state.tasks[-1]
        calls = task.intent.calls if task.intent else ()
        if task.shape == "sequential_tools":
            pairs = [(number, number - 1) for number in range(1, len(calls))]
        else:
            pairs = [(len(calls) - 1, 0)] if task.shape == "mixed_tools" else []
        return {number: Link(source, self._unsaid(calls[number])) for number, source in pairs}

    def _unsaid(self, call: IntendedCall) -> str | None:
        return next((name for name in self.tools[call.name].required if name not in call.arguments), None)

    def steps(self) -> list[list[int]]:
        """The places of the calls that are made together, in order."""
        task = self.state.tasks[-1]
        count = len(task.intent.calls) if task.intent else 0
        if task.shape == "sequential_tools":
            return [[number] for number in range(count)]
        if task.shape == "mixed_tools":
            return [[*range(count - 1)], [count - 1]]
        return [[*range(count)]] if count else []

    def answers(self) -> Arguments:
        """What the user has left out of the task under way, and says when asked."""
        intent = self.state.tasks[-1].intent
        if intent is None or not intent.withheld:
            return {}
        tool, values = self.tools[intent.calls[0].name], self.values(self.state.task, "answer")
        base = self.mention(self.base_of(self.state.task)) if self.state.task else None
        before = base[1] if base is not None and base[0].name == tool.name else {}
        return {name: values.of(tool, name, before.get(name)) or values.of(tool, name) for name in intent.withheld}


def fill(template: str, **values: object) -> str:
    """A text with its {slots} filled in."""
    return re.sub(r"\{(\w+)\}", lambda slot: str(values.get(slot[1], slot[0])), template)


def _change(values: Values, tool: Tool, arguments: Arguments) -> tuple[Arguments, str] | None:
    """The same arguments with one other value, and its name; None where there is none."""
    names = [name for name in scalars(arguments) if name in tool.properties]
    for name in values.draw.sample(names, len(names)):
        value = values.of(tool, name, arguments[name])
        if value is not None:
            return {**arguments, name: value}, name
    return None


def _differ(changed: list[tuple[Arguments, str]]) -> bool:
    return len(changed) == 2 and changed[0][0] != changed[1][0]


def carried(result: object, tool: Tool, parameter: str) -> Any:
    """The value of a result that a parameter takes; None for none."""
    schema = tool.properties.get(parameter)
    if not isinstance(schema, dict) or "enum" in schema or "const" in schema or "format" in schema:
        return None
    alone = {"type": "object", "properties": {parameter: schema}}
    for _path, value in leaves(result):
        if is_telling(value) and _is_fresh(value) and not any(misfits(alone, {parameter: value})):
            return value
    return None


def _is_fresh(value: object) -> bool:
    """Is it an id that a scripted tool has made up, so that it stands in no other place?"""
    return isinstance(value, str) and re.fullmatch(r"R[A-Z]-\d{6}", value) is not None


def observe(scene: Scene, name: str, arguments: Arguments) -> Json:
    """What a scripted tool returns: the same for the same call in a dialogue. Of a declared result what it declares,
    with an id where its texts are free."""
    state, tool = scene.state, scene.tools.get(name)
    key = msgspec.json.encode(arguments, order="sorted").decode()
    draw = seeded_random(0, state.record.key, state.clock, "result", name, key)
    number = f"R{draw.choice('ABCDEFGHJKLM')}-{draw.randint(100000, 999999)}"
    shape = tool.facts.output_schema if tool is not None and tool.facts else None
    if shape is None:
        said = {one: arguments[one] for one in list(scalars(arguments))[:2]}
        return {"id": number, "status": "ok", **said}
    value = Values(draw, scene.words, state.clock).value({"type": "object", **shape}, "result")
    marked = dict(_marked(value, number)) if isinstance(value, dict) else {"result": value}
    return value if any(misfits(shape, marked)) and isinstance(value, dict) else marked


def _marked(value: Json, number: str) -> Iterator[tuple[str, Any]]:
    """A result whose first id is a made-up one."""
    used = False
    for key, part in value.items():
        is_id = not used and isinstance(part, str) and name_words(key)[-1:] in (["id"], ["key"], ["code"], ["number"])
        yield key, number if is_id else part
        used = used or is_id
