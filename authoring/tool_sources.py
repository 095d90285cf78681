"""Read authoring/tools/*.yaml and render every tool list in one language: definitions and play material.

README.md beside this file describes the format. Nothing is judged here beyond what reading needs; tool_checks.py does.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from build import LANGUAGES, Mistake, localise
from toolgauge.demo.templates import as_text

SOURCES = Path(__file__).parent / "tools"
CATEGORIES = ("everyday", "travel", "work", "money", "shopping", "health", "learning", "leisure")
"""The order of the library; a file each."""

_OWN = ("values", "said", "ask", "mention", "from", "like", "id", "enum")
"""Keys of a written parameter that are not handed on into its schema as they are."""
_POOL = 5
"""Values made from an `id` pattern."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The fast one where PyYAML has it."""
_YES_NO = [True, False]

Json = dict[str, Any]


def read(category: str) -> Json:
    """One category's file as it is written, parameters completed from _shared.yaml."""
    document: Json = _yaml(SOURCES / f"{category}.yaml")
    shared = _yaml(SOURCES / "_shared.yaml")
    for _, _, written in lists_of(document):
        parameters = written["parameters"]
        for name, parameter in parameters.items():
            if "like" in parameter:
                if parameter["like"] not in shared:
                    raise Mistake(f"{category}: {name}: _shared.yaml has no {parameter['like']}")
                parameters[name] = shared[parameter["like"]] | parameter
    return document


def _yaml(file: Path) -> Any:
    return copy.deepcopy(_parsed(file))


@cache
def _parsed(file: Path) -> Any:
    return yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 (it is a safe one)


def lists_of(document: Json) -> Iterator[tuple[str, str, Json]]:
    """Every list of a category: subcategory, list id, what is written."""
    for subcategory, part in document["subcategories"].items():
        for list_id, written in part["lists"].items():
            yield subcategory, list_id, written


def render(category: str, subcategory: str, list_id: str, written: Json, language: str) -> tuple[Json, Json]:
    """The line of the library and the line of play material of one list in one language."""
    names = list(written["tools"])
    tools = {name: _Rendered(list_id, name, written, language) for name in names}
    line = {
        "id": list_id,
        "name": written["title"][language],
        "category": category,
        "subcategory": subcategory,
        "language": language,
        "tools": [tools[name].definition() for name in names],
    }
    play = {
        "id": list_id,
        "tools": {name: tools[name].play() for name in names},
        "chat": localise(written["chat"], language),
    }
    return line, play


class _Rendered:
    """One tool of a list in one language."""

    def __init__(self, list_id: str, name: str, written: Json, language: str) -> None:
        self.place, self.name, self.language = f"{list_id}.{name}", name, language
        self.written: Json = written["tools"][name]
        self.required = list(self.written.get("required", []))
        self.optional = list(self.written.get("optional", []))
        glossary = written["parameters"]
        own = self.written.get("parameters", {})
        unknown = [one for one in self.required + self.optional if one not in glossary and one not in own]
        if unknown:
            raise Mistake(f"{self.place}: the list's parameters do not have {', '.join(unknown)}")
        self.parameters = {one: glossary.get(one, {}) | own.get(one, {}) for one in self.required + self.optional}

    def definition(self) -> Json:
        properties = {name: self._schema(parameter) for name, parameter in self.parameters.items()}
        parameters: Json = {"type": "object", "properties": properties, "required": self.required}
        description = self.written["description"][self.language]
        return {
            "type": "function",
            "function": {"name": self.name, "description": description, "parameters": parameters},
        }

    def _schema(self, parameter: Json) -> Json:
        schema: Json = localise({key: value for key, value in parameter.items() if key not in _OWN}, self.language)
        if "enum" in parameter:
            schema["enum"] = list(parameter["enum"])
            if self.language == "zh":
                schema["description"] += _members(parameter["enum"])
        return schema

    def play(self) -> Json:
        played: Json = {
            "say": self.written["say"][self.language],
            "result": localise(self.written["result"], self.language),
            "reply": self.written["reply"][self.language],
            "parameters": {name: self._played(name, parameter) for name, parameter in self.parameters.items()},
        }
        for key in ("vague", "follow"):
            if key in self.written:
                played[key] = self.written[key][self.language]
        return played

    def _played(self, name: str, parameter: Json) -> Json:
        values, said = pool(parameter, self.language, f"{self.place}.{name}")
        played: Json = {"values": values, "said": said, "ask": parameter.get("ask", {}).get(self.language, "")}
        if name in self.optional:
            sentence = {} if parameter.get("type") != "boolean" else dict.fromkeys(LANGUAGES, f"{{{name}}}")
            mention = parameter.get("mention", sentence)
            if self.language not in mention:
                raise Mistake(f"{self.place}: the optional parameter {name} needs a `mention`")
            played["mention"] = mention[self.language]
        links = [link.partition(".") for link in parameter.get("from", [])]
        # A tool that returns what it takes (an order's number) is not its own source.
        if found := [{"tool": tool, "path": path} for tool, _, path in links if tool != self.name]:
            played["links"] = found
        return played


def pool(parameter: Json, language: str, place: str) -> tuple[list[Any], list[str]]:
    """The example values of a parameter and how each is said."""
    if "id" in parameter:
        values: list[Any] = _ids(parameter["id"])
    elif "values" in parameter:
        values = localise(parameter["values"], language)
    elif "enum" in parameter:
        members = parameter["enum"]
        return list(members), [members[member][language] for member in members]
    elif parameter.get("type") == "boolean":
        values = _YES_NO
    else:
        raise Mistake(f"{place}: needs `values`")
    said = localise(parameter["said"], language) if "said" in parameter else [_spoken(value) for value in values]
    if len(said) != len(values) or not all(isinstance(one, str) for one in said):
        raise Mistake(
            f"{place}: {len(values)} values, but {len(said)} ways to say them ({language}), or one is no text"
        )
    return values, said


def _spoken(value: Any) -> str:
    if isinstance(value, bool | list | dict):
        raise Mistake(f"`said` must tell how people say {value!r}")
    return as_text(value)


def _ids(pattern: str) -> list[Any]:
    draw = random.Random(pattern)
    return ["".join(draw.choice("123456789") if c == "#" else c for c in pattern) for _ in range(_POOL)]


def _members(enum: Json) -> str:
    return "可选值：" + "、".join(f"{member}（{words['zh']}）" for member, words in enum.items()) + "。"
