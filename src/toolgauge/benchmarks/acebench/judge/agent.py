"""Agent entries: the state at the end, and how many milestones the conversation passed.

Source: docs/acebench.md#agent-entries; keys such as Q23: docs/acebench.md#scorings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolgauge.benchmarks.acebench.decoder.decode import AceCall, decode_message_exact, render_calls
from toolgauge.benchmarks.acebench.judge.verdict import (
    AceCode,
    AceError,
    AceVerdict,
    CallFault,
    counted,
    differs,
    member,
)
from toolgauge.reasons import Reason

MISSPELT = {"Reminderpi": "ReminderApi", "BaseAPI": "BaseApi"}
"""Classes that the published ground truth misspells, and that can be compared under their right names."""
MISSPELT_OUT_OF_REACH = {"ReminderAPI": "ReminderApi"}
"""The same, but the expected reminder stands under a key that is taken from the start (agent_multi_step_0 and _1).

The exact scoring looks for the expected records under any key and number there.
"""
_NUMBERS = ("reminder_id",)
_IGNORED = str.maketrans(dict.fromkeys(" \t\r\n'\"\\[]"))
States = Sequence[Mapping[str, Any]]


def check_agent(
    final_state: States, result: object, milestones: Sequence[Sequence[str]], process: Sequence[object], scoring: str
) -> AceVerdict:
    """End to end, with the process score beside it.

    final_state: the ground truth, one {class: {attribute: value}} each; result: the same as the run saved it;
    milestones: alternatives, each the texts of calls; process: the messages that reached the executor.
    """
    exact = scoring == "exact"
    found = json_keys(result) if isinstance(result, list | tuple) else []
    if len(final_state) != len(found):
        fault: CallFault | None = CallFault(AceError.CLASS_NUMBER, counted(AceCode.CLASS_NUMBER, found, final_state))
    else:
        fault = next((_exact_faults if exact else _released_faults)(final_state, found), None)
    if fault is None:
        return AceVerdict(True, process=1.0)
    score = (exact_process if exact else released_process)(milestones, process)
    return AceVerdict(False, fault.error.value, fault.why, path=fault.path or None, process=score)


def json_keys(value: object, depth: int = 20) -> Any:
    """A state as it reads in a file: whole-number keys are texts there. What lies below `depth` is cut off.

    depth: three times what the environments' states need.
    """
    if not isinstance(value, dict | list | tuple):
        return value
    if not depth:
        return "(nested too deeply)"
    if isinstance(value, dict):
        return {str(key) if type(key) is int else key: json_keys(item, depth - 1) for key, item in value.items()}
    return [json_keys(item, depth - 1) for item in value]


def _released_faults(truth: States, result: Sequence[Any]) -> Iterator[CallFault]:
    """A class that the result lacks is not compared (Q23); more than was expected does no harm in objects (Q24)."""
    for expected in truth:
        state = next((one for one in result if isinstance(one, dict) and one.keys() == expected.keys()), {})
        for name, given in ((name, state[name]) for name in expected if state):
            if not isinstance(given, dict):
                yield _wrong(name, differs(given, expected[name]))
                continue
            for attribute, value in given.items():
                path = member(name, attribute)
                if attribute in expected[name]:
                    yield from _value_faults(value, expected[name][attribute], path)
                else:
                    yield _wrong(path, Reason(AceCode.NOT_EXPECTED))


def _exact_faults(truth: States, result: Sequence[Any]) -> Iterator[CallFault]:
    """Every expected class is there, and its saved attributes are equal both ways (Q23, Q24)."""
    states = {name: state for item in result if isinstance(item, dict) for name, state in item.items()}
    for name, wanted in ((name, wanted) for expected in truth for name, wanted in expected.items()):
        right_name = respelt(name)
        given = states.get(name, states.get(right_name))
        if not isinstance(given, dict):
            yield _wrong(right_name, Reason(AceCode.CLASS_MISSING))
            continue
        for attribute in (*wanted, *given):
            path = member(right_name, attribute)
            if attribute not in given:
                yield _wrong(path, Reason(AceCode.NOT_THERE))
            elif attribute not in wanted:
                yield _wrong(path, Reason(AceCode.NOT_EXPECTED))
            elif name in MISSPELT_OUT_OF_REACH:
                yield from _record_faults(given[attribute], wanted[attribute], path)
            else:
                yield from _value_faults(given[attribute], wanted[attribute], path, both_ways=True)


def respelt(name: str) -> str:
    """The class that the published ground truth means."""
    return MISSPELT_OUT_OF_REACH.get(name) or MISSPELT.get(name, name)


def _value_faults(given: object, wanted: object, path: str, both_ways: bool = False) -> Iterator[CallFault]:
    """Where an attribute differs; what an object holds beyond what is wanted counts with `both_ways` alone."""
    if not isinstance(given, dict) or not isinstance(wanted, dict):
        if given != wanted:
            yield _wrong(path, differs(given, wanted))
        return
    for key, value in wanted.items():
        if key not in given:
            yield _wrong(member(path, key), Reason(AceCode.NOT_THERE))
        elif given[key] != value:
            yield _wrong(member(path, key), differs(given[key], value))
    for key in given if both_ways else ():
        if key not in wanted:
            yield _wrong(member(path, key), Reason(AceCode.NOT_EXPECTED))


def _record_faults(given: object, wanted: Mapping[str, object], path: str) -> Iterator[CallFault]:
    """Nothing where every expected record is among the given ones, under whatever key and number."""
    records = list(given.values()) if isinstance(given, dict) else []
    for key, record in wanted.items():
        if not any(_unnumbered(one) == _unnumbered(record) for one in records):
            yield _wrong(member(path, key), Reason(AceCode.NOT_THERE))


def _unnumbered(record: object) -> object:
    return {key: value for key, value in record.items() if key not in _NUMBERS} if isinstance(record, dict) else record


def _wrong(path: str, why: Reason) -> CallFault:
    return CallFault(AceError.CLASS_ATTRIBUTES, why, path)


def released_process(milestones: Sequence[Sequence[str]], process: Sequence[object]) -> float:
    """The leading milestones that occur in order, as raw text; of alternatives the best, to 3 decimals (Q25, Q26)."""
    texts = [message.strip() for message in process if isinstance(message, str)]
    if len(milestones) == 1:
        return _leading_share(milestones[0], texts)
    return max((round(_leading_share(one, texts), 3) for one in milestones), default=1.0)


def _leading_share(milestones: Sequence[str], texts: Sequence[str]) -> float:
    position = passed = 0
    for milestone in milestones:
        try:
            position = texts.index(milestone.strip(), position) + 1
        except ValueError:
            break
        passed += 1
    return passed / len(milestones) if milestones else 1.0


def exact_process(milestones: Sequence[Sequence[str]], process: Sequence[object]) -> float:
    """The longest ordered subsequence of milestones among the calls that were made; the best alternative (Q25)."""
    calls = [call for message in process for call in _calls_of(message)]
    return max((_longest_share(one, calls) for one in milestones), default=1.0)


def _longest_share(milestones: Sequence[str], calls: Sequence[AceCall]) -> float:
    wanted: list[AceCall | str] = []
    for text in milestones:
        wanted += _calls_of(text) or [text]
    row = [0] * (len(wanted) + 1)
    for call in calls:
        diagonal = 0
        for column, one in enumerate(wanted, 1):
            above = row[column]
            row[column] = diagonal + 1 if _same(one, call) else max(above, row[column - 1])
            diagonal = above
    return row[-1] / len(wanted) if wanted else 1.0


def _calls_of(text: object) -> list[AceCall]:
    decoded = decode_message_exact(text)
    return list(decoded) if isinstance(decoded, tuple) else []


def _same(milestone: AceCall | str, call: AceCall) -> bool:
    """Equal calls, arguments in any order.

    A milestone that is no valid call (English texts with unescaped apostrophes) is compared by its letters.
    """
    if isinstance(milestone, str):
        return milestone.translate(_IGNORED) == render_calls([call]).translate(_IGNORED)
    return milestone.name == call.name and milestone.arguments == call.arguments
