"""The benchmarks as tasks of Inspect: a sample per conversation, in the order of the data.

Their parameters are the options of `toolgauge run` (docs/training.md). Epochs, limits, the number of samples and
everything about the model are Inspect's own.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage

from toolgauge.benchmarks.benchmark import Sample as BenchmarkSample
from toolgauge.benchmarks.benchmark import Setup, options_of, recorded_options
from toolgauge.benchmarks.registry import blamed_on, find_benchmark, names
from toolgauge.chat import Reply, Request
from toolgauge.errors import ToolgaugeError
from toolgauge.integrations.inspect_ai.conversation import InspectConversation
from toolgauge.integrations.inspect_ai.scorer import labels
from toolgauge.integrations.inspect_ai.solver import converse
from toolgauge.integrations.inspect_ai.task_spec import SESSION, TASK, TASKS, TaskSpec, explained, open_asked
from toolgauge.options import declared
from toolgauge.version import __version__

Words = str | Sequence[str] | None
"""Names with commas between them, as `-T ids=a,b` gives them, or a list."""


def task_of(benchmark: str) -> Callable[..., Task]:
    """The task of a benchmark. Raises UsageError where its package cannot be loaded.

    Its parameters: language ("en" or "zh"), data (a file or folder in the benchmark's format), sessions (the first so
    many), ids (sessions or tasks), the benchmark's own options, and scoring (one of the judge's only).
    """
    found = find_benchmark(benchmark)
    with blamed_on(found):
        options = declared(options_of(found))

    def ask(
        language: str = "en",
        data: str | None = None,
        corrections: str | None = None,
        sessions: int | None = None,
        ids: Words = None,
        scoring: str | None = None,
        **own: Any,
    ) -> Task:
        several = {one.name for one in options if one.kind == "words"}
        given = {name: _words(value) if name in several else value for name, value in own.items()}
        setup = Setup(1, _words(ids), sessions, {name: value for name, value in given.items() if value})
        return _task(benchmark, language, data, corrections, setup, scoring)

    signature = inspect.signature(ask)
    named = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
    more = [inspect.Parameter(one.name, keyword, default=None) for one in options]
    vars(ask)["__signature__"] = signature.replace(parameters=[*named[:-1], *more, named[-1]])
    ask.__name__ = benchmark
    ask.__doc__ = f"{benchmark}: parameters as docs/training.md#inspect-ai has them."
    decorated: Callable[..., Task] = task(name=benchmark)(ask)
    return decorated


def all_tasks() -> dict[str, Callable[..., Task]]:
    """The tasks of all benchmarks by name, without those of packages that cannot be loaded."""
    found = {}
    for name in names():
        try:
            found[name] = task_of(name)
        except ToolgaugeError as error:
            warnings.warn(str(error), stacklevel=2)
    return found


def _task(
    benchmark: str, language: str, data: str | None, corrections: str | None, setup: Setup, scoring: str | None
) -> Task:
    asked = open_asked(benchmark, language, data, setup, corrections)
    with explained():
        samples = [_sample(asked, sample_) for sample_ in asked.benchmark.samples(asked.dataset, setup)]
    return Task(
        dataset=MemoryDataset(samples, name=f"{asked.dataset.name} ({language})"),
        solver=converse(benchmark, language, data, msgspec.to_builtins(setup.options) or None, corrections),
        scorer=labels(benchmark, language, data, scoring, corrections),
        version=__version__,
        metadata={"data_sha256": asked.dataset.sha256} | recorded_options(asked.benchmark, asked.setup)[0],
    )


def _sample(asked: TaskSpec, sample_: BenchmarkSample) -> Sample:
    """input: the messages of the first request; target: the annotated answer to them, for people who look at a log."""
    episode = asked.benchmark.episode(asked.dataset, sample_, asked.setup)
    request: Request = next(episode)
    episode.close()
    messages: list[ChatMessage] = InspectConversation().messages(request)
    target = _in_words(request.gold_hint.reply if request.gold_hint else None)
    return Sample(input=messages, target=target, id=sample_.key, metadata=_metadata(asked, sample_))


def _metadata(asked: TaskSpec, sample_: BenchmarkSample) -> dict[str, object]:
    tasks = len(asked.benchmark.task_ids(asked.dataset, [sample_]))
    known: dict[str, Any] = {SESSION: sample_.session_id, TASK: sample_.task_index, TASKS: tasks}
    own = getattr(asked.benchmark, "sample_metadata", None)
    return known if own is None else known | own(asked.dataset, sample_)


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
