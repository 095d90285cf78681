"""A dialogue is judged entry by entry: what was read before is not read again, and is what it would be."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.generation.dialogues import rebuilt
from tests.sizes import sized
from toolgauge.annotation.dialogue import CHECKERS, Dialogue, Entry
from toolgauge.annotation.grounding.sources import sources_of
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.data.session import Session
from toolgauge.generation.judging import annotated
from toolgauge.generation.state import DialogueState, Rejected, StepRecord


@cache
def dialogues(language: str) -> list[Dialogue]:
    return [rebuilt(one) for one in load_dataset(MINI_FILE, language=language).sessions]


def begun(one: Dialogue) -> DialogueState:
    return DialogueState(StepRecord("k"), one.language, one.tools, one.tool_list, random.Random(1), one.clock)


def judged(state: DialogueState, *entries: Entry) -> Session | str:
    try:
        return annotated(state, entries)[0]
    except Rejected as error:
        return str(error)


def judged_anew(state: DialogueState, *entries: Entry) -> Session | str:
    """The same by a state that has read nothing of the task under way."""
    fresh = DialogueState(state.record, state.language, state.tools, state.tool_list, random.Random(1), state.clock)
    fresh.tasks, fresh.entries, fresh.annotated = state.tasks, state.entries, state.annotated
    return judged(fresh, *entries)


@settings(max_examples=sized(12, 200), deadline=None)
@given(data=st.data())
def test_what_was_read_before_changes_nothing(data: st.DataObject) -> None:
    """Entries of the dialogue in their order, between them tries of another one, and other words in their places."""
    several = dialogues(data.draw(st.sampled_from(["en", "zh"])))
    one, other = data.draw(st.sampled_from(several)), data.draw(st.sampled_from(several))
    tries = [entry for entry in other.entries if entry.accepted and entry.speaker not in CHECKERS]
    state = begun(one)
    for index, task in enumerate(one.tasks):
        state.tasks.append(task)
        told, first = one.of_task(index), len(state.entries)
        for entry in told:
            if len(state.entries) > first:
                tried = replace(data.draw(st.sampled_from(tries)), task=index)
                assert judged(state, tried) == judged_anew(state, tried)
            assert judged(state, entry) == judged_anew(state, entry)
            state.entries.append(entry)
            if data.draw(st.integers(0, 3)) == 0:
                standing, at = [*state.entries], data.draw(st.integers(first, len(state.entries) - 1))
                state.entries[at] = replace(standing[at], text=data.draw(st.sampled_from(tries)).text)
                assert judged(state) == judged_anew(state)
                state.entries = [*standing[:at]] if at > first else standing
                assert judged(state) == judged_anew(state)
                state.entries = standing
        state.annotated = annotated(state)[0]


def test_sources_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []

    def noted(arguments: Mapping[str, object], *more: Any) -> object:
        looked.append(arguments)
        return sources_of(arguments, *more)

    monkeypatch.setattr("toolgauge.annotation.graph.sources_of", noted)
    for one in dialogues("en")[:4]:
        state = begun(one)
        for index, task in enumerate(one.tasks):
            state.tasks.append(task)
            for entry in one.of_task(index):
                annotated(state, [entry])
                state.entries.append(entry)
            state.annotated = annotated(state)[0]
    assert len(looked) == len({id(one) for one in looked}) > 10
