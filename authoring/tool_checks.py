"""What must hold for the written tool lists; every check yields a line that says where and what."""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from toolgauge.demo.templates import arguments_of, as_text, fill, follow, slots, speak

NOW = datetime.datetime(2024, 2, 28, 9, 30)
SAYINGS = 3
POOL = 4
_CJK = re.compile(r"[\u3400-\u9fff]")
_HALF_WIDTH = re.compile(r"[\u3400-\u9fff}][,?!;]|[,?!;][\u3400-\u9fff]")
_LOOK_UP = re.compile(r"\{[^{}]*\?[^{}]*\}")
_NAME = re.compile(r"[a-z][a-z0-9_]{1,63}")

Json = dict[str, Any]


def problems(line: Json, play: Json) -> Iterator[str]:
    """Everything wrong with one list in one language."""
    definitions = {tool["function"]["name"]: tool["function"] for tool in line["tools"]}
    where = f"{line['id']} ({line['language']})"
    if not 3 <= len(definitions) <= 9:
        yield f"{where}: has {len(definitions)} tools; 3 to 9 belong into a list"
    if len(play["chat"]) < 2:
        yield f"{where}: needs two pieces of chat"
    if not any(p.get("links") for tool in play["tools"].values() for p in tool["parameters"].values()):
        yield f"{where}: no argument comes from another tool's result"
    for name, definition in definitions.items():
        for problem in _Tool(definition, play, line["language"]).problems():
            yield f"{where}: {name}: {problem}"
    for path, text in _texts({"name of the list": line["name"], "chat": play["chat"], "tools": play["tools"]}):
        yield from (f"{where}: {path}: {wrong}" for wrong in _language(path, text, line["language"]))
    for path, text in _texts(line["tools"]):
        if path.endswith("description"):
            yield from (f"{where}: {path}: {wrong}" for wrong in _language(path, text, line["language"]))


class _Tool:
    """The checks of one tool in one language."""

    def __init__(self, definition: Json, play: Json, language: str) -> None:
        self.definition, self.language = definition, language
        self.tools: Json = play["tools"]
        self.play: Json = self.tools[definition["name"]]
        self.properties: Json = definition["parameters"]["properties"]
        self.required: list[str] = definition["parameters"]["required"]
        self.linked = {name for name, played in self.play["parameters"].items() if played.get("links")}

    def problems(self) -> Iterator[str]:
        if not _NAME.fullmatch(self.definition["name"]):
            yield "is no name in snake_case"
        jsonschema_rs.Draft202012Validator(self.definition["parameters"])
        yield from self._parameters()
        yield from self._wordings()
        yield from self._result()

    def _parameters(self) -> Iterator[str]:
        for name, schema in self.properties.items():
            played = self.play["parameters"][name]
            if not schema.get("description"):
                yield f"{name} has no description"
            small = len(schema["enum"]) if "enum" in schema else 2 if schema.get("type") == "boolean" else POOL
            if len(played["values"]) < min(POOL, small):
                yield f"{name} has {len(played['values'])} example values; {POOL} are needed"
            if name in self.required and not played["ask"]:
                yield f"the required parameter {name} needs a question (`ask`)"
            if "mention" in played and slots(played["mention"]) != [name]:
                yield f"the mention of {name} must hold {{{name}}} and nothing else"
            for value in played["values"]:
                yield from self._fits(name, fill(value, {}, NOW, random.Random(0)), "example")
            if slots(schema):
                yield f"{name} has a slot in its schema"
            if "default" in schema:
                yield from self._fits(name, schema["default"], "default")
            for link in played.get("links", []):
                yield from self._link(name, link)

    def _fits(self, name: str, value: Any, what: str) -> Iterator[str]:
        for error in jsonschema_rs.Draft202012Validator(self.properties[name]).iter_errors(value):
            yield f"the {what} {value!r} of {name} does not fit: {error.message}"

    def _link(self, name: str, link: Json) -> Iterator[str]:
        if link["tool"] not in self.tools:
            yield f"{name} comes from {link['tool']}, which the list does not have"
            return
        other = self.tools[link["tool"]]
        for turn in range(3):
            result = _answer(other, turn)
            try:
                value = follow(result, link["path"])
            except KeyError:
                yield f"{name}: the result of {link['tool']} has no {link['path']}"
                return
            yield from self._fits(name, value, f"value from {link['tool']}")

    def _wordings(self) -> Iterator[str]:
        say = self.play["say"]
        if len(set(say)) < SAYINGS:
            yield f"needs {SAYINGS} different wordings"
        for phrase in say:
            if sorted(slots(phrase)) != sorted(self.required):
                yield f"{phrase!r} must have a slot for each of {', '.join(self.required) or 'nothing'}"
        if bool(self.required) != ("vague" in self.play):
            yield "`vague` belongs to tools with required parameters, and only to these"
        if slots(self.play.get("vague", "")):
            yield "`vague` must not give anything"
        if bool(self.linked) != ("follow" in self.play):
            yield "`follow` belongs to tools with linked parameters, and only to these"
        rest = sorted(set(self.required) - self.linked)
        if "follow" in self.play and sorted(slots(self.play["follow"])) != rest:
            yield f"`follow` must have a slot for each of {', '.join(rest) or 'nothing'}"

    def _result(self) -> Iterator[str]:
        given = set(self.required) | {name for name, schema in self.properties.items() if "default" in schema}
        for slot in slots(self.play["result"]):
            if not set(arguments_of(slot)) <= given:
                yield f"the result needs {{{slot}}}, which need not be given"
                return
        for turn in range(3):
            try:
                result = _answer(self.play, turn)
                said = {name: self.play["parameters"][name]["said"][0] for name in self.required}
                speak(self.play["reply"], said, result)
            except KeyError as error:
                yield f"the reply has a slot that neither an argument nor the result fills: {error}"
                return


def _answer(play: Json, turn: int) -> Any:
    """A result of the tool for the values at one position of the pools."""
    draw = random.Random(turn)
    arguments = {
        name: fill(played["values"][turn % len(played["values"])], {}, NOW, draw)
        for name, played in play["parameters"].items()
    }
    return fill(play["result"], arguments, NOW, draw)


def _texts(tree: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(tree, dict):
        for key, part in tree.items():
            yield from _texts(part, f"{path}.{key}" if path else str(key))
    elif isinstance(tree, list):
        for index, part in enumerate(tree):
            yield from _texts(part, f"{path}[{index}]")
    elif isinstance(tree, str):
        yield path, tree


def _language(path: str, text: str, language: str) -> Iterator[str]:
    """English texts hold no Chinese characters; Chinese sentences do, with full-width punctuation."""
    chinese = bool(_CJK.search(text))
    if language == "en":
        if chinese:
            yield f"{text!r} is not English"
        return
    sentence = re.search(r"(say\[\d+\]|vague|follow|reply|ask|description|name of the list|user)$", path)
    if sentence and not chinese and text:
        yield f"{text!r} is not Chinese"
    plain = _LOOK_UP.sub("", text)
    if found := _HALF_WIDTH.search(plain):
        yield f"{text!r} has half-width punctuation at {found[0]!r}"
    if re.search(r"[A-Za-z]{4,} [a-z]{3,} [a-z]{2,}", plain):
        yield f"{text!r} holds an English phrase"


def alike(english: Json, chinese: Json) -> Iterator[str]:
    """The two languages must have the same shape: keys, types, numbers of items, slots."""
    yield from _differ(english, chinese, "")


def _differ(a: Any, b: Any, path: str) -> Iterator[str]:
    if isinstance(a, dict) and isinstance(b, dict):
        if list(a) != list(b):
            yield f"{path}: keys differ: {list(a)} and {list(b)}"
            return
        for key in a:
            yield from _differ(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield f"{path}: {len(a)} items and {len(b)}"
            return
        for index, (one, other) in enumerate(zip(a, b, strict=True)):
            yield from _differ(one, other, f"{path}[{index}]")
    elif type(a) is not type(b) or (not isinstance(a, str) and a != b):
        yield f"{path}: {as_text(a)} and {as_text(b)}"
