"""Agent entries: the state at the end, and how many milestones the conversation passed.

Source: docs/acebench.md#agent-entries; keys such as Q23: docs/acebench.md#scorings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolgauge.benchmarks.acebench.judge.process import exact_process, released_process
from toolgauge.benchmarks.acebench.judge.reasons import AceCode
from toolgauge.benchmarks.acebench.judge.verdict import AceError, AceVerdict, CallFault, counted, differs, member
from toolgauge.reasons import Reason

MISSPELT = {"Reminderpi": "ReminderApi", "BaseAPI": "BaseApi"}
"""Classes that the published ground truth misspells, and that can be compared under their right names."""
MISSPELT_OUT_OF_REACH = {"ReminderAPI": "ReminderApi"}
"""The same, but the expected reminder stands under a key that is taken from the start (agent_multi_step_0 and _1).

The exact scoring looks for the expected records under any key and number there.
"""
_NUMBERS = ("reminder_id",)


def check_agent(
    final_state: Sequence[Mapping[str, object]],
    result: object,
    milestones: Sequence[Sequence[str]],
    process: Sequence[object],
    scoring: str,
) -> AceVerdict:
    """End to end, with the process score beside it.

    final_state: the ground truth, one {class: {attribute: value}} each; result: the same as the run saved it;
    milestones: alternatives, each the texts of calls; process: the messages that reached the executor.
    """
    exact = scoring == "exact"
    found = json_keys(result) if isinstance(result, list | tuple) else []
    fault = exact_state_fault(final_state, found) if exact else released_state_fault(final_state, found)
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


def released_state_fault(truth: Sequence[Mapping[str, Any]], result: Sequence[object]) -> CallFault | None:
    """A class that the result lacks is not compared (Q23); more than was expected does no harm in objects (Q24)."""
    if len(truth) != len(result):
        return _count_fault(truth, result)
    for expected in truth:
        for item in result:
            if isinstance(item, dict) and item.keys() == expected.keys():
                fault = next(
                    filter(None, (_released_class(name, item[name], expected[name]) for name in expected)), None
                )
                if fault is not None:
                    return fault
                break
    return None


def _count_fault(truth: Sequence[object], result: Sequence[object]) -> CallFault:
    return CallFault(AceError.CLASS_NUMBER, counted(AceCode.CLASS_NUMBER, result, truth))


def _released_class(name: str, given: object, expected: Mapping[str, object]) -> CallFault | None:
    if not isinstance(given, dict):
        return CallFault(AceError.CLASS_ATTRIBUTES, differs(given, expected), name)
    for attribute, value in given.items():
        path = member(name, attribute)
        if attribute not in expected:
            return CallFault(AceError.CLASS_ATTRIBUTES, Reason(AceCode.NOT_EXPECTED), path)
        wanted = expected[attribute]
        if not isinstance(wanted, dict):
            if value != wanted:
                return CallFault(AceError.CLASS_ATTRIBUTES, differs(value, wanted), path)
            continue
        fault = _members_fault(value, wanted, path)
        if fault is not None:
            return fault
    return None


def _members_fault(given: object, wanted: Mapping[str, object], path: str) -> CallFault | None:
    """None where every expected member is there with an equal value."""
    if not isinstance(given, dict):
        return CallFault(AceError.CLASS_ATTRIBUTES, differs(given, wanted), path)
    for key, value in wanted.items():
        if key not in given:
            return CallFault(AceError.CLASS_ATTRIBUTES, Reason(AceCode.NOT_THERE), member(path, key))
        if given[key] != value:
            return CallFault(AceError.CLASS_ATTRIBUTES, differs(given[key], value), member(path, key))
    return None


def exact_state_fault(truth: Sequence[Mapping[str, Any]], result: Sequence[object]) -> CallFault | None:
    """Every expected class is there, and its saved attributes are equal both ways (Q23, Q24)."""
    if len(truth) != len(result):
        return _count_fault(truth, result)
    states: dict[str, Any] = {}
    for item in result:
        states.update(item if isinstance(item, dict) else {})
    for expected in truth:
        for name, attributes in expected.items():
            fault = _exact_class(name, attributes, states)
            if fault is not None:
                return fault
    return None


def _exact_class(name: str, expected: Mapping[str, object], states: Mapping[str, object]) -> CallFault | None:
    right_name = MISSPELT_OUT_OF_REACH.get(name) or MISSPELT.get(name, name)
    given = states.get(name, states.get(right_name))
    if not isinstance(given, dict):
        return CallFault(AceError.CLASS_ATTRIBUTES, Reason(AceCode.CLASS_MISSING), right_name)
    for attribute in (*expected, *given):
        path = member(right_name, attribute)
        if attribute not in given or attribute not in expected:
            code = AceCode.NOT_EXPECTED if attribute in given else AceCode.NOT_THERE
            return CallFault(AceError.CLASS_ATTRIBUTES, Reason(code), path)
        compare = _records_fault if name in MISSPELT_OUT_OF_REACH else _equal_fault
        fault = compare(given[attribute], expected[attribute], path)
        if fault is not None:
            return fault
    return None


def _equal_fault(given: Any, wanted: object, path: str) -> CallFault | None:
    if isinstance(wanted, dict):
        fault = _members_fault(given, wanted, path)
        if fault is not None:
            return fault
        extra = next((key for key in given if key not in wanted), None)
        why = Reason(AceCode.NOT_EXPECTED)
        return None if extra is None else CallFault(AceError.CLASS_ATTRIBUTES, why, member(path, extra))
    return None if given == wanted else CallFault(AceError.CLASS_ATTRIBUTES, differs(given, wanted), path)


def _records_fault(given: object, wanted: Any, path: str) -> CallFault | None:
    """None where every expected record is among the given ones, under whatever key and number."""
    records = list(given.values()) if isinstance(given, dict) else []
    for key, record in wanted.items():
        if not any(_unnumbered(one) == _unnumbered(record) for one in records):
            return CallFault(AceError.CLASS_ATTRIBUTES, Reason(AceCode.NOT_THERE), member(path, key))
    return None


def _unnumbered(record: object) -> object:
    return {key: value for key, value in record.items() if key not in _NUMBERS} if isinstance(record, dict) else record
