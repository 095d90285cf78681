"""What error analysis knows of ACEBench's entries: groups, categories, and what was expected."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from toolgauge.analysis.causes.examples import ANSWERS, ANY, LINE, About, ErrorExample, Place, call_text, said_in
from toolgauge.benchmarks.acebench.data import AceDataset, AceEntry
from toolgauge.benchmarks.acebench.data.entries import called_name
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.data.lines import as_json
from toolgauge.data.task_ids import without_epoch
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.verdict import Score
from toolgauge.visible import one_line

_NEEDS: Mapping[str, str] = {
    AceError.DETECTION: "special",
    AceError.CORRECTION: "special",
    AceError.CLASS_NUMBER: "agent",
    AceError.CLASS_ATTRIBUTES: "agent",
}


class AceDescriber:
    needs = _NEEDS

    def __init__(self, dataset: AceDataset) -> None:
        self._dataset = dataset

    def about(self, score: Score) -> About:
        return _about_entry(self._dataset.by_id.get(without_epoch(score.task_id)))

    def length(self, session_id: str) -> int:  # noqa: ARG002 - whole sessions are no rate of this benchmark
        return 0

    def examples(self, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:
        return _of_entry(self._dataset, trajectory, wanted)


def _about_entry(entry: AceEntry | None) -> About:
    if entry is None:
        return frozenset(), frozenset({ANY})
    places: set[Place] = {("group", entry.kind.group), ("category", entry.category)}
    if entry.turn is not None:
        places.add(("position", str(entry.turn + 1)))
    if entry.kind.group == "normal":
        names = {function.name for function in entry.functions}
        for key, arguments in _calls(entry):
            name = called_name(key, names)
            places.add(("tool", name))
            if isinstance(arguments, dict):
                places.update(("parameter", f"{name}.{parameter}") for parameter in arguments)
    return frozenset(places), frozenset({ANY, entry.kind.group})


def _calls(entry: AceEntry) -> list[tuple[str, object]]:
    answer = entry.answers[0] if entry.answers else None
    return [(str(key), arguments) for key, arguments in answer.items()] if isinstance(answer, dict) else []


def _of_entry(
    dataset: AceDataset, trajectory: Trajectory, wanted: Collection[str]
) -> Iterator[tuple[str, ErrorExample]]:
    from toolgauge.benchmarks.acebench.judge.pairing import wrong_in_entry

    entry = dataset.by_id.get(without_epoch(trajectory.task_id, trajectory.epoch))
    if entry is None or trajectory.task_id not in wanted:
        return
    done = tuple(said_in(step.reply) for step in trajectory.steps if step.role == ASSISTANT)
    wrong = wrong_in_entry(entry, trajectory)
    yield trajectory.task_id, ErrorExample(_question(entry), _answer(entry), done, wrong)


def _question(entry: AceEntry) -> str:
    """The user's last words: questions of sessions hold the dialogue so far."""
    words = entry.question[-20_000:]
    last = max(words.rfind("user:"), words.rfind("user："))
    return one_line(words[last + 5 :] if last >= 0 else words, LINE)


def _answer(entry: AceEntry) -> tuple[str, ...]:
    if entry.kind.group == "agent":
        steps: Sequence[str] = entry.milestones[0] if entry.milestones else ()
        return tuple(one_line(step, LINE) for step in steps[:8])
    answer = entry.answers[0] if entry.answers else None
    if entry.kind.group == "normal" and isinstance(answer, Mapping):
        return tuple(call_text(key, arguments) for key, arguments in answer.items())
    return (f"{ANSWERS} {one_line(answer if isinstance(answer, str) else as_json(answer), LINE)}",)
