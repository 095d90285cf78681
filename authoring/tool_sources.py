"""Read authoring/tools/*.yaml and render every tool list in one language.

README.md beside this file describes the format. Nothing is judged here beyond what reading needs; tool_checks.py does.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from build import Mistake, localise

SOURCES = Path(__file__).parent / "tools"
CATEGORIES = ("everyday", "travel", "work", "money", "shopping", "health", "learning", "leisure")
"""The order of the library; a file each."""

_OWN = ("values", "said", "ask", "mention", "from", "like", "id", "enum")
"""Keys of a written parameter that are not handed on into its schema as they are."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The fast one where PyYAML has it."""

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


def render(category: str, subcategory: str, list_id: str, written: Json, language: str) -> Json:
    """The line of the library of one list in one language."""
    names = list(written["tools"])
    tools = {name: _Rendered(list_id, name, written, language) for name in names}
    return {
        "id": list_id,
        "name": written["title"][language],
        "category": category,
        "subcategory": subcategory,
        "language": language,
        "tools": [tools[name].definition() for name in names],
    }


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


def _members(enum: Json) -> str:
    return "可选值：" + "、".join(f"{member}（{words['zh']}）" for member, words in enum.items()) + "。"
