"""Which call of a reply was made for which expected one, and which of its arguments are wrong by the exact rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from toolgauge.benchmarks.acebench.asking import answer_text
from toolgauge.benchmarks.acebench.data.entries import AceEntry, called_name
from toolgauge.benchmarks.acebench.decoder.decode import AceCall, Undecodable
from toolgauge.benchmarks.acebench.judge.exact import call_fault, call_faults
from toolgauge.benchmarks.acebench.judge.judge import decode_normal
from toolgauge.benchmarks.acebench.judge.verdict import AceCode, CallFault
from toolgauge.data.lines import as_json
from toolgauge.episode import Trajectory
from toolgauge.judge.alignment import align
from toolgauge.judge.wrong_arguments import MOST, WrongArgument, json_text, told
from toolgauge.reasons import Reason

_SHORT = {AceCode.DIFFERS: AceCode.OTHER_VALUE, AceCode.CONTAINS: AceCode.CONTAINS_MORE}
"""Reasons that repeat the values, in short."""


class CallPair(Struct, frozen=True):
    """An expected call (function and arguments) and the one made for it, or one of the two alone."""

    expected: str | None = None
    wanted: dict[str, object] = {}
    made: AceCall | None = None
    wrong: tuple[WrongArgument, ...] = ()


class PairedAnswer(Struct, frozen=True):
    """answer: which of the entry's accepted answers the calls are nearest to, from 0."""

    pairs: tuple[CallPair, ...] = ()
    answer: int = 0


def pair_answer(entry: AceEntry, trajectory: Trajectory) -> PairedAnswer | Undecodable:
    """The calls of a normal entry's reply beside the nearest accepted answer."""
    decoded = decode_normal(entry.category, answer_text(entry, trajectory.steps[0].reply), "exact")
    if isinstance(decoded, Undecodable):
        return decoded
    paired = [tuple(_pairs(entry, answer, decoded)) for answer in entry.answers if isinstance(answer, dict)]
    if not paired:
        return PairedAnswer()

    def faults(place: int) -> int:
        return sum(bool(pair.wrong) or pair.made is None or pair.expected is None for pair in paired[place])

    nearest = min(range(len(paired)), key=faults)
    return PairedAnswer(paired[nearest], nearest)


def wrong_in_entry(entry: AceEntry, trajectory: Trajectory) -> tuple[WrongArgument, ...]:
    """All wrong arguments of the calls that were made; nothing of special entries and agents, which have none."""
    if entry.kind.group != "normal" or not trajectory.steps:
        return ()
    found = pair_answer(entry, trajectory)
    return () if isinstance(found, Undecodable) else tuple(one for pair in found.pairs for one in pair.wrong)


def _pairs(entry: AceEntry, answer: dict[str, object], calls: Sequence[AceCall]) -> Iterator[CallPair]:
    """Expected calls in their order with those made for them: right ones first, then the nearest of the same name."""
    schemas = {function.name: function.parameters for function in entry.functions}
    wanted = [(called_name(key, schemas), want if isinstance(want, dict) else {}) for key, want in answer.items()]
    owner = _partners(schemas, wanted, calls)
    for row, (name, want) in enumerate(wanted):
        place = owner[row]
        if place is None:
            yield CallPair(name, want)
            continue
        faults = islice(call_faults(schemas.get(name, {}), want, calls[place]), MOST)
        wrong = {fault.path: _wrong(name, fault) for fault in reversed(list(faults))}
        yield CallPair(name, want, calls[place], tuple(reversed(wrong.values())))
    for place, call in enumerate(calls):
        if place not in owner:
            yield CallPair(made=call)


def _wrong(function: str, fault: CallFault) -> WrongArgument:
    code = fault.why.code if isinstance(fault.why.code, AceCode) else None
    short = _SHORT.get(code) if code else None
    why = Reason(short) if short else fault.why
    return told(function, fault.path, json_text(fault.given), json_text(fault.expected), why)


def _partners(
    schemas: Mapping[str, Mapping[str, object]],
    wanted: Sequence[tuple[str, dict[str, object]]],
    calls: Sequence[AceCall],
) -> list[int | None]:
    """For each expected call (name, arguments) the place of the call made for it."""
    named: dict[str, int] = {}
    for place, call in enumerate(calls):
        named[call.name] = named.get(call.name, 0) | 1 << place

    def is_right(row: int, place: int) -> bool:
        name, want = wanted[row]
        return call_fault(schemas.get(name, {}), want, calls[place]) is None

    rows = [(named.get(name, 0),) for name, _ in wanted]
    return align(rows, lambda row, place: _alike(wanted[row][1], calls[place]), is_right)


def _alike(want: dict[str, object], call: AceCall) -> int:
    return sum(key in call.arguments and as_json(call.arguments[key]) == as_json(value) for key, value in want.items())
