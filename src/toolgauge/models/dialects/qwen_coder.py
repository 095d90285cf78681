"""Qwen3-Coder, Qwen 3.5, 3.6, Granite 4.2, Nemotron 3: tags around a function and every value, which stands as text.

The marks are those of the models' chat templates. The models forget some of them (ollama issue 16686, SGLang pull
request 27337): as vLLM's or SGLang's parsers do, a function without `<tool_call>` is read, and a value that ends with
the next tag.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.models.dialects.dialect import Parsed, PlainCall
from toolgauge.models.dialects.family import Family
from toolgauge.models.dialects.format_spec import FormatSpec, tool_lines
from toolgauge.models.dialects.named_call import read_marked
from toolgauge.models.dialects.reading import Reading
from toolgauge.models.dialects.tag_json import VARIANT, responses
from toolgauge.models.dialects.typed_args import argument_texts, typed

_CALL = "<tool_call>"
_OPENER = re.compile(
    r"<tool_call>|(?:^|(?<=</function>))[ \t]*+(?=<function=[^\s<>]++>\s*+(?:<parameter=|</function>))", re.MULTILINE
)
_HEAD = re.compile(r"\s*+<function=(?P<name>[^\s<>]++)>\s*+")
_KEY = re.compile(r"<parameter=(?P<key>[^<>\n]*+)>")
_VALUE_END = re.compile(
    r"</parameter>\s*+(?=<parameter=|</function>|</tool_call>)"
    r"|(?<=\n)(?=<parameter=[^<>\n]*+>\n)|(?=</function>\s*+</tool_call>)"
)
_CALL_END = re.compile(r"</function>(?:\s*+</tool_call>)?|</tool_call>")
_OF_ANOTHER = re.compile(r"</parameter|<function=")
"""What a value without its own closing tag cannot hold: there something else is missing as well."""
_ENDING = re.compile(r"</?parameter|</function>|</tool_call>")
"""What may end a value."""


class QwenCoderReader(Struct, frozen=True):
    """A `Reader` that leaves every value as text, for `typed`."""

    def read(self, text: str) -> Parsed:
        return read_marked(text, _OPENER, _Scan(text).take)


class _Scan:
    """Goes through the tags of a text. Each place is looked at once, however many openers lead there: what could not be
    read from it cannot be read from it again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends = [end.span() for end in _VALUE_END.finditer(text)]
        self._last = max(text.rfind("</function>"), text.rfind("</tool_call>"))
        self._seen: set[int] = set()

    def take(self, reading: Reading, at: int) -> int:
        """Take the call behind an opener; the place behind its closing tags. Raises UnreadCall."""
        head = _HEAD.match(self.text, at)
        if head is None:
            raise UnreadCall(CallProblem.UNWRITTEN)
        arguments: dict[str, str] = {}
        at = head.end()
        while not (closed := _CALL_END.match(self.text, at)):
            key = _KEY.match(self.text, at)
            if key is None or at in self._seen:
                raise self._unreadable(at)
            self._seen.add(at)
            arguments[key["key"].strip()], at = self._value(key.end())
        reading.take(head["name"], arguments)
        return closed.end()

    def _value(self, at: int) -> tuple[str, int]:
        """The value that begins here, without the line breaks that belong to the tags, and the place behind it."""
        number = bisect_left(self._ends, (at, at))
        if number == len(self._ends):
            raise self._unreadable(at)
        end, behind = self._ends[number]
        value = self.text[at:end]
        if end == behind and _OF_ANOTHER.search(value):
            raise self._unreadable(at)
        return value.removeprefix("\n").removesuffix("\n"), behind

    def _unreadable(self, at: int) -> UnreadCall:
        return UnreadCall(CallProblem.NO_VALUE if at <= self._last else CallProblem.CUT_OFF)


def _tagged(calls: Sequence[PlainCall]) -> str:
    return "\n".join(_tagged_call(call) for call in calls)


def _tagged_call(call: PlainCall) -> str:
    pairs = argument_texts(call, _ENDING, quoted=False)
    tags = (f"<parameter={key}>\n{text}\n</parameter>\n" for key, text in pairs)
    return f"<tool_call>\n<function={call.name}>\n{''.join(tags)}</function>\n</tool_call>"


QWEN3_CODER = Family(
    "qwen3-coder",
    "Qwen3-Coder, Qwen 3.5, 3.6, Granite 4.2, Nemotron 3",
    FormatSpec("qwen3-coder", QwenCoderReader(), tool_lines, _tagged, responses, call_mark=_CALL),
    models=(
        r"qwen3-coder-(\d+b(-a\d+b)?(-instruct)?|next)" + VARIANT,
        r"qwen3\.[56]-\d+(\.\d+)?b(-a\d+(\.\d+)?b)?" + VARIANT,
        r"granite-4\.2-\d+b" + VARIANT,
        r"(nvidia-)?nemotron-3-(nano|super)-\d+b-a\d+b" + VARIANT,
    ),
    settle=partial(typed, quoted=False),
)
