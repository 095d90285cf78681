"""What the built-in models say: right answers as text, milestones as calls, and wrong answers with their error type.

A wrong answer is offered under a type only where the rules of the scoring `exact` lead to that type and no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from toolgauge.benchmarks.acebench.data.entries import AceEntry, AceFunction, called_name
from toolgauge.benchmarks.acebench.decoder.decode import AceCall, render_calls
from toolgauge.benchmarks.acebench.environments.world import Executor, World
from toolgauge.benchmarks.acebench.judge.judge import judge_agent
from toolgauge.benchmarks.acebench.judge.verdict import AceError

Wrong = tuple[AceError, str]
NOTHING = "I am not sure what to do."


def perfect_text(entry: AceEntry) -> str:
    """The right answer to an entry of the normal or special categories, in the published style."""
    if entry.kind.group == "special":
        return _special_message(entry)
    names = {function.name for function in entry.functions}
    answer = entry.answers[0] if entry.answers else {}
    return render_calls([AceCall(called_name(key, names), value) for key, value in answer.items()])


def _special_message(entry: AceEntry) -> str:
    """One of the three fixed messages, which stay English in both languages."""
    answer = entry.answers[0] if entry.answers else None
    if isinstance(answer, dict) and entry.category == "special_incomplete":
        api, missing = next(iter(answer.items()))
        return f'["Missing necessary parameters ({", ".join(map(str, missing))}) for the api ({api})"]'
    if isinstance(answer, dict):
        keys = ", ".join(answer)
        values = ", ".join(str(value) for wrong in answer.values() for value in wrong)
        return f'["There is incorrect value ({values}) for the parameters ({keys}) in the conversation history."]'
    return '["Due to the limitations of the function, I cannot solve this problem."]'


def scripts(entry: AceEntry, tables: Mapping[str, object]) -> tuple[str, ...]:
    """What an agent says that plays the milestones: of the alternatives the first that reaches the final state."""
    for milestones in entry.milestones:
        result, process = _played(entry, milestones, tables)
        if judge_agent(entry, result, process)["released"].correct:
            return milestones
    return entry.milestones[0] if entry.milestones else ()


def cut_short(entry: AceEntry, messages: tuple[str, ...], tables: Mapping[str, object]) -> str | None:
    """The error type of a conversation that ends before its last call; None where it would be right all the same."""
    result, process = _played(entry, messages[:-1], tables)
    return judge_agent(entry, result, process)["exact"].error_type


def _played(
    entry: AceEntry, milestones: tuple[str, ...], tables: Mapping[str, object]
) -> tuple[list[dict[str, object]], list[str]]:
    world = World(entry.involved_classes, tables, entry.initial_config, entry.language)
    executor = Executor(world, "multi_turn" if entry.category == "agent_multi_turn" else "multi_step")
    for text in milestones:
        executor.run(text)
    return executor.result(), list(milestones)


def wrong_answers(entry: AceEntry) -> Iterator[Wrong]:
    """Wrong answers to an entry of the normal or special categories, each with its error type."""
    return _wrong_messages(entry) if entry.kind.group == "special" else _wrong_calls(entry)


def _wrong_messages(entry: AceEntry) -> Iterator[Wrong]:
    yield AceError.DETECTION, NOTHING
    if entry.category == "special_incomplete":
        yield AceError.CORRECTION, '["Missing necessary parameters (nothing) for the api (Nobody)"]'
    if entry.category == "special_error_param":
        message = "There is incorrect value (nothing) for the parameters (nobody) in the conversation history."
        yield AceError.CORRECTION, f'["{message}"]'


def _wrong_calls(entry: AceEntry) -> Iterator[Wrong]:
    """From the first accepted answer; entries with several are left alone but for the coarsest mistakes."""
    yield AceError.WRONG_OUTPUT_FORMAT, NOTHING
    names = {function.name: function for function in entry.functions}
    answer = entry.answers[0] if entry.answers else {}
    calls = [AceCall(called_name(key, set(names)), dict(value)) for key, value in answer.items()]
    if not calls:
        return
    yield AceError.WRONG_FUNCTIONS_NUMBER, render_calls([*calls, calls[0]])
    yield AceError.FUNCTION_MISMATCH, render_calls([replace(calls[0], name=f"{calls[0].name}_v9"), *calls[1:]])
    function = names.get(calls[0].name)
    if len(entry.answers) == 1 and len(calls) == 1 and function is not None:
        yield from ((error, render_calls([changed])) for error, changed in _wrong_arguments(calls[0], function))


def _wrong_arguments(call: AceCall, function: AceFunction) -> Iterator[tuple[AceError, AceCall]]:
    """One wrong argument in a single right call."""
    properties, required = function.parameters.get("properties"), function.parameters.get("required")
    if not isinstance(properties, Mapping) or not call.arguments:
        return
    yield AceError.ADDITION_ARGS, replace(call, arguments={**call.arguments, "verbosity_level": 3})
    for key in call.arguments:
        rest = {other: value for other, value in call.arguments.items() if other != key}
        if isinstance(required, list) and key in required and rest:
            yield AceError.LACK_ARGS, replace(call, arguments=rest)
            break
    for key, value in call.arguments.items():
        schema = properties.get(key)
        declared = schema.get("type") if isinstance(schema, Mapping) else None
        for error, other in _wrong_values(value, declared):
            yield error, replace(call, arguments={**call.arguments, key: other})


def _wrong_values(value: object, declared: object) -> Iterator[tuple[AceError, object]]:
    if isinstance(value, str) and declared == "string":
        yield AceError.VALUE_STRING, "quite another matter 完全无关"
        yield AceError.TYPE_ERROR, 7
    elif type(value) is int and declared in ("integer", "number"):
        yield AceError.TYPE_ERROR, "seven"
    elif isinstance(value, list) and declared == "array" and value and all(isinstance(part, str) for part in value):
        yield AceError.VALUE_LIST, [*value, "quite another matter"]
