"""The templates of a dialogue's tools, seen from its clock: wordings, example values, definitions, links."""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.chat import Tool
from toolgauge.demo.pointing import counted
from toolgauge.demo.templates import Link, ToolListTemplates, ToolTemplates, as_text, fill
from toolgauge.generation.validators.arguments import schema_objections

_CLOCK = re.compile(r"(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})")
TEXTS = frozenset(
    (
        "text",
        "title",
        "topic",
        "comment",
        "message",
        "body",
        "question",
        "query",
        "subject",
        "note",
        "reason",
        "complaint",
    )
)
"""Names of parameters whose values are texts and no thing that one could point at."""
_NOON = datetime.datetime(2024, 6, 3, 12, 0)


class SpokenValue(Struct, frozen=True):
    """A value and how people say it."""

    value: object
    words: str


class Fixture:
    """What scripted agents have to talk about in one dialogue."""

    def __init__(self, templates: ToolListTemplates, tools: Sequence[Tool], language: str, clock: str) -> None:
        self.language, self.now = language, now_of(clock)
        self.tools = {tool.name: tool for tool in tools if tool.name in templates.tools}
        self.templates: dict[str, ToolTemplates] = {name: templates.tools[name] for name in self.tools}
        self.chat = templates.chat

    def schema(self, tool: str, parameter: str) -> dict[str, object]:
        found: dict[str, object] = self.tools[tool].properties.get(parameter) or {}
        return found

    def required(self, tool: str) -> list[str]:
        return [name for name in self.tools[tool].required if self._has_templates(tool, name)]

    def optional(self, tool: str) -> list[str]:
        """Optional parameters that a user can speak of without knowing another tool's result."""
        templates, required = self.templates[tool].parameters, self.required(tool)
        return [name for name, one in templates.items() if name not in required and one.mention and not one.links]

    def linked(self, tool: str) -> dict[str, tuple[Link, ...]]:
        """The required parameters that other tools' results give."""
        templates = self.templates[tool].parameters
        return {name: templates[name].links for name in self.required(tool) if templates[name].links}

    def values(self, tool: str, parameter: str) -> list[SpokenValue]:
        """Example values, each as it is now and as people say it."""
        templates, draw = self.templates[tool].parameters[parameter], random.Random(0)
        pairs = zip(templates.values, templates.said, strict=False)
        return [SpokenValue(fill(value, {}, self.now, draw), words) for value, words in pairs]

    def in_passing(self, tool: str, parameter: str, words: str) -> str:
        """The words of a value where nothing else is said: a number with what it counts, a text in quotation marks."""
        if self.nature(tool, parameter) == "text" and not re.search("[“”]", words):
            return f"“{words}”"
        templates = self.templates[tool]
        phrases = [*templates.say, templates.follow or "", templates.parameters[parameter].mention or ""]
        return counted(phrases, parameter, words, self.language)

    def spoken(self, tool: str, parameter: str, value: object) -> SpokenValue:
        """A value with its words: those of the templates where they have them."""
        known = self.values(tool, parameter) if self._has_templates(tool, parameter) else []
        return next((one for one in known if one.value == value), SpokenValue(value, as_text(value)))

    def fits(self, tool: str, parameter: str, value: object) -> bool:
        """May a parameter have this value?"""
        return not any(schema_objections(self.tools[tool], {parameter: value}))

    def nature(self, tool: str, parameter: str) -> str:
        """What a parameter is for those who speak of it: "day", "month", "time", "text" (words to be quoted), "one" (a
        thing with a name), or "" for the rest."""
        schema = self.schema(tool, parameter)
        kinds = ("string", "object", "array", *(["integer"] if parameter.endswith("_id") else []))
        if schema.get("type") not in kinds or "enum" in schema:
            return ""
        value = self.values(tool, parameter)[0].value
        for nature, pattern in (("day", r"\d{4}-\d\d-\d\d"), ("month", r"\d{4}-\d\d"), ("time", r"\d\d:\d\d")):
            if isinstance(value, str) and re.fullmatch(pattern, value):
                return nature
        return "text" if parameter in TEXTS else "one"

    def _has_templates(self, tool: str, parameter: str) -> bool:
        return parameter in self.templates[tool].parameters


def now_of(clock: str) -> datetime.datetime:
    """The date and time that a dialogue is set in; noon of some day where it cannot be read."""
    if found := _CLOCK.search(clock):
        try:
            return datetime.datetime(*(int(part) for part in found.groups()))  # type: ignore[arg-type]
        except ValueError:
            pass
    return _NOON
