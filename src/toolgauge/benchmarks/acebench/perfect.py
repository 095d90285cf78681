"""What a perfect model says, for built-in models: the annotated answers as text, the milestones as calls."""

from __future__ import annotations

from collections.abc import Mapping

from toolgauge.benchmarks.acebench.data import AceEntry
from toolgauge.benchmarks.acebench.data.entries import called_name
from toolgauge.benchmarks.acebench.environments.world import Executor, World
from toolgauge.benchmarks.acebench.judge import judge_agent
from toolgauge.models.dialects.ace import AceCall, render_calls


def perfect_text(entry: AceEntry) -> str:
    """The right answer to an entry of the normal or special categories, in the published style."""
    if entry.kind.group == "special":
        return _message(entry)
    names = {function.name for function in entry.functions}
    answer = entry.answers[0] if entry.answers else {}
    return render_calls([AceCall(called_name(key, names), _arguments(value)) for key, value in answer.items()])


def _arguments(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _message(entry: AceEntry) -> str:
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
