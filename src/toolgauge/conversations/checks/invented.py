"""Values of calls that nothing before them gives, by the rules of annotation/grounding.

Every message is added to the context as it is read, and a call is judged by what stood there when it was made. Where
that cannot be known in full (a text longer than is searched, a result with more values than are looked at, a day
counted from a clock that the log does not tell), nothing is said.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator
from difflib import get_close_matches

from toolgauge.annotation.grounding.context import LONGEST, MOST_LEAVES, Context, is_plain
from toolgauge.annotation.grounding.dates import days_in
from toolgauge.annotation.grounding.parameters import Parameter, ParameterKind
from toolgauge.annotation.grounding.points import point_of
from toolgauge.annotation.grounding.sources import typed_leaves, value_sources
from toolgauge.annotation.grounding.times import minutes_in
from toolgauge.annotation.grounding.values import folded, leaves
from toolgauge.conversations.checks.dialogue import MadeCall, RecordedDialogue
from toolgauge.conversations.checks.findings import CallFinding, FindingCode, Place, brief
from toolgauge.conversations.clocks import clock_of
from toolgauge.data.dialogue import parse_clock
from toolgauge.generation.validators.stand_ins import stand_in
from toolgauge.languages import has_han

MOST_TEXT = 200_000
"""Characters of all that was said and answered that are searched; behind that nothing is said."""
MOST_WORK = 20_000
"""Messages that the calls of a conversation are held against, all together: 200 calls, each against 100."""
LONGEST_VALUE = 20_000
MOST_VALUES = 200
"""Of one call that are looked at."""
MOST_NEAR, LONGEST_NEAR = 500, 60
"""Values that are compared with an invented one, and their characters."""
_CHOSEN = re.compile(
    r"\b(?:rating|score|severity|level|effectiveness|depth|zoom|priority|intensity|importance|confidence|quality"
    r"|satisfaction|limit|top [kn]|page size|per page|frequency|interval|time ?out|retries"
    r"|max(?:imum)? (?:count|results|items|rows|number of results))\b"
    r"|评分|得分|等级|级别|水平|程度|深度|优先级|强度|效果|满意度|重要性|缩放|频率|间隔|超时|重试|返回数量|每页",
)
"""Numbers by which whoever calls grades what was said, or chooses how much comes back."""
_DIGITS = re.compile(r"(?<![\d.])\d+(?:\.\d+)?")
COMMON, SMALL = 100, 10
"""Whole numbers below stand anywhere by chance, and follow from any two."""
MOST_NUMBERS = 40
"""Of what the user said, that are reckoned with."""
_NUMBERED = re.compile(r"([A-Za-z]{3,20})[ _-]?\d{1,2}|(\d{1,5}) ?[A-Za-z]{1,3}")
LONGEST_HAN = 4
"""Chinese characters of a word."""
_NO_CLOCK = datetime.datetime(2000, 1, 1)


class Grounder:
    """What was said so far. judged: values that could be judged; complete: is everything so far in the context?"""

    def __init__(self, dialogue: RecordedDialogue) -> None:
        self.dialogue = dialogue
        self.language = "zh" if any(has_han((one.content or "")[:1000]) for one in dialogue.messages[:50]) else "en"
        told = parse_clock(clock_of(dialogue.conversation, self.language) or "")
        self.has_clock = told is not None
        self.context = Context(told or _NO_CLOCK)
        self.size, self.work, self.complete = 0, 0, True
        self.places: list[int] = []

    def hear(self, position: int) -> None:
        """Add a message to what is known."""
        message = self.dialogue.messages[position]
        text = message.content or ""
        self.size += len(text)
        if self.size > MOST_TEXT:
            self.complete = False
        if not text or not self.complete:
            return
        call = self.dialogue.results.get(position)
        content: object = text
        kind = "user" if message.role == "user" else "agent"
        if call is not None or message.role in ("tool", "function"):
            kind, content = "result", call.result if call is not None else text
            self.complete = sum(1 for _ in zip(leaves(content), range(MOST_LEAVES + 1), strict=False)) <= MOST_LEAVES
        self.context.add(kind, 0, content, position)
        self.places.append(position)

    def check(self, call: MadeCall) -> list[CallFinding] | None:
        """What the call says that nothing gives; None where that cannot be told."""
        self.work += len(self.context.items)
        if not self.complete or self.work > MOST_WORK or call.arguments is None or len(call.given) > MOST_VALUES:
            return None
        if any(isinstance(value, str) and len(value) > LONGEST_VALUE for _, value in call.given):
            return None
        return list(self._invented(call, call.arguments))

    def _invented(self, call: MadeCall, arguments: dict[str, object]) -> Iterator[CallFinding]:
        schema = call.tool.parameters if call.tool else {}
        told = f"{call.name}: {call.tool.description}" if call.tool else call.name
        for path, name, value, known in typed_leaves(arguments, schema):
            parameter = Parameter(name, known, told)
            sources = value_sources(value, parameter, self.context, self.language)
            if not sources:
                if not self._is_moot(value, parameter):
                    yield self._finding(call, FindingCode.INVENTED_VALUE, path, value)
            elif claims := [claim for claim in sources[0].unsaid if not self._is_timed(claim)]:
                yield self._finding(call, FindingCode.INVENTED_CLAIM, path, claims[0])

    def _is_moot(self, value: object, parameter: Parameter) -> bool:
        """May it follow in a way that nobody can check? A grade or a setting that whoever calls chooses, another word
        for what was said, a day counted from an unknown clock."""
        if isinstance(value, str) and stand_in(value, parameter.name):
            return False
        if not isinstance(value, str):
            return _CHOSEN.search(parameter.about) is not None or (
                isinstance(value, int | float) and is_plain(value) and self._is_reckoned(value)
            )
        is_word = not any(char.isdigit() or char in "@/_" for char in value) and len(value.split()) == 1
        free = not parameter.is_strict and ParameterKind.PLACE not in parameter.kinds
        short = len(value) <= LONGEST_HAN if has_han(value) else True
        return (free and ((is_word and short) or self._is_numbered(value))) or self._is_timed(value)

    def _is_reckoned(self, value: float) -> bool:
        """Does a number stand somewhere as it is, or follow from two that the user said?"""
        is_rare = isinstance(value, float) or abs(value) >= COMMON
        if is_rare and any(str(value) in _DIGITS.findall(one.text[:LONGEST]) for one in self.context.items):
            return True
        said = list(dict.fromkeys(number for one in self.context.said for number in one.numbers))[:MOST_NUMBERS]
        return abs(value) >= SMALL and any(
            math.isclose(value, result)
            for one in said
            for other in said
            for result in (one + other, one - other, one * other)
        )

    def _is_numbered(self, value: str) -> bool:
        """A word or a number that was said, with a number or a unit behind it: resistor2, 10m."""
        found = _NUMBERED.fullmatch(value)
        return found is not None and any(self.context.holds(part) for part in found.groups() if part)

    def _is_timed(self, value: object) -> bool:
        """Is it a day or a time, which may count from a clock that the log does not tell?"""
        if self.has_clock or not isinstance(value, str):
            return False
        return (
            point_of(value) is not None or any(days_in(value[:200], self.context.now)) or any(minutes_in(value[:200]))
        )

    def _finding(self, call: MadeCall, code: FindingCode, path: str, value: object) -> CallFinding:
        at = Place(call.message, call.index, path, brief(value))
        return CallFinding(self.dialogue.conversation.id, code, at, call.name, self._near(value))

    def _near(self, value: object) -> Place | None:
        """Where the value most like an invented one stands: in a result, or a word of a text."""
        if not is_plain(value) or not 3 <= len(wanted := str(value)) <= LONGEST_NEAR:
            return None
        found: dict[str, Place] = {}
        for position, item in zip(reversed(self.places), reversed(self.context.items), strict=True):
            for path, leaf in item.leaves:
                parts = (
                    [str(leaf)] if item.is_result or not isinstance(leaf, str) else re.findall(r"[\w.@/+-]{3,60}", leaf)
                )
                for part in parts if is_plain(leaf) else ():
                    if len(part) <= LONGEST_NEAR and len(found) < MOST_NEAR:
                        found.setdefault(part, Place(position, path=path or None, value=brief(part)))
        near = get_close_matches(wanted, [one for one in found if folded(one) != folded(wanted)], 1, 0.7)
        return found[near[0]] if near else None
