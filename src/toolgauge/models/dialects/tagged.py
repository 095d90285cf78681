"""Calls whose arguments stand one by one between tags, mostly as plain texts: GLM, Hunyuan 3, DeepSeek V3.2 and V4,
MiniMax M2, Qwen3-Coder, Seed-OSS; and the types that the schema of a tool gives such texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.chat import Json, Tool, ToolCall
from toolgauge.models.dialects.calls import Parsed, PlainCall, within_depth, write_json
from toolgauge.models.dialects.reading import Reading, parse_marked
from toolgauge.models.schemas import argument_schemas, type_of, types_of

_GAP = re.compile(r"\s*+(?:\\n\s*+)*")
"""Between tags; some models write a line break as two characters."""


def as_text(_key: re.Match[str], text: str) -> object:
    return text


class TaggedCalls(Struct, frozen=True):
    """A call goes no further than the next opener, so that no text takes more than linear time.

    opener: announces one call, with the opening mark of the section where it is the first; name: what stands behind
    it, with the group "name"; key: the tag of an argument, with the group "key"; value_end: the tag behind its value;
    closer: of the call, with the closing mark of the section; value: what a value's text means, given the match of
    `key`; without it a text, for `typed`. Behind the name an object of JSON may stand instead.
    """

    opener: re.Pattern[str]
    name: re.Pattern[str]
    key: re.Pattern[str]
    value_end: re.Pattern[str]
    closer: re.Pattern[str]
    value: Callable[[re.Match[str], str], object] = as_text

    def parse(self, text: str) -> Parsed:
        return parse_marked(text, self.opener, self._take)

    def _take(self, reading: Reading, at: int) -> int:
        """Take the call behind an opener; the place behind its closing marks. Raises UnreadCall."""
        text = reading.text
        name = self.name.match(text, at)
        if name is None:
            raise UnreadCall(CallProblem.UNWRITTEN)
        following = self.opener.search(text, name.end())
        bound = following.start() if following else len(text)
        arguments: dict[str, object] = {}
        at = name.end()
        if text[at : at + 1] == "{":
            arguments, at = reading.value(at)
            at = reading.skip(_GAP, at)
        while not (closed := self.closer.match(text, at, bound)):
            key = self.key.match(text, at, bound)
            end = self.value_end.search(text, key.end(), bound) if key else None
            if key is None or end is None:
                closed = self.closer.search(text, at, bound)
                raise UnreadCall(CallProblem.NO_VALUE if closed else CallProblem.CUT_OFF)
            arguments[key["key"].strip()] = self.value(key, text[key.end() : end.start()])
            at = reading.skip(_GAP, end.end())
        reading.add_call(name["name"], arguments)
        return closed.end()


_CALL = r"<(?:seed:)?tool_call>"
_CLOSED = r"</(?:seed:)?tool_call>"
_OPENER = re.compile(
    rf"{_CALL}|(?:^|(?<=</function>))[ \t]*+(?=<function=[^\s<>]++>\s*+(?:<parameter=|</function>))", re.MULTILINE
)
_HEAD = re.compile(r"\s*+<function=(?P<name>[^\s<>]++)>\s*+")
_PARAMETER = re.compile(r"<parameter=(?P<key>[^<>\n]*+)>")
_VALUE_END = re.compile(
    rf"</parameter>\s*+(?=<parameter=|</function>|{_CLOSED})"
    rf"|(?<=\n)(?=<parameter=[^<>\n]*+>\n)|(?=</function>\s*+{_CLOSED})"
)
_CALL_END = re.compile(rf"</function>(?:\s*+{_CLOSED})?|{_CLOSED}")
_OF_ANOTHER = re.compile(r"</parameter|<function=")
"""What a value without its own closing tag cannot hold: there something else is missing as well."""
CODER_ENDS = re.compile(r"</?parameter|</?function\b|</?(?:seed:)?tool_call>")
"""What may end a value of Qwen3-Coder's and Seed-OSS's."""


def _coder_value(_key: re.Match[str], text: str) -> object:
    """Without the line breaks that belong to the tags. Raises UnreadCall where more than a closing tag is missing."""
    if _OF_ANOTHER.search(text):
        raise UnreadCall(CallProblem.NO_VALUE)
    return text.removeprefix("\n").removesuffix("\n")


CODER = TaggedCalls(_OPENER, _HEAD, _PARAMETER, _VALUE_END, _CALL_END, _coder_value)
"""Qwen3-Coder's tags, in Seed-OSS's own section too; every value stays a text, for `typed`.

The models forget some of the tags (ollama issue 16686, SGLang pull request 27337): as vLLM's or SGLang's parsers do, a
function without `<tool_call>` is read, and a value that ends with the next tag.
"""


_PYTHONS: dict[str, tuple[str, bool | None]] = {
    "True": ("boolean", True),
    "False": ("boolean", False),
    "None": ("null", None),
}


def typed(parsed: Parsed, tools: tuple[Tool, ...], *, quoted: bool) -> Parsed:
    """The calls with values of their types; until here all of them are texts. quoted: see `typed_value`."""
    schemas = argument_schemas(tools)
    return replace(
        parsed, calls=tuple(_typed(call, schemas.get(call.name or "", {}), quoted=quoted) for call in parsed.calls)
    )


def _typed(call: ToolCall, schemas: Json, *, quoted: bool) -> ToolCall:
    texts: dict[str, str] = json.loads(call.arguments)
    arguments = {key: typed_value(text, schemas.get(key), quoted=quoted) for key, text in texts.items()}
    return replace(call, arguments=write_json(arguments))


def typed_value(text: object, schema: object, *, quoted: bool) -> object:
    """What a value's text means: JSON where it is JSON, else itself; a boolean or null may be Python's.

    Where the schema takes strings, JSON of a type that it does not take is a text too. quoted: such a string may stand
    in quotes; otherwise quotes belong to it.
    """
    if not isinstance(text, str):  # of arguments that were written as one object
        return text
    kinds = types_of(schema)
    if text in _PYTHONS and _PYTHONS[text][0] in kinds and "string" not in kinds:
        return _PYTHONS[text][1]
    try:
        value = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError):
        return text
    kind = type_of(value)
    is_taken = kind in kinds or (kind == "integer" and "number" in kinds)
    if "string" in kinds and (not is_taken or (kind == "string" and not quoted)):
        return text
    return value if within_depth([value]) else text


def _refused(constant: str) -> object:
    raise ValueError(constant)


def argument_texts(call: PlainCall, ends: re.Pattern[str], *, quoted: bool) -> list[tuple[str, str]]:
    """The names and values of a call's arguments, as `typed` reads them back. ends: what may end a value.

    A string stands as it is, unless it would be read as something else or holds what may end a value; else JSON.
    """
    texts = []
    for key, value in call.arguments.items():
        plain = isinstance(value, str) and not ends.search(value)
        if not plain or typed_value(value, call.schemas.get(key), quoted=quoted) != value:
            texts.append((key, write_json(value).replace("<", "\\u003c")))
        else:
            texts.append((key, value))
    return texts
