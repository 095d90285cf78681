"""A certificate per task: is it fit to measure anybody?

A task has its certificate where
- the perfect model passes in every scoring (`builtin/oracle`: the annotated answer),
- the silent model fails in every scoring (`builtin/silent`), unless any words are right there,
- a wrong value fails in the scoring `exact`: an annotated argument replaced by another value of its type.
Tasks without calls have only the parts that apply. `toolgauge data check` lists the tasks without a certificate; their
number stands beside every score.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import MsgspecError
from msgspec.json import decode
from msgspec.json import encode as to_json
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import DEFAULT, Benchmark, OwnData, Sample, Setup
from toolgauge.benchmarks.registry import OURS
from toolgauge.chat import Reply, Request, Tool, ToolCall
from toolgauge.data.fetch import cache_folder
from toolgauge.data.lines import sha256_of
from toolgauge.data.record import MAX_PROBLEMS, Problem
from toolgauge.data.task_ids import without_epoch
from toolgauge.episode import ASSISTANT, drive
from toolgauge.errors import Endless, ProviderError, ToolgaugeError
from toolgauge.files import make_folders, read_whole, write_whole
from toolgauge.judge.verdict import EXACT, RULES_VERSION, Verdict
from toolgauge.models.builtin.models import oracle, silent
from toolgauge.version import __version__, code_digest
from toolgauge.visible import visible

PERFECT, SILENT, VALUE = "the annotated answer fails", "a model that never calls passes", "a wrong value passes"
PATIENCE = 60.0
"""Seconds that somebody's code may take between two requests."""
OTHER_TEXT = "qqq"
"""In place of an annotated text."""


def uncertified(
    benchmark: Benchmark, dataset: OwnData, task_ids: Iterable[str] | None = None, known_in: Path | None = None
) -> dict[str, str]:
    """The tasks without a certificate, by id without the epoch, with what is missing. task_ids: only of these.

    known_in: a file of what was worked out before for the same data (`certificate_file`); it is read and updated.
    """
    known = _load(known_in)
    wanted = None if task_ids is None else {without_epoch(task) for task in task_ids}
    size = len(known)
    if wanted is None or not wanted <= known.keys():
        for sample in benchmark.samples(dataset):
            if sample.key not in known and (wanted is None or sample.key in wanted):
                try:
                    missing = _missing(benchmark, dataset, sample)
                except Endless as error:  # the others would not end either
                    known[sample.key] = f"cannot be tried ({error}); the tasks behind it were not tried"
                    break
                if missing is not None:
                    known[sample.key] = missing
    if known_in is not None and len(known) > size:
        with suppress(OSError, ToolgaugeError):  # a cache that cannot be written is none
            make_folders(known_in.parent)
            write_whole(known_in, to_json(known))
    return {task: missing for task, missing in known.items() if missing and (wanted is None or task in wanted)}


def certificate_file(benchmark: Benchmark, dataset: OwnData) -> Path | None:
    """Where the certificates of a data file are kept, in the user's cache; None for a benchmark of another package,
    which may change without a new version. `dataset` has no corrections."""
    if benchmark.name not in OURS:
        return None
    beside = benchmark.files_beside(dataset) if hasattr(benchmark, "files_beside") else []
    content = [dataset.sha256, *map(sha256_of, beside)]
    made_of = f"{__version__} {RULES_VERSION} {code_digest()} {benchmark.name} {dataset.language} {' '.join(content)}"
    return cache_folder() / "certificates" / f"{sha256(made_of.encode()).hexdigest()}.json"


def _load(file: Path | None) -> dict[str, str]:
    if file is None or not file.is_file():
        return {}
    try:
        return decode(read_whole(file), type=dict[str, str])
    except (OSError, ToolgaugeError, MsgspecError):
        return {}


def uncertified_tasks(benchmark: Benchmark, dataset: OwnData) -> list[Problem]:
    """The same for a check of the data, at most MAX_PROBLEMS."""
    missing = uncertified(benchmark, dataset).items()
    return [Problem(str(dataset.file), f"{task} ({dataset.language}): {parts}") for task, parts in missing][
        :MAX_PROBLEMS
    ]


def _missing(benchmark: Benchmark, dataset: OwnData, sample: Sample) -> str | None:
    """What a task lacks, in words; None where it cannot be tried: nothing is annotated, or its world is missing."""
    try:
        return "; ".join(_missing_parts(benchmark, dataset, sample))
    except Endless:
        raise
    except ProviderError:  # the perfect model has nothing to say
        return None
    except Exception as error:  # a package of somebody else's, given the replies of three models
        if isinstance(error, ToolgaugeError):
            return None if benchmark.name in OURS else visible(f"cannot be tried ({error})")[:300]
        if benchmark.name in OURS:
            raise
        return visible(f"cannot be tried ({type(error).__name__}: {error})")[:300]


def _missing_parts(benchmark: Benchmark, dataset: OwnData, sample: Sample) -> Iterator[str]:
    def verdicts(answer: Callable[[Request], Reply], setup: Setup = DEFAULT) -> dict[str, Verdict]:
        episode = benchmark.episode(dataset, sample, setup)
        within = getattr(episode, "run_within", None)
        trajectory = within(PATIENCE, answer) if within else drive(episode, answer)
        return {name: one for score in benchmark.scores(dataset, trajectory) for name, one in score.scorings.items()}

    course = _Course()
    perfect = verdicts(course)
    if failed := {scoring: verdict for scoring, verdict in perfect.items() if not verdict.correct}:
        detail = next((f" ({verdict.detail})" for verdict in failed.values() if verdict.detail), "")
        yield f"{PERFECT} in {', '.join(failed)}{detail}"
    if not _any_words_pass(benchmark, dataset, sample, course):
        mute = verdicts(lambda request: silent(request) if request.role == ASSISTANT else oracle(request))
        if passed := [scoring for scoring, verdict in mute.items() if verdict.correct]:
            yield f"{SILENT} in {', '.join(passed)}"
    if native := getattr(benchmark, "native_options", None):
        course = _Course()
        verdicts(course, Setup(options=native))
    accepted = []
    for changed in course.with_wrong_values() if EXACT in perfect else ():
        if not verdicts(changed, Setup(options=native or {}))[EXACT].correct:
            return
        accepted.append(changed.what)  # calls may only look something up, where the end state is judged
    if accepted:
        yield f"{VALUE} ({', '.join(accepted)})"


def _any_words_pass(benchmark: Benchmark, dataset: OwnData, sample: Sample, course: _Course) -> bool:
    ask = getattr(benchmark, "any_words_pass", None)
    if ask is not None and (declared := ask(dataset, sample)) is not None:
        return bool(declared)
    return not any(reply.tool_calls for _, reply in course.steps)


class _Course:
    """The perfect model, which keeps what it was asked and said."""

    def __init__(self) -> None:
        self.steps: list[tuple[Request, Reply]] = []

    def __call__(self, request: Request) -> Reply:
        if request.role != ASSISTANT and request.gold_hint is None:
            raise ToolgaugeError(f"nothing says what the role {request.role!r} replies: a hint of talk.ask is missing")
        reply = oracle(request)
        if request.role == ASSISTANT:
            self.steps.append((request, reply))
        return reply

    def with_wrong_values(self) -> Iterator[_WrongValue]:
        """The same with one wrong value, for each annotated value."""
        for step, (request, reply) in enumerate(self.steps):
            for place, call in enumerate(reply.tool_calls):
                for changed, what in _changed_calls(call, request.tools):
                    calls = (*reply.tool_calls[:place], changed, *reply.tool_calls[place + 1 :])
                    yield _WrongValue(step, replace(reply, tool_calls=calls), what)


class _WrongValue:
    """The perfect model with another reply at one step. what: the argument that is wrong in it."""

    def __init__(self, step: int, reply: Reply, what: str) -> None:
        self.what, self._reply, self._left = what, reply, step

    def __call__(self, request: Request) -> Reply:
        if request.role != ASSISTANT:
            return oracle(request)
        self._left -= 1
        return self._reply if self._left == -1 else oracle(request)


def _changed_calls(call: ToolCall, tools: Iterable[Tool]) -> Iterator[tuple[ToolCall, str]]:
    """The call with another value of each argument that can have one, and the argument's name."""
    arguments = json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments
    properties = next((tool.properties for tool in tools if tool.name == call.name), {})
    for name, value in arguments.items() if isinstance(arguments, dict) else ():
        other = other_value(value, properties.get(name))
        if other != value:
            changed = json.dumps({**arguments, name: other}, ensure_ascii=False)
            yield replace(call, arguments=changed), f"{call.name}.{name}"


def other_value(value: Any, schema: object = None) -> Any:
    """Another value of the type; the same where there is none (null, empty lists and objects)."""
    allowed = schema.get("enum") if isinstance(schema, Mapping) else None
    if isinstance(allowed, list) and value in allowed:
        return next((one for one in allowed if one != value and type(one) is type(value)), value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return OTHER_TEXT
    if isinstance(value, list) and value:
        return [other_value(value[0], schema.get("items") if isinstance(schema, Mapping) else None), *value[1:]]
    if isinstance(value, dict) and value:
        first = next(iter(value))
        return {**value, first: other_value(value[first])}
    return value
