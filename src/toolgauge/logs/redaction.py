"""Personal data in conversations replaced by made-up data of the same shape, consistently within each conversation.

What is replaced: email addresses, phone numbers, card numbers, national identity numbers, IBANs, IP addresses, keys and
tokens, and the names and patterns of a file. A value gets the same replacement wherever it stands - in what the user
says, in arguments, results and definitions -, so that what matched before matches afterwards. Replacements are
numbered in the order in which the values appear; nothing is derived from a value but its shape, and no value is kept.

Every conversation is walked twice: once to find what it holds, once to replace it everywhere.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from toolgauge.chat import Tool, ToolCall
from toolgauge.logs.conversation import Conversation, LogMessage
from toolgauge.logs.detectors import NOTHING, Detected, Wanted, apart, detect, numbers, require_libraries
from toolgauge.logs.placeholders import Kind, digits_of, placeholder
from toolgauge.logs.text_calls import decoded

_TRIES = 100
_ESCAPE = re.compile(r"(?<!\\)\\++u(?!00[01][0-9a-f]|0022|005c|d[89a-f])([0-9a-f]{4})", re.IGNORECASE)
"""Of a character that stands for itself in JSON, also where JSON was escaped again."""


class Redactor:
    """Replaces personal data, one conversation after another. wanted: the user's names and patterns.

    Raises MissingExtra without the libraries of the extra, UsageError where a pattern of the user's takes too long.
    """

    def __init__(self, wanted: Wanted = NOTHING) -> None:
        require_libraries()
        self._wanted = wanted
        self.places: Counter[str] = Counter()
        self.distinct: Counter[str] = Counter()

    def conversation(self, conversation: Conversation) -> Conversation:
        """The conversation with replacements, its id and its tools included."""
        known = _Known(self._wanted)
        _each_text(conversation, known.note)
        redacted = _each_text(conversation, known.replaced)
        self.places += known.places
        self.distinct += known.distinct()
        return redacted

    def counts(self) -> dict[str, dict[str, int]]:
        """By kind: places where something was replaced, and different values of each conversation, summed."""
        return {kind: {"places": self.places[kind], "distinct": self.distinct[kind]} for kind in sorted(self.places)}

    def text(self, text: str) -> str:
        """A text that belongs to no conversation, such as the name of a file."""
        known = _Known(self._wanted)
        known.note(text)
        return known.replaced(text)


class _Known:
    """The values of one conversation and their numbers."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._noted: set[tuple[Kind, str]] = set()
        self._numbers: dict[tuple[Kind, str], int] = {}
        self._next: Counter[Kind] = Counter()
        self._by_digits: dict[str, tuple[Kind, str]] = {}
        self.places: Counter[str] = Counter()

    def note(self, text: str) -> str:
        """Take note of what a text holds; the text."""
        for match in detect(text, self._wanted):
            self._noted.add((match.kind, match.key))
            if match.kind in (Kind.PHONE, Kind.CARD, Kind.CHINESE_ID, Kind.NATIONAL_ID) and match.key.isdecimal():
                self._by_digits.setdefault(match.key, (match.kind, match.key))
        return text

    def replaced(self, text: str) -> str:
        """The text with replacements for everything that was noted anywhere."""
        spans = detect(text, self._wanted)
        if self._by_digits:
            spans = apart(text, (*spans, *self._known_numbers(text)))
        pieces, at = [], 0
        for match in spans:
            pieces += [text[at : match.start], self._instead(match, text[match.start : match.end])]
            at = match.end
            self.places[match.kind.value] += 1
        return "".join((*pieces, text[at:])) if pieces else text

    def distinct(self) -> Counter[str]:
        return Counter(kind.value for kind, _key in self._noted)

    def _known_numbers(self, text: str) -> Iterator[Detected]:
        """Noted numbers in any grouping of their digits, also inside longer ones."""
        lengths = sorted({len(digits) for digits in self._by_digits}, reverse=True)
        for digits, places in numbers(text):
            at = 0
            while at < len(digits):
                fitting = (size for size in lengths if at + size <= len(digits))
                size = next((size for size in fitting if digits[at : at + size] in self._by_digits), 0)
                if size:
                    kind, key = self._by_digits[digits[at : at + size]]
                    yield Detected(places[at], places[at + size - 1] + 1, kind, key)
                at += size or 1

    def _instead(self, match: Detected, original: str) -> str:
        name = (match.kind, match.key)
        if name not in self._numbers:
            self._numbers[name] = self._number(match, original)
        return placeholder(match.kind, self._numbers[name], original)

    def _number(self, match: Detected, original: str) -> int:
        """The next number whose placeholder is no value of the conversation itself.

        A pattern that takes everything for a value leaves none such.
        """
        for _try in range(_TRIES):
            self._next[match.kind] += 1
            number = self._next[match.kind]
            replacement = placeholder(match.kind, number, original)
            again = detect(replacement, self._wanted)
            keys = {(detected.kind, detected.key) for detected in again} | {
                (match.kind, digits_of(replacement)),
                (match.kind, replacement.casefold()),
            }
            if not keys & self._noted and digits_of(replacement) not in self._by_digits:
                break
        return number


def _each_text(conversation: Conversation, change: Callable[[str], str]) -> Conversation:
    """The conversation with every text in it changed, what is said first."""

    def text(value: str) -> str:
        if "\\" not in value:
            return change(value)
        return _json_changed(value, change) if value.lstrip()[:1] in ("{", "[", '"') else _unescaped(value, change)

    def optional(value: str | None) -> str | None:
        return None if value is None else text(value)

    def call(one: ToolCall) -> ToolCall:
        return ToolCall(optional(one.id), optional(one.name), _changed(one.arguments, text))

    def message(one: LogMessage) -> LogMessage:
        return replace(
            one,
            content=optional(one.content),
            tool_calls=tuple(map(call, one.tool_calls)),
            tool_call_id=optional(one.tool_call_id),
            reasoning=optional(one.reasoning),
            tool=optional(one.tool),
        )

    def tool(one: Tool) -> Tool:
        parameters = _changed(one.parameters, text)
        return Tool(text(one.name), text(one.description), parameters if isinstance(parameters, dict) else {})

    messages = tuple(map(message, conversation.messages))
    tools = tuple(map(tool, conversation.tools))
    return replace(conversation, messages=messages, tools=tools, id=text(conversation.id))


def _json_changed(text: str, change: Callable[[str], str]) -> str:
    """JSON text with its texts changed: an escape may hide a value, or be a part of one."""
    try:
        value = json.loads(text, object_pairs_hook=_distinct) if decoded(text) is not None else None
    except ValueError:
        value = None
    if value is None:
        return _unescaped(text, change)
    changed = _changed(value, lambda part: _json_changed(part, change) if "\\" in part else change(part))
    return text if changed == value else json.dumps(changed, ensure_ascii=False)


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object. Raises ValueError where a key occurs twice: only one of its values would be looked at."""
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise ValueError("a key occurs twice")
    return mapping


def _unescaped(text: str, change: Callable[[str], str]) -> str:
    """A text with JSON somewhere in it: escapes of characters may hide a value there."""
    opened = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    changed = change(opened) if opened != text else text
    return changed if changed != opened else change(text)


def _changed(value: object, change: Callable[[str], str]) -> object:
    """A JSON value with its texts, keys and whole numbers changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        text = str(value) if abs(value) < 10**40 else ""
        changed = change(text) if text else text
        return value if changed == text else int(changed) if changed.isdecimal() else changed
    if isinstance(value, dict):
        return {change(str(key)): _changed(part, change) for key, part in value.items()}
    return [_changed(part, change) for part in value] if isinstance(value, (list, tuple)) else value
