"""What the annotated calls of a task take from earlier tasks: which earlier turns a reader has to see, and the words in
them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from toolgauge.data.leaves import is_short, leaves, quote_of
from toolgauge.data.session import Call, Task

MOST, MAX_QUOTE = 40, 200
"""Values of a task that are told, and the characters of one."""
_CLOCK = "clock"


class EarlierValue(Struct, frozen=True):
    """A value of a call that stands in an earlier task. call: its place in the task; path: of the argument; task: the
    earlier one, from 0; quote: how it is said there."""

    call: int
    path: str
    task: int
    quote: str


def earlier_values(task: Task, before: Sequence[Task]) -> tuple[EarlierValue, ...]:
    """In the order of the calls. Of a call without annotated sources the values are looked for: what the task itself
    does not say and an earlier one does, the nearest one."""
    found = (one for call in task.calls if call.is_tool for one in _of_call(task, call, before))
    return tuple(islice(found, MOST))


def _of_call(task: Task, call: Call, before: Sequence[Task]) -> Iterator[EarlierValue]:
    values = list(leaves(call.arguments))
    if call.sources:
        for path, sources in call.sources.items():
            text = "".join(str(value) for place, value in values if place == path)
            for source in sources:
                yield from _annotated(call.index, path, text, source, before)
        return
    own = _text_of(task, call.index)
    for path, value in values:
        text = str(value)
        if isinstance(value, bool) or value is None or is_short(text) or quote_of(text, own):
            continue
        for other in reversed(before):
            if quote := quote_of(text, _text_of(other)):
                yield EarlierValue(call.index, path, other.index, quote[:MAX_QUOTE])
                break


def _annotated(
    call: int, path: str, text: str, source: Mapping[str, object], before: Sequence[Task]
) -> Iterator[EarlierValue]:
    """The earlier task that an annotated source names; of a date that follows from the clock the one whose words say
    so."""
    quote = source.get("quote")
    said = quote if isinstance(quote, str) else text
    number = source.get("task")
    if source.get("from") == _CLOCK and said:
        number = next((one.index for one in reversed(before) if said in one.utterance), None)
    if isinstance(number, int) and 0 <= number < len(before):
        yield EarlierValue(call, path, number, said[:MAX_QUOTE])


def _text_of(task: Task, until: int | None = None) -> str:
    """Everything that was said, called and answered in a task; with `until` what was said and answered before that
    call."""
    parts = [task.utterance]
    for call in task.calls[:until]:
        if until is None:
            parts += [str(leaf) for _, leaf in leaves(call.arguments)]
        parts += [str(leaf) for _, leaf in leaves(call.observation)]
        parts.append(call.user_input or "")
    return "\n".join(parts)
