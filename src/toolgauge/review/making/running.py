"""One `generate` of a job: carried out in a thread, watched, stopped, and limited by what is left to spend."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct, structs

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.chat import Reply
from toolgauge.episode import Trajectory
from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.generation.spec import GenerationResult, carry_out_generation, plan_generation
from toolgauge.review.making.jobs import Command
from toolgauge.review.making.models import MakingOptions, ReviewModels
from toolgauge.runs.budget import Budget, Spent
from toolgauge.runs.executors.executor import Executor, ExecutorFactory, ProgressListener, RunSpec
from toolgauge.runs.store import RunStore

OPTIONS = {
    "paths": "--paths",
    "resume_from": "--resume-from",
    "attempts": "--attempts",
    "scenarios": "--scenarios",
    "examples": "--examples",
    "seed": "--seed",
    "language": "--language",
}
_PAUSE_SECONDS = 0.5
"""Between two reports of progress."""


class JobProgress(Struct, frozen=True):
    """Of a command under way: dialogues that are done, of how many; spent: of all goes."""

    done: int
    total: int
    spent: Spent


def sessions_file(job: Path, command: Command) -> Path:
    """What it goes on from."""
    return job / f"{command.name}.jsonl"


def made_folder(job: Path, command: Command) -> Path:
    return job / command.name


def options_of(job: Path, command: Command, language: str) -> GenerationOptions:
    """What a command asks the generation for; the job's number is the seed, so that another try draws otherwise."""
    chosen = {
        "resume_from": str(sessions_file(job, command)),
        "layer": command.layer,
        "paths": command.paths,
        "language": language,
        "seed": int(job.name),
    }
    settings = structs.asdict(command.settings)
    checks = tuple(settings.pop("filters"))
    return GenerationOptions(**settings | chosen | {"checks": checks})


def command_line(job: Path, command: Command, language: str, model: str) -> list[str]:
    """The words of the command line that does the same."""
    options, usual = options_of(job, command, language), GenerationOptions()
    words = ["toolgauge", "generate"]
    for name, option in OPTIONS.items():
        if (value := getattr(options, name)) != getattr(usual, name) or name == "language":
            words += [option, str(value)]
    words += ["--checks", ",".join(options.checks)] if options.checks else []
    for name in ("layer", "vague"):
        if (value := getattr(options, name)) != getattr(usual, name):
            words += ["--set", f"dialogues.{name}={value}"]
    words += ["--candidates"] if options.candidates else []
    return [*words, "--out", str(made_folder(job, command)), *(["--demo"] if model == "--demo" else ["-m", model])]


class Running(ProgressListener):
    """A command while it runs. `carry_out` is called in a thread, `stop` from any other one."""

    def __init__(self, command: Command, tell: Callable[[JobProgress], None]) -> None:
        """tell: is told of progress, in the thread."""
        self.is_stopped = False
        self.done, self.total, self._tell, self._told = 0, 0, tell, 0.0
        self._executor: Executor | None = None
        self._budget = Budget(lambda _name, _usage: None)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._command = command

    def carry_out(
        self, job: Path, language: str, options: MakingOptions, models: ReviewModels, elsewhere: Spent
    ) -> GenerationResult:
        """Make the dialogues that are not finished. elsewhere: what other commands spent of the limits. Raises
        ToolgaugeError, OSError."""
        limits = options.asked.limits
        plan = plan_generation(
            options_of(job, self._command, language),
            models.everybody,
            models.reached,
            made_folder(job, self._command),
            options.hints,
            models.roles,
        )
        self.total = len(plan.slots)
        cost = None if limits.max_cost is None else max(limits.max_cost - (elsewhere.cost or 0.0), 0.0)
        tokens = None if limits.max_tokens_total is None else max(limits.max_tokens_total - elsewhere.tokens, 0)
        return carry_out_generation(
            plan,
            limits.concurrency,
            max_cost=cost,
            max_tokens_total=tokens,
            listener=self,
            probing=_answered if options.is_probed else None,
            engine=self._watched(options),
        )

    def stop(self) -> None:
        """Ask nothing more; what is under way has a few seconds to come back."""
        self.is_stopped = True
        if self._loop is not None and self._executor is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._executor.interrupt)

    def begin(self, already_done: int) -> None:
        self.done = already_done

    def asking(self, key: str, task: str, step: int, steps: int | None) -> None:  # noqa: ARG002 - a listener's
        self._loop = asyncio.get_running_loop()
        if self.is_stopped and self._executor is not None and not self._executor.outcome.interrupted:
            self._executor.interrupt()

    def replied(self, key: str, role: str, reply: Reply) -> None:  # noqa: ARG002
        self._report()

    def ended(self, sample: Sample, trajectory: Trajectory | None) -> None:  # noqa: ARG002
        self.done += trajectory is not None
        self._report()

    def _report(self) -> None:
        if (now := time.monotonic()) - self._told >= _PAUSE_SECONDS:
            self._told = now
            self._tell(JobProgress(self.done, self.total, self._budget.so_far))

    def _watched(self, options: MakingOptions) -> ExecutorFactory:
        """The engine that was asked for, its executor and its budget at hand."""

        @contextmanager
        def started(spec: RunSpec, store: RunStore, budget: Budget, listener: ProgressListener) -> Iterator[Executor]:
            self._budget = budget
            with options.asked.limits.executor(spec, store, budget, listener) as executor:
                self._executor = executor
                yield executor

        return started


def _answered(_result: object) -> None:
    """Agents answer in words: that an endpoint answers at all is enough."""
