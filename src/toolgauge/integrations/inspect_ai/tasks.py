"""The benchmarks as tasks of Inspect: a sample per conversation, in the order of the data.

Their parameters are the options of `toolgauge run` (docs/inspect.md). Epochs, limits, the number of samples and
everything about the model are Inspect's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage

from toolgauge.benchmarks.acebench.data import AceDataset
from toolgauge.benchmarks.benchmark import History, Setup, Style
from toolgauge.benchmarks.benchmark import Sample as BenchmarkSample
from toolgauge.chat import Reply, Request
from toolgauge.integrations.inspect_ai.conversation import InspectConversation
from toolgauge.integrations.inspect_ai.scorer import labels
from toolgauge.integrations.inspect_ai.solver import converse
from toolgauge.integrations.inspect_ai.task_spec import SESSION, TASK, TASKS, TaskSpec, explained, open_asked
from toolgauge.version import __version__

Words = str | Sequence[str] | None
"""Names with commas between them, as `-T ids=a,b` gives them, or a list."""


@task
def mini(
    language: str = "en",
    data: str | None = None,
    sessions: int | None = None,
    ids: Words = None,
    history: History | None = None,
    reading: str | None = None,
) -> Task:
    """The embedded benchmark, made in the manner of WildToolBench.

    language: "en" or "zh". data: a file in the benchmark's format. sessions: the first so many. ids: sessions or tasks.
    history: of earlier tasks, "gold" or the model's "own". reading: one of the judge's only.
    """
    return _task("mini", language, data, Setup(1, _words(ids), sessions, history), reading)


@task
def wildtoolbench(
    language: str = "en",
    data: str | None = None,
    sessions: int | None = None,
    ids: Words = None,
    history: History | None = None,
    reading: str | None = None,
) -> Task:
    """WildToolBench; parameters as of `mini`."""
    return _task("wildtoolbench", language, data, Setup(1, _words(ids), sessions, history), reading)


@task
def mmtb(
    language: str = "en",
    data: str | None = None,
    sessions: int | None = None,
    ids: Words = None,
    history: History | None = None,
    reading: str | None = None,
) -> Task:
    """MMTB (C3-Bench); parameters as of `mini`."""
    return _task("mmtb", language, data, Setup(1, _words(ids), sessions, history), reading)


@task
def acebench(
    language: str = "en",
    data: str | None = None,
    sessions: int | None = None,
    ids: Words = None,
    categories: Words = None,
    style: Style | None = None,
    max_turns: int | None = None,
    reading: str | None = None,
) -> Task:
    """ACEBench. The simulated user of agent_multi_turn is the model role `user`.

    data: a data_all folder. sessions: the first so many of each category. categories: names or groups. style: "prompt"
    (the published way) or "native". max_turns: of an agent's conversation.
    """
    setup = Setup(1, _words(ids), sessions, None, _words(categories), style, max_turns)
    return _task("acebench", language, data, setup, reading)


def _task(benchmark: str, language: str, data: str | None, setup: Setup, reading: str | None) -> Task:
    asked = open_asked(benchmark, language, data, setup)
    with explained():
        samples = [_sample(asked, sample_) for sample_ in asked.benchmark.samples(asked.dataset, setup)]
    return Task(
        dataset=MemoryDataset(samples, name=f"{asked.dataset.name} ({language})"),
        solver=converse(benchmark, language, data, setup.history, setup.style, setup.max_turns),
        scorer=labels(benchmark, language, data, reading),
        version=__version__,
        metadata={"data_sha256": asked.dataset.sha256} | asked.benchmark.settings(setup),
    )


def _sample(asked: TaskSpec, sample_: BenchmarkSample) -> Sample:
    """input: the messages of the first request; target: the annotated answer to them, for people who look at a log."""
    episode = asked.benchmark.episode(asked.dataset, sample_, asked.setup)
    request: Request = next(episode)
    episode.close()
    messages: list[ChatMessage] = InspectConversation().messages(request)
    target = _in_words(request.gold_hint.reply if request.gold_hint else None)
    return Sample(input=messages, target=target, id=sample_.key, metadata=_metadata(asked, sample_))


def _metadata(asked: TaskSpec, sample_: BenchmarkSample) -> dict[str, Any]:
    tasks = len(asked.benchmark.task_ids(asked.dataset, [sample_]))
    known: dict[str, Any] = {SESSION: sample_.session_id, TASK: sample_.task_index, TASKS: tasks}
    if isinstance(asked.dataset, AceDataset):
        known["category"] = asked.dataset.by_id[sample_.key].category
    return known


def _in_words(reply: Reply | None) -> str:
    if reply is None:
        return ""
    return reply.content or "\n".join(f"{call.name}({call.arguments})" for call in reply.tool_calls)


def _words(names: Words) -> tuple[str, ...]:
    """Several names, however they were given; a number stays the text it was."""
    if names is None:
        return ()
    several = names.split(",") if isinstance(names, str) else [names] if isinstance(names, int) else names
    return tuple(str(name).strip() for name in several)
