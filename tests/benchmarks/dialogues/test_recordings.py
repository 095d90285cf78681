"""Recordings that end too early: never wrong in `exact` for what was not recorded, and counted beside its rates."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from tests.analysis.synthetic import session
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS, MINI_FILE, GraphBenchmark
from toolgauge.chat import Reply, Request, Tool, ToolCall
from toolgauge.data.session import FINAL, Call, Dataset, Reference, Session, Task, TaskType
from toolgauge.episode import Step, Stop, Trajectory, drive
from toolgauge.judge.verdict import ERROR, Score
from toolgauge.models.builtin.mistakes import plan_mistakes

FIXTURES = Path(__file__).parents[2] / "fixtures"
FILES = {
    "mini": MINI_FILE,
    "wildtoolbench": FIXTURES / "wildtoolbench_small.jsonl",
    "mmtb": FIXTURES / "mmtb_small.jsonl",
}
BOTH = list(product(FILES, ("en", "zh")))


@cache
def loaded(name: str, language: str) -> tuple[GraphBenchmark, Dataset]:
    benchmark = GRAPH_BENCHMARKS[name]
    return benchmark, benchmark.load(FILES[name], language)


def played(
    benchmark: GraphBenchmark, dataset: Dataset, place: int, wrong_at: int | None = None, kind: int = 0
) -> Trajectory:
    """A task gone through as annotated, with a mistake in step `wrong_at`, if there is one to be made."""

    def answer(request: Request) -> Reply:
        assert request.gold_hint is not None
        possible = plan_mistakes(request) if request.step == wrong_at else []
        return possible[kind % len(possible)][1] if possible else request.gold_hint.reply

    samples = benchmark.samples(dataset)
    return drive(benchmark.episode(dataset, samples[place % len(samples)]), answer)


def cut(trajectory: Trajectory, steps: int, recorded: bool) -> Trajectory:
    stopped = Stop.RECORDING if recorded else Stop.ILLEGAL_STEP
    return replace(trajectory, steps=trajectory.steps[:steps], stopped=stopped)


def scored(benchmark: GraphBenchmark, dataset: Dataset, trajectory: Trajectory) -> Score:
    (score,) = benchmark.scores(dataset, trajectory)
    return score


@given(which=st.sampled_from(BOTH), place=st.integers(0, 500), data=st.data())
def test_a_right_run_cut_anywhere_is_never_wrong_in_exact(
    which: tuple[str, str], place: int, data: st.DataObject
) -> None:
    benchmark, dataset = loaded(*which)
    whole = played(benchmark, dataset, place)
    steps = data.draw(st.integers(0, len(whole.steps)))
    recording, run = (scored(benchmark, dataset, cut(whole, steps, recorded)) for recorded in (True, False))
    others = {name: verdict for name, verdict in run.scorings.items() if name != "exact"}
    assert {name: recording.scorings[name] for name in others} == others
    if run.scorings["exact"].correct:  # also before its end: a run's last steps may be more than it needs
        assert recording == run
    else:
        assert run.scorings["exact"].code == "run_ends"
        assert recording.scorings == others
        assert recording.not_judgeable == ("exact",)
        assert recording.facts is UNSET


@given(which=st.sampled_from(BOTH), place=st.integers(0, 500), kind=st.integers(0, 20), data=st.data())
def test_a_mistake_before_the_end_is_wrong_wherever_the_recording_ends(
    which: tuple[str, str], place: int, kind: int, data: st.DataObject
) -> None:
    benchmark, dataset = loaded(*which)
    length = len(played(benchmark, dataset, place).steps)
    wrong_at = data.draw(st.integers(0, length - 1))
    spoilt = played(benchmark, dataset, place, wrong_at, kind)
    steps = data.draw(st.integers(wrong_at + 1, max(wrong_at + 1, len(spoilt.steps))))
    recording, run = (scored(benchmark, dataset, cut(spoilt, steps, recorded)) for recorded in (True, False))
    if run.scorings["exact"].mistake is not None:
        assert recording == run
        assert recording.scorings["exact"].label == ERROR


def same_call_three_times() -> tuple[Dataset, Session]:
    calls = [Call(number, "tool_0", {"city": city}, observation={"ok": True}) for number, city in enumerate("ABC")]
    closing = Call(3, FINAL, {"answer_type": "tool"}, (0, 1, 2), observation="Done.")
    task = Task(0, "three cities", TaskType.PARALLEL_TOOLS, Reference.FIRST_TURN, (*calls, closing))
    city = {"type": "object", "properties": {"city": {"type": "string"}}}
    of = replace(session(0, (TaskType.SINGLE_TOOL,)), tools=(Tool("tool_0", "", city),), tasks=(task,))
    return Dataset("made up", "en", "0" * 64, (of,)), of


def called(*cities: str) -> Step:
    return Step((), Reply(None, tuple(ToolCall(city, "tool_0", f'{{"city": "{city}"}}') for city in cities)))


def test_the_public_runner_stops_a_model_that_is_right() -> None:
    """Two independent calls, then the third: legal, but the public runner ends the recording there."""
    benchmark, (dataset, of) = GRAPH_BENCHMARKS["wildtoolbench"], same_call_three_times()
    steps = (called("A", "B"), called("C"), Step((), Reply("Done.")))
    recording = Trajectory("made_up_0/0", of.id, steps[:1], 0, stopped=Stop.RECORDING)
    score = scored(benchmark, dataset, recording)
    assert score.not_judgeable == ("exact",)
    assert {name: verdict.label for name, verdict in score.scorings.items()} == {"released": ERROR, "tables": ERROR}
    whole = scored(benchmark, dataset, replace(recording, steps=steps))
    assert (whole.scorings["exact"].correct, whole.scorings["released"].correct) == (True, False)


def test_nothing_recorded_is_nothing_judged_but_an_empty_reply_is_wrong() -> None:
    benchmark, (dataset, of) = GRAPH_BENCHMARKS["wildtoolbench"], same_call_three_times()
    recording = Trajectory("made_up_0/0", of.id, (), 0, stopped=Stop.RECORDING)
    assert scored(benchmark, dataset, recording).not_judgeable == ("exact",)
    silent = replace(recording, steps=(called("A"), Step((), Reply(None))))
    assert scored(benchmark, dataset, silent).scorings["exact"].mistake == "empty_output"
