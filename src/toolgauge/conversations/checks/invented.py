"""Values of calls that nothing before them gives, by the rules of annotation/grounding.

Every message is added to the context as it is read, and a call is judged by what stood there when it was made. Where
that cannot be known in full (a text longer than is searched, a result with more values than are looked at, a day
counted from a clock that the log does not tell), nothing is said.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice

from toolgauge.annotation.grounding.context import MOST_LEAVES, Context, is_plain
from toolgauge.annotation.grounding.parameters import Parameter
from toolgauge.annotation.grounding.points import point_of
from toolgauge.annotation.grounding.sources import typed_leaves, value_sources
from toolgauge.annotation.grounding.values import folded, leaves
from toolgauge.conversations.checks.dialogue import MadeCall, RecordedDialogue
from toolgauge.conversations.checks.findings import CallFinding, FindingCode, Place, brief
from toolgauge.conversations.checks.moot import is_moot, is_timed, is_work
from toolgauge.conversations.clocks import clock_of
from toolgauge.data.sessions import parse_clock
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
_END = re.compile(r"\b(?:end|ends|until|finish|to|due|expir\w*|check ?out|return)\b|结束|截止", re.IGNORECASE)
_NO_CLOCK = datetime.datetime(2000, 1, 1)


class Grounder:
    """What was said so far. size, work: towards MOST_TEXT and MOST_WORK; complete: is everything so far in the context?
    places: the message of each of its items."""

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
        if call is not None or message.role == "tool":
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
                if not is_moot(value, parameter, self.context, self.has_clock) and not _is_end(name, value, call):
                    yield self._finding(call, FindingCode.INVENTED_VALUE, path, value)
            elif sources[0].unsaid and not is_work(str(value), parameter):
                claims = (one for one in sources[0].unsaid if not is_timed(one, self.context, self.has_clock))
                yield from (self._finding(call, FindingCode.INVENTED_CLAIM, path, one) for one in islice(claims, 1))

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


def _is_end(name: str, value: object, call: MadeCall) -> bool:
    """Is it when something ends whose beginning the call tells too? How long it takes may be usual."""
    others = (point_of(other) for _, other in call.given if other != value)
    return bool(_END.search(Parameter(name).title)) and point_of(value) is not None and any(others)
